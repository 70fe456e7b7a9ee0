"""Looks at what a pass began with, when it handed on NaN: its leaves."""

from __future__ import annotations

from typing import Any

from tensorflow.python.eager import record as record_module
from tensorflow.python.ops import gen_resource_variable_ops

from gradviz.record.notfinite import is_finite, tell_of_numbers
from gradviz.record.tensorflow.passes import TapePass
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.values import EagerTensor, array_of, numpy


def look(recorder: Recorder, record: TapePass) -> None:
    """Not called back of ops meanwhile: a variable has to be read."""
    values = [leaf() for leaf in record.graph.leaf_entries.values()]
    tell_of_numbers(recorder.writer, record.number, not all(_is_finite(each) for each in values))


def _is_finite(value: Any) -> bool:
    if value is None:
        return False  # it is gone
    if not isinstance(value, EagerTensor):
        with record_module.stop_recording():
            value = gen_resource_variable_ops.read_variable_op(value.handle, value.dtype)
    numbers = array_of(value)
    return numbers is None or is_finite(numpy, numbers)
