"""Variables that TensorFlow's fast path reads by itself, without a word: `x @ w` hands an op the variable `w`.

What the op then takes in is a tensor that nobody has seen being made. Which variable it was read from stands in the
arguments of the generated function that called the op.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType, FrameType
from typing import Any

from tensorflow.python.ops import resource_variable_ops

from gradviz.record.names import with_locals
from gradviz.record.oplog import OpLog
from gradviz.record.tensorflow.families import public_name
from gradviz.record.tensorflow.state import Recorder, ThreadState
from gradviz.record.tensorflow.tapes import Entry, Tapes
from gradviz.record.tensorflow.values import FIRST_VALUE, EagerTensor
from gradviz.trace.packing import VALUE_LEAF, VALUE_REQUIRES_GRAD

READ = "ReadVariableOp"
BaseResourceVariable: Any = resource_variable_ops.BaseResourceVariable


class VariableReads:
    """Puts the missing reads on the tapes and in the log."""

    def __init__(self, recorder: Recorder, tapes: Tapes) -> None:
        self._recorder = recorder
        self._tapes = tapes
        self._node = recorder.writer.string(READ)
        self._name = recorder.writer.string(public_name(READ))

    def find(self, state: ThreadState, frame: FrameType, unseen: Sequence[tuple[int, Any]], stack: int) -> None:
        """`unseen`: positions and tensors among an op's inputs; `frame` runs the generated function."""
        given: list[Any] = []
        with_locals(frame, lambda names: given.extend(arguments_of(frame.f_code, names)))
        variables = [(at, each) for at, each in enumerate(given) if isinstance(each, BaseResourceVariable)]
        if not variables:
            return
        spec_of, of_variable = self._recorder.values.spec, self._tapes.spec_of_variable
        handed = {each._id for each in given if isinstance(each, EagerTensor)}
        rest: list[tuple[Any, int]] = []
        for position, tensor in unseen:
            if tensor._id in handed:  # the person's own, which no op has made: as tf.constant does
                continue
            spec = spec_of(tensor)
            found = next((each for at, each in variables if at == position and of_variable(each) == spec), None)
            if found is None:
                rest.append((tensor, spec))
                continue
            variables = [pair for pair in variables if pair[0] != position]
            self._read(state, found, tensor, spec, stack)
        for tensor, spec in rest:  # an input that stands elsewhere among the arguments
            alike = [each for _, each in variables if of_variable(each) == spec]
            if len(alike) == len(rest) == 1:
                self._read(state, alike[0], tensor, spec, stack)

    def _read(self, state: ThreadState, variable: Any, tensor: Any, spec: int, stack: int) -> None:
        recorder, handle, number = self._recorder, variable.handle._id, tensor._id
        if variable.trainable:
            self._tapes.accessed(variable)
        following = [tape for tape in state.tapes if handle in tape.ids]
        op, sequence, flags = next(recorder.op_numbers), 0, 0
        if following:
            sequence, flags = next(recorder.node_numbers), VALUE_REQUIRES_GRAD
            entry = Entry(self._node, op, sequence, state.number, state.call, 0, [handle], [number], [spec])
            for tape in following:
                tape.add(entry, recorder.values.trainable)
        log: OpLog = state.log
        log.operands += (FIRST_VALUE + handle, spec, -1, flags and flags | VALUE_LEAF, -1)
        log.results += (FIRST_VALUE + number, spec, 0, flags)
        log.ops += (op, self._name, stack, state.call, sequence, sequence + bool(following), 0, -1, 1, 1)


def arguments_of(code: CodeType, names: Mapping[str, Any]) -> list[Any]:
    """What a generated function was called with, lists taken apart: tensors, variables, numbers, in order."""
    given: list[Any] = []
    for name in code.co_varnames[: code.co_argcount]:
        value = names.get(name)
        given.extend(value if isinstance(value, (list, tuple)) else [value])
    return given
