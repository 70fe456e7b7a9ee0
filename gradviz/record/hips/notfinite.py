"""Looks at what a pass began with, when it handed on NaN: its leaves and the constants of the run."""

from __future__ import annotations

from types import FrameType
from typing import Any

from gradviz.record.hips.measures import arrays_in
from gradviz.record.hips.passes import HipsPass
from gradviz.record.hips.state import Recorder
from gradviz.record.hips.values import numpy, unboxed
from gradviz.record.names import with_locals
from gradviz.record.notfinite import is_finite, tell_of_numbers

MOST_FRAMES = 3  # from backward_pass to grad and its like
DIFFERENTIATED = "x"  # what those call the thing they differentiate by


def look(recorder: Recorder, record: HipsPass, frame: FrameType | None) -> None:
    """`frame` called backward_pass. A list of arrays is no longer to be had but there."""
    leaves = False
    for leaf in record.graph.leaf_entries.values():
        value = leaf()
        parts = arrays_in(_differentiated(recorder, frame)) if value is None else [value]
        leaves = leaves or not parts or not all(is_finite(numpy, each) for each in parts)
    constants = [number for number, array in recorder.values.living_constants() if not is_finite(numpy, array)]
    tell_of_numbers(recorder.writer, record.number, leaves, constants)


def _differentiated(recorder: Recorder, frame: FrameType | None) -> Any:
    found: list[Any] = []
    for _ in range(MOST_FRAMES):
        if frame is None or found or recorder.frames.is_user(frame.f_code):
            break
        with_locals(frame, lambda names: found.extend([names[DIFFERENTIATED]] if DIFFERENTIATED in names else []))
        frame = frame.f_back
    return unboxed(found[0]) if found else []
