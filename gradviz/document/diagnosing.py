"""Diagnoses a recording away from the window's thread, with a reader of its own; a newer wish replaces an older one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.errors import GradvizError, TraceError

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding
    from gradviz.document.examiner import Examiner
    from gradviz.trace.reader import Trace

Post = Callable[[Callable[[], object]], None]
Done = Callable[["tuple[Finding, ...]", str], object]  # findings, and one sentence if they couldn't be had


def new_examiner() -> Examiner:
    """Imported when it is first needed: the first paint doesn't wait for it."""
    from gradviz.document.examiner import Examiner

    return Examiner()


class Diagnosing:
    """One diagnosis at a time; `done` is called on the window's thread, and not at all if a newer wish came."""

    def __init__(self, post: Post, examiner: Callable[[], Examiner] = new_examiner) -> None:
        self._post, self._new_examiner = post, examiner
        self._wish = 0
        self._examiner: Examiner | None = None
        self._thread: threading.Thread | None = None

    def start(self, path: Path, done: Done, nodes: int = 0) -> None:
        """`nodes`: how many the recording has, where that is known."""
        self.forget()
        wish, examiner = self._wish, self._new_examiner()

        def deliver(findings: tuple[Finding, ...], trouble: str) -> None:
            if wish == self._wish:
                done(findings, trouble)

        def work() -> None:
            findings: tuple[Finding, ...] = ()
            trouble = "The diagnosis failed."  # stands if a fault of ours passes through to threading's hook
            try:
                findings, trouble = examiner.findings(path, nodes), ""
            except GradvizError as error:
                trouble = str(error)
            finally:
                self._post(lambda: deliver(findings, trouble))

        self._examiner = examiner
        self._thread = threading.Thread(target=work, name="diagnosis", daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """Nobody wants the answer any more."""
        self._wish += 1
        if self._examiner is not None:
            self._examiner.stop()
            self._examiner = None

    def join(self, seconds: float = 30.0) -> None:
        """Wait for the thread, when the program ends."""
        if self._thread is not None:
            self._thread.join(seconds)


def nodes_of(trace: Trace | None) -> int:
    """In all passes of an open recording; 0 where they can't be read."""
    try:
        return sum(each.nodes for each in trace.passes()) if trace is not None else 0
    except TraceError:
        return 0
