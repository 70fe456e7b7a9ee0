"""Diagnoses a recording away from the window's thread, with a reader of its own; a newer wish replaces an older one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.errors import GradvizError

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding

Post = Callable[[Callable[[], object]], None]
Diagnose = Callable[[Path], "tuple[Finding, ...]"]
Done = Callable[["tuple[Finding, ...]", str], object]  # findings, and one sentence if they couldn't be had


def diagnose_file(path: Path) -> tuple[Finding, ...]:
    """All findings of a recording. Imports the rules and the reader (with numpy) only when first called."""
    from gradviz.diagnose.examination import diagnose
    from gradviz.trace.reader import Trace

    with Trace(path) as trace:
        return tuple(diagnose(trace))


class Diagnosing:
    """One diagnosis at a time; `done` is called on the window's thread, and not at all if a newer wish came."""

    def __init__(self, post: Post, diagnose: Diagnose = diagnose_file) -> None:
        self._post, self._diagnose = post, diagnose
        self._wish = 0
        self._thread: threading.Thread | None = None

    def start(self, path: Path, done: Done) -> None:
        self._wish += 1
        wish = self._wish

        def deliver(findings: tuple[Finding, ...], trouble: str) -> None:
            if wish == self._wish:
                done(findings, trouble)

        def work() -> None:
            findings: tuple[Finding, ...] = ()
            trouble = "The diagnosis failed."  # stands if a fault of ours passes through to threading's hook
            try:
                findings, trouble = self._diagnose(path), ""
            except GradvizError as error:
                trouble = str(error)
            finally:
                self._post(lambda: deliver(findings, trouble))

        self._thread = threading.Thread(target=work, name="diagnosis", daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """Nobody wants the answer any more."""
        self._wish += 1

    def join(self, seconds: float = 30.0) -> None:
        """Wait for the thread, when the program ends."""
        if self._thread is not None:
            self._thread.join(seconds)
