"""Keeps faults of the torch recorder away from the script."""

from __future__ import annotations

from contextlib import AbstractContextManager

from gradviz.record import guard
from gradviz.record.pytorch.state import Recorder


def guarded(recorder: Recorder) -> AbstractContextManager[None]:
    """A fault of the recorder's must not become the script's: it is told as a note."""
    return guard.guarded(recorder.session)


def note_fault(recorder: Recorder, fault: BaseException) -> None:
    """Tell of a fault of the recorder's."""
    guard.note_fault(recorder.session, fault)
