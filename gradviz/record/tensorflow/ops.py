"""Records each eager op: as a forward call, and on the tapes that follow one of its inputs.

TensorFlow calls back after every op, those of its fast path included. Inside a backward pass that no other tape follows
it isn't asked to: nothing is written down of those ops.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.eager import record as record_module
from tensorflow.python.framework import op_callbacks, ops
from tensorflow.python.framework.errors_impl import OutOfRangeError

from gradviz.record.guard import guarded, note_fault
from gradviz.record.names import with_locals
from gradviz.record.oplog import OP_WIDTH, OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.patches import Patches
from gradviz.record.tensorflow.families import FIRST_ONLY, public_name, public_name_of_function
from gradviz.record.tensorflow.reads import BaseResourceVariable, VariableReads, arguments_of
from gradviz.record.tensorflow.state import Recorder, ThreadState
from gradviz.record.tensorflow.tapes import Entry, Tapes, is_stopped
from gradviz.record.tensorflow.values import FIRST_VALUE, EagerTensor
from gradviz.trace.packing import (
    NODE_CUSTOM,
    OP_APPLY,
    OP_FACTORY,
    OP_LEAVES_GRAPH,
    OP_RAISED,
    VALUE_LEAF,
    VALUE_REQUIRES_GRAD,
)

MOST_PENDING = 100_000 * OP_WIDTH  # ops without a backward pass
MOST_OPERANDS = 256
FOLLOWED = VALUE_REQUIRES_GRAD
MAKER = "VarHandleOp"
GUARDS = frozenset({"check_numerics", "check_numerics_v2"})  # of enable_check_numerics
CONVERSIONS = ("numpy", "__array__", "__float__", "__int__", "__complex__")


class OpInfo:
    """What is known of one kind of op."""

    __slots__ = ("first_only", "makes_variable", "name", "node")

    def __init__(self, name: int, node: int, first_only: bool, makes_variable: bool) -> None:
        self.name = name
        self.node = node
        self.first_only = first_only
        self.makes_variable = makes_variable


class Ops:
    """Watches ops."""

    def __init__(self, recorder: Recorder, tapes: Tapes, layer_code: CodeType) -> None:
        self._recorder = recorder
        self._infos: dict[str | bytes, OpInfo] = {}
        self._layer_code = layer_code
        self._tapes = tapes
        self._reads = VariableReads(recorder, tapes)
        self.callback = self._make()

    def install(self, patches: Patches) -> None:
        """Wrap what isn't told of by callbacks: custom gradients, and tensors that become numbers or arrays."""
        session = self._recorder.session
        original = record_module.record_operation

        @functools.wraps(original)
        def record_operation(
            op_type: Any,
            output_tensors: Any,
            input_tensors: Any,
            backward_function: Any,
            forward_function: Any = None,
        ) -> Any:
            if session.recording and context.executing_eagerly():
                with guarded(session):
                    backward_function = self._custom(op_type, output_tensors, input_tensors, backward_function)
            return original(op_type, output_tensors, input_tensors, backward_function, forward_function)

        patches.replace(record_module, "record_operation", record_operation)
        for name in CONVERSIONS:
            self._patch_conversion(patches, name)
        self._patch_failure(patches)

    def enter(self, state: ThreadState) -> None:
        """Be called back in the present thread."""
        if state.callback is None:
            state.callback = self.callback
            op_callbacks.add_op_callback(self.callback)

    def leave(self, state: ThreadState) -> None:
        """Not any more."""
        if state.callback is not None:
            op_callbacks.remove_op_callback(state.callback)
            state.callback = None

    def _info(self, op_type: str | bytes) -> OpInfo:
        """Off its fast path TensorFlow names ops in bytes."""
        string = self._recorder.writer.string
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        found = self._infos[op_type] = OpInfo(
            string(public_name(name)), string(name), name in FIRST_ONLY, name == MAKER
        )
        return found

    def _make(self) -> Callable[..., None]:
        """The function that is called back. One long function on purpose: every op pays for each call."""
        recorder, session, infos = self._recorder, self._recorder.session, self._infos
        values, state_of, stack_of = recorder.values, recorder.state, recorder.frames.stack
        spec_of, trainable, known, getframe = values.spec, values.trainable, values.known, sys._getframe
        layer_code, made_at = self._layer_code, self._tapes.made_at

        def on_op(
            op_type: str | bytes, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
        ) -> None:
            if graph is not None or not session.recording:
                return
            try:
                state = state_of()
                info = infos.get(op_type) or self._info(op_type)
                tapes = state.tapes
                in_ids = [each._id for each in inputs]
                stack = stack_of(getframe(1), state.outer_stack, layer_code)
                if tapes:
                    unseen = [(at, each) for at, each in enumerate(inputs) if in_ids[at] not in known]
                    if unseen:
                        self._reads.find(state, getframe(1), unseen, stack)
                following = [t for t in tapes if not t.ids.isdisjoint(in_ids)] if tapes and not is_stopped() else ()
                operands: list[int] = []
                for each, number in zip(inputs[:1] if info.first_only else inputs[:MOST_OPERANDS], in_ids):
                    flags = 0
                    for tape in following:
                        if number in tape.ids:
                            flags = FOLLOWED | VALUE_LEAF if number in tape.leaves else FOLLOWED
                    spec = known.get(number)
                    operands += (FIRST_VALUE + number, spec_of(each) if spec is None else spec, -1, flags, -1)
                out_specs = [spec_of(each) for each in outputs]
                out_ids = [each._id for each in outputs]
                op, sequence, end = next(recorder.op_numbers), 0, 0
                if info.makes_variable:
                    made_at[out_ids[0]] = stack
                if following:
                    sequence = next(recorder.node_numbers)
                    end = sequence + 1
                    entry = Entry(info.node, op, sequence, state.number, state.call, 0, in_ids, out_ids, out_specs)
                    for tape in following:
                        tape.add(entry, trainable)
                leaves = followed_out = False
                log = state.log
                results: list[int] = []
                for number, spec in zip(out_ids, out_specs):
                    is_followed = bool(following) and spec in trainable
                    followed_out = followed_out or is_followed
                    results += (FIRST_VALUE + number, spec, 0, FOLLOWED if is_followed else 0)
                leaves = bool(following) and not followed_out and bool(out_ids)
                if leaves:
                    for tape in following:
                        tape.exits.append(op)
                log.operands += operands
                log.results += results
                flag = OP_LEAVES_GRAPH if leaves else 0 if operands else OP_FACTORY
                counts = (len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)
                log.ops += (op, info.name, stack, state.call, sequence, end, flag, -1, *counts)
                if len(log.ops) > MOST_PENDING:
                    recorder.overflow(log)
            except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
                try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                    note_fault(session, fault)
                except RecursionError:  # the script is about to reach its limit, and does so by itself
                    pass

        return on_op

    def write(
        self, state: ThreadState, name: str, inputs: Sequence[Any], flags: int, results: Sequence[int] = ()
    ) -> int:
        """A call that TensorFlow doesn't tell of; its number. Inputs are eager tensors and variables."""
        recorder, operands = self._recorder, []
        for each in inputs:
            is_tensor = isinstance(each, EagerTensor)
            number = each._id if is_tensor else each.handle._id
            spec = recorder.values.spec(each) if is_tensor else self._tapes.spec_of_variable(each)
            is_leaf = any(number in tape.leaves for tape in state.tapes)
            followed = FOLLOWED if any(number in tape.ids for tape in state.tapes) else 0
            operands += [FIRST_VALUE + number, spec, -1, followed | (VALUE_LEAF if is_leaf else 0), -1]
        number = next(recorder.op_numbers)
        stack = recorder.frames.stack(sys._getframe(1), state.outer_stack, self._layer_code)
        log = state.log
        log.operands += operands
        log.results += results
        counts = (len(inputs), len(results) // RESULT_WIDTH)
        log.ops += (number, recorder.writer.string(name), stack, state.call, 0, 0, flags, -1, *counts)
        return number

    # -- what callbacks don't tell of

    def _custom(self, op_type: Any, outputs: Any, inputs: Any, backward: Any) -> Any:
        """A function with a gradient of its own joins the tapes; its backward is wrapped to be seen."""
        recorder, state = self._recorder, self._recorder.state()
        tensors = [each for each in inputs if isinstance(each, EagerTensor)]
        made = [each for each in outputs if isinstance(each, EagerTensor)]
        if not made or len(tensors) != len(inputs) or not state.tapes or is_stopped():
            return backward
        in_ids = [each._id for each in tensors]
        following = [tape for tape in state.tapes if not tape.ids.isdisjoint(in_ids)]
        if not following:
            return backward
        values, name = recorder.values, str(op_type)
        specs = [values.spec(each) for each in made]
        rows: list[int] = []
        for each, spec in zip(made, specs):
            rows += (FIRST_VALUE + each._id, spec, 0, FOLLOWED)
        number = self.write(state, name, tensors, OP_APPLY, rows)
        entry = Entry(
            recorder.writer.string(name), number, next(recorder.node_numbers), state.number, state.call, NODE_CUSTOM,
            in_ids, [each._id for each in made], specs,
        )  # fmt: skip
        for tape in following:
            tape.add(entry, values.trainable)

        @functools.wraps(backward)
        def watched(*gradients: Any) -> Any:
            run = recorder.state().run
            return backward(*gradients) if run is None else run.custom_step(entry, backward, gradients)

        return watched

    def _patch_conversion(self, patches: Patches, name: str) -> None:
        recorder, owner = self._recorder, ops._EagerTensorBase
        session = recorder.session
        original = owner.__dict__.get(name)
        if original is None:
            owner = next((each for each in EagerTensor.__mro__ if name in each.__dict__), None)
            if owner is None or owner is object or owner is EagerTensor:
                return
            original = owner.__dict__[name]

        @functools.wraps(original)
        def convert(tensor: Any, /, *args: Any, **kwargs: Any) -> Any:
            if session.recording:
                with guarded(session):
                    state = recorder.state()
                    for tape in state.tapes:
                        if tensor._id in tape.ids and recorder.frames.is_user(sys._getframe(1).f_code):
                            tape.exits.append(self.write(state, name, (tensor,), OP_LEAVES_GRAPH))
                            break
            return original(tensor, *args, **kwargs)

        patches.replace(owner, name, convert)

    def _patch_failure(self, patches: Patches) -> None:
        """An op that raised: all generated functions come by here."""
        session = self._recorder.session
        original = ops.raise_from_not_ok_status

        @functools.wraps(original)
        def fail(error: Any, name: Any) -> Any:
            try:
                return original(error, name)
            except Exception as raised:  # the script's: noted, and it goes on
                if session.recording:
                    with guarded(session):
                        self._failed(raised, sys._getframe(1))
                raise

        patches.replace(ops, "raise_from_not_ok_status", fail)

    def _failed(self, error: BaseException, frame: Any) -> None:
        recorder, state = self._recorder, self._recorder.state()
        if state.run is not None or state.last_error == id(error):
            return
        if isinstance(error, OutOfRangeError) or frame.f_code.co_name in GUARDS:
            return  # nothing is wrong with the call: a data set has ended, or a guard has found what it looks for
        state.last_error = id(error)
        given: list[Any] = []
        with_locals(frame, lambda names: given.extend(arguments_of(frame.f_code, names)))
        operands = [each for each in given if isinstance(each, (EagerTensor, BaseResourceVariable))]
        number = self.write(state, public_name_of_function(frame.f_code.co_name), operands, OP_RAISED)
        stack = recorder.frames.stack(frame, state.outer_stack, self._layer_code)
        recorder.session.seen_exception(error, "forward", op=number, stack=stack, detail={"framework": "tensorflow"})
