"""Keeps faults of the recorder away from the script."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gradviz.record.pytorch.state import Recorder


@contextlib.contextmanager
def guarded(recorder: Recorder) -> Iterator[None]:
    """A fault of the recorder's must not become the script's: it is told as a note."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001  # an unusual tensor, an unknown release, or a mistake of ours
        note_fault(recorder, fault)


def note_fault(recorder: Recorder, fault: BaseException) -> None:
    """Tell of a fault of the recorder's."""
    words = f"gradviz could not record this: {type(fault).__name__}: {fault}"
    recorder.session.note("recorder-fault", words, places=places(fault))


def places(fault: BaseException) -> list[str]:
    """Where in our code it came about: the traceback module shows none of our frames while a script runs."""
    found = []
    entry = fault.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        found.append(f"{Path(code.co_filename).name}:{entry.tb_lineno} {code.co_name}")
        entry = entry.tb_next
    return found
