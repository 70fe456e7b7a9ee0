"""Records forward calls: a function mode that sees every torch function, its operands before and its results after."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from threading import get_ident
from types import FrameType, MethodType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gradviz.record.pytorch.functions import ALWAYS, IF_USER, FunctionInfo
from gradviz.record.pytorch.guard import note_fault
from gradviz.record.pytorch.modules import MODULE_CALL
from gradviz.record.pytorch.oplog import OP_WIDTH, OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.record.pytorch.values import FLAGS, Known, version_of
from gradviz.trace.packing import (
    OP_FACTORY,
    OP_IN_PLACE,
    OP_INFERENCE,
    OP_LEAVES_GRAPH,
    OP_NO_GRAD,
    OP_RAISED,
    VALUE_LEAF,
    VALUE_LIST_ITEM,
    VALUE_REQUIRES_GRAD,
)

Tensor = torch.Tensor
grad_mode = torch.is_grad_enabled
sequence_number = torch._C._autograd._get_sequence_nr
LEAF_WITH_GRAD = VALUE_LEAF | VALUE_REQUIRES_GRAD
MOST_PENDING = 100_000 * OP_WIDTH  # ops without a backward pass
SEQUENCES = (list, tuple)
PLAIN = (torch.Tensor, torch.nn.Parameter)
MOST_ITEMS = 256  # tensors of one list argument, results of one call

Failed = Callable[[BaseException, int, int, list[int], Sequence[Any]], None]
Hooked = Callable[[ThreadState, Any, Sequence[Any]], tuple[Any, ...]]


class RecordingMode(TorchFunctionMode):
    """One per thread. Torch calls the instance's own `__torch_function__`, a closure: every call pays for it."""

    def __init__(self, recorder: Recorder, state: ThreadState, failed: Failed, hooked: Hooked) -> None:
        super().__init__()
        call = make_recording(recorder, state, Slow(recorder, state, failed), hooked)
        self.__dict__["__torch_function__"] = MethodType(call, self)


