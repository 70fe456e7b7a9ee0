"""Keeps faults of the recorder away from the script.

Nothing of the script's is called while such a fault is being handled: its exceptions would bear ours as their context.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from gradviz.record.exceptiontext import message_of


class Notes(Protocol):
    """Where a fault is told: the session."""

    def note(self, kind: str, text: str, stack: int | None = None, **detail: Any) -> None: ...


@contextlib.contextmanager
def guarded(session: Notes) -> Iterator[None]:
    """A fault of the recorder's must not become the script's: it is told as a note."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001  # an unusual value, an unknown release, or a mistake of ours
        try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
            note_fault(session, fault)
        except RecursionError:  # the script is about to reach its limit, and does so by itself
            pass


def note_fault(session: Notes, fault: BaseException) -> None:
    """Tell of a fault of the recorder's."""
    try:
        words = f"gradviz could not record this: {type(fault).__name__}: {message_of(fault)}"
        session.note("recorder-fault", words, places=places(fault))
    except RecursionError:  # the script is about to reach its limit, and does so by itself
        pass


def places(fault: BaseException) -> list[str]:
    """Where in our code it came about: the traceback module shows none of our frames while a script runs."""
    found = []
    entry = fault.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        found.append(f"{Path(code.co_filename).name}:{entry.tb_lineno} {code.co_name}")
        entry = entry.tb_next
    return found