def make_recording(recorder: Recorder, state: ThreadState, slow: Slow, hooked: Hooked) -> Callable[..., Any]:
    """What every torch function goes through: operands before the call, results after it.

    One long function on purpose: each call of another, and each attribute, would be paid for every op of the script.
    """
    session, frames, values, arguments_of = recorder.session, recorder.frames, recorder.values, recorder.arguments.of
    known_functions, learn = recorder.functions.known, recorder.functions.learn
    known, describe, describe_plain, measurable = values.known, values.describe, values.result, values.measurable
    stack_of, is_user, new_leaves = frames.stack, frames.is_user, recorder.new_leaves
    op_numbers, ident, getframe = recorder.op_numbers, state.ident, sys._getframe
    log_of, made = state, state.made

    def call(mode: Any, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        info = known_functions.get(func)
        if info is None:
            info = learn(func)
        handling = info.handling
        if not handling or ident != get_ident() or not session.recording:
            return func(*args, **kwargs) if kwargs else func(*args)
        if state.inside and not info.in_place:
            return slow.call_inside(info, func, args, kwargs, getframe(1))
        frame = getframe(1)
        if handling == IF_USER:
            if not is_user(frame.f_code) or (len(args) == 1 and slow.has_gradient(args[0])):
                return func(*args)
            handling = ALWAYS

        # Operands, before the call: it may write to them, or raise.
        names = info.string_ids
        operands: list[int] = []
        extra: list[Any] = []
        try:
            position = -1
            for value in args:
                position += 1
                if isinstance(value, Tensor):
                    entry = known.get(id(value))
                    if entry is None or entry() is not value:
                        entry = describe(value, None)
                    flags = entry.flags
                    name = names[position] if position < len(names) else -1
                    if flags <= FLAGS:
                        operands += (entry.number, entry.spec, value._version, flags, name)
                    else:
                        operands += (entry.number, entry.spec, version_of(value, entry), flags & FLAGS, name)
                elif type(value) not in SEQUENCES or not slow.in_list(value, position, info, operands):
                    extra += (position, value)
            if kwargs:
                slow.keywords(kwargs, operands, extra)
            if info.is_hooking:
                args = hooked(state, info, args)
            arguments = arguments_of(info, extra) if extra else -1
            stack = stack_of(frame, state.outer_stack, MODULE_CALL)
        except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
            note_fault(recorder, fault)
            return func(*args, **kwargs) if kwargs else func(*args)

        state.last_error = 0  # a new error may live where an old one, caught and freed, did
        before = sequence_number()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except BaseException as error:
            slow.raised(error, info, stack, before, arguments, operands, (*args, *(kwargs or {}).values()))
            raise
        after = sequence_number()

        try:
            if isinstance(result, Tensor):
                entry = describe_plain(result)
                first = entry.flags & FLAGS
                results = [entry.number, entry.spec, entry.version, first]
            else:
                results = slow.results(result, info, args)
                if not results and handling != ALWAYS:
                    return result
                first = results[3] if results else 0
            if first & VALUE_REQUIRES_GRAD and operands and grad_mode():
                flags = info.flags
            else:
                flags = op_flags(info, operands, results)
            number = next(op_numbers)
            if after != before:
                # The one node of an op with one new result is that result's, and expects a gradient of its shape.
                sure = after == before + 1 and len(results) == RESULT_WIDTH and first & VALUE_REQUIRES_GRAD
                if sure and operands and operands[0] == results[0] and not info.in_place:
                    sure = False
                spec = results[1] if sure and results[1] in measurable else -1
                if after == before + 1 and before == state.first_sequence + len(state.sequences):
                    state.sequences.append(number)  # as `made` does, without the call
                    state.sequence_calls.append(state.call)
                    state.sequence_specs.append(spec)
                else:
                    made(before, after, number, spec)
            log = log_of.log
            log.operands += operands
            log.results += results
            counts = (len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)
            log.ops += (number, info.name_id, stack, state.call, before, after, flags, arguments, *counts)
            if len(log.ops) > MOST_PENDING:
                recorder.overflow(log)
            if first & LEAF_WITH_GRAD == LEAF_WITH_GRAD:
                new_leaves.setdefault(results[0], stack)
        except Exception as fault:  # noqa: BLE001  # as above
            note_fault(recorder, fault)
        return result

    return call


class Slow:
    """The rarer parts of recording a call."""

    def __init__(self, recorder: Recorder, state: ThreadState, failed: Failed) -> None:
        self._recorder = recorder
        self._state = state
        self._values = recorder.values
        self._failed = failed

    def has_gradient(self, tensor: Any) -> bool:
        """Whether reading `.grad` is no news: a leaf that has one."""
        return bool(type(tensor) in PLAIN and tensor.is_leaf and tensor.grad is not None)

    # -- operands and results

    def in_list(self, values: Sequence[Any], position: int, info: FunctionInfo, operands: list[int]) -> bool:
        """Append the tensors in a list argument; False if there are none."""
        found = False
        name = info.string_ids[position] if position < len(info.string_ids) else -1
        for value in values[:MOST_ITEMS]:
            if isinstance(value, Tensor):
                found = True
                self._operand(value, name, VALUE_LIST_ITEM, operands)
            elif type(value) in (list, tuple):
                found |= self.in_list(value, position, info, operands)
        return found

    def _operand(self, value: Any, name: int, more: int, operands: list[int]) -> Known:
        entry = self._values.lookup(value)
        operands += (entry.number, entry.spec, version_of(value, entry), entry.flags & FLAGS | more, name)
        return entry

    def keywords(self, kwargs: dict[str, Any], operands: list[int], extra: list[Any]) -> None:
        for name, value in kwargs.items():
            if isinstance(value, Tensor):
                self._operand(value, self._recorder.writer.string(name), 0, operands)
            elif value is None:
                continue
            elif isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value[:MOST_ITEMS]):
                number = self._recorder.writer.string(name)
                for each in value[:MOST_ITEMS]:
                    if isinstance(each, Tensor):
                        self._operand(each, number, VALUE_LIST_ITEM, operands)
            else:
                extra += (name, value)

    def results(self, result: Any, info: FunctionInfo, args: Sequence[Any]) -> list[int]:
        """Rows of the results."""
        rows: list[int] = []
        if isinstance(result, Tensor):
            self._many_results((result,), rows)
        elif isinstance(result, (list, tuple)):
            self._many_results(result, rows)
        elif info.in_place and args and isinstance(args[0], Tensor):  # a setter, x[i] = y: it returns nothing
            self._many_results(args[:1], rows)
        return rows

    def _many_results(self, results: Sequence[Any], rows: list[int]) -> None:
        for each in results[:MOST_ITEMS]:
            if isinstance(each, Tensor):
                entry = self._values.result(each)
                rows += (entry.number, entry.spec, entry.version, entry.flags & FLAGS)
            elif isinstance(each, (list, tuple)):
                self._many_results(each, rows)

    # -- calls that end otherwise

    def call_inside(
        self, info: FunctionInfo, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        """A call in a custom forward or backward: of no interest unless it raises, or makes nodes after all."""
        before = sequence_number()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except BaseException as error:
            operands: list[int] = []
            extra: list[Any] = []
            self._all_operands(info, args, kwargs, operands, extra)
            arguments = self._recorder.arguments.of(info, extra) if extra else -1
            stack = self._recorder.frames.stack(frame)
            self.raised(error, info, stack, before, arguments, operands, (*args, *(kwargs or {}).values()))
            raise
        after = sequence_number()
        if after != before and grad_mode():  # checkpoint's second forward, a graph of the gradient itself
            self._record_after(info, frame, before, after, args, kwargs, result)
        return result

    def _all_operands(
        self,
        info: FunctionInfo,
        args: Sequence[Any],
        kwargs: dict[str, Any] | None,
        operands: list[int],
        extra: list[Any],
    ) -> None:
        for position, value in enumerate(args):
            name = info.string_ids[position] if position < len(info.string_ids) else -1
            if isinstance(value, Tensor):
                self._operand(value, name, 0, operands)
            elif not (type(value) in (list, tuple) and self.in_list(value, position, info, operands)):
                extra += (position, value)
        self.keywords(kwargs or {}, operands, extra)

    def _record_after(
        self, info: FunctionInfo, frame: Any, before: int, after: int, args: Any, kwargs: Any, result: Any
    ) -> None:
        operands: list[int] = []
        extra: list[Any] = []
        self._all_operands(info, args, kwargs, operands, extra)
        results = self.results(result, info, args)
        number = next(self._recorder.op_numbers)
        self._state.made(before, after, number)
        arguments = self._recorder.arguments.of(info, extra) if extra else -1
        flags = op_flags(info, operands, results)
        self._append(
            number, info, self._recorder.frames.stack(frame), before, after, flags, arguments, operands, results
        )

    def _append(
        self, number: int, info: FunctionInfo, stack: int, before: int, after: int, flags: int, arguments: int,
        operands: list[int], results: list[int],
    ) -> None:  # fmt: skip
        log = self._state.log
        log.operands += operands
        log.results += results
        row = (number, info.name_id, stack, self._state.call, before, after, flags, arguments)
        log.ops += (*row, len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)

    def raised(
        self, error: BaseException, info: FunctionInfo, stack: int, before: int, arguments: int, operands: list[int],
        values: Sequence[Any],
    ) -> None:  # fmt: skip
        """Keep the innermost op that an exception left, with its operands."""
        state = self._state
        if state.last_error == id(error) or not isinstance(error, Exception) or type(error).__name__.startswith("_"):
            return  # a private one steers torch itself: checkpoint ends its second forward by one
        state.last_error = id(error)
        number = next(self._recorder.op_numbers)
        flags = OP_RAISED | (OP_IN_PLACE if info.in_place else 0) | (0 if grad_mode() else OP_NO_GRAD)
        self._append(number, info, stack, before, before, flags, arguments, operands, [])
        self._failed(error, number, stack, operands, values)


def op_flags(info: FunctionInfo, operands: Sequence[int], results: Sequence[int]) -> int:
    """OP_* of a call that returned."""
    flags = info.flags
    if not grad_mode():
        flags |= OP_NO_GRAD
        if torch.is_inference_mode_enabled():
            flags |= OP_INFERENCE
    if info.factory or not operands:
        return flags | OP_FACTORY
    if info.in_place or info.is_hooking or info.handling == IF_USER:
        return flags
    for each in results[3::RESULT_WIDTH]:
        if each & VALUE_REQUIRES_GRAD:
            return flags
    for each in operands[3::OPERAND_WIDTH]:
        if each & VALUE_REQUIRES_GRAD:
            return flags | OP_LEAVES_GRAPH
    return flags
