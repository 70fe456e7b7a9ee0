"""Records forward calls: a function mode that sees every torch function, its operands before and its results after."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gradviz.record.pytorch.functions import ALWAYS, GRAD_READ, PASS, FunctionInfo
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
MOST_ITEMS = 256  # tensors of one list argument, results of one call

Failed = Callable[[BaseException, int, int, list[int], Sequence[Any]], None]
Hooked = Callable[[ThreadState, Any, Sequence[Any]], tuple[Any, ...]]


class RecordingMode(TorchFunctionMode):  # type: ignore[misc]  # torch is untyped where mypy looks
    """One per thread. `failed` is told of an op that raised: error, op, stack, operand rows, tensors."""

    def __init__(self, recorder: Recorder, state: ThreadState, failed: Failed, hooked: Hooked) -> None:
        super().__init__()
        self._recorder = recorder
        self._session = recorder.session
        self._state = state
        self._ident = state.ident
        self._functions = recorder.functions.known
        self._values = recorder.values
        self._known = recorder.values.known
        self._failed = failed
        self._hooked = hooked

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        info = self._functions.get(func)
        if info is None:
            info = self._recorder.functions.learn(func)
        handling = info.handling
        if handling == PASS or self._ident != get_ident() or not self._session.recording:
            return func(*args, **kwargs) if kwargs else func(*args)
        state = self._state
        if state.inside and not info.in_place:
            return self._call_inside(info, func, args, kwargs)
        frame: FrameType = sys._getframe(1)
        if handling == GRAD_READ and not self._recorder.frames.is_user(frame.f_code):
            return func(*args)

        # Operands, before the call: it may write to them, or raise.
        known, names = self._known, info.string_ids
        operands: list[int] = []
        extra: list[Any] = []
        position = 0
        for value in args:
            if isinstance(value, Tensor):
                entry = known.get(id(value))
                if entry is None or entry() is not value:
                    entry = self._values.describe(value, None)
                flags = entry.flags
                operands += (
                    entry.number,
                    entry.spec,
                    value._version if flags <= FLAGS else -1,
                    flags & FLAGS,
                    names[position] if position < len(names) else -1,
                )
            elif not (type(value) in (list, tuple) and self._list(value, position, info, operands)):
                extra += (position, value)
            position += 1
        if kwargs:
            self._keywords(kwargs, info, operands, extra)
        if info.is_hooking:
            args = self._hooked(state, info, args)
        arguments = self._recorder.arguments.of(info, extra) if extra else -1
        stack = self._recorder.frames.stack(frame)

        before = sequence_number()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except BaseException as error:
            self._raised(error, info, stack, before, arguments, operands, (*args, *(kwargs or {}).values()))
            raise
        after = sequence_number()

        results, first = self._results(result, info, args, kwargs)
        if not results and handling != ALWAYS and not (handling == GRAD_READ and result is None):
            return result
        flags = op_flags(info, operands, results)
        number = next(self._recorder.op_numbers)
        if after != before:
            state.made(before, after, number)
        state.last_error = 0
        log = state.log
        log.operands += operands
        log.results += results
        log.ops += (
            number, info.name_id, stack, state.call, before, after, flags, arguments, len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH
        )  # fmt: skip
        if len(log.ops) > MOST_PENDING:
            self._recorder.overflow(log)
        if first & LEAF_WITH_GRAD == LEAF_WITH_GRAD:
            self._recorder.new_leaves.setdefault(results[0], stack)
        return result

    # -- operands and results

    def _list(self, values: Sequence[Any], position: int, info: FunctionInfo, operands: list[int]) -> bool:
        """Append the tensors in a list argument; False if there are none."""
        found = False
        name = info.string_ids[position] if position < len(info.string_ids) else -1
        for value in values[:MOST_ITEMS]:
            if isinstance(value, Tensor):
                found = True
                self._operand(value, name, VALUE_LIST_ITEM, operands)
            elif type(value) in (list, tuple):
                found |= self._list(value, position, info, operands)
        return found

    def _operand(self, value: Any, name: int, more: int, operands: list[int]) -> Known:
        entry = self._values.lookup(value)
        operands += (entry.number, entry.spec, version_of(value, entry), entry.flags & FLAGS | more, name)
        return entry

    def _keywords(self, kwargs: dict[str, Any], info: FunctionInfo, operands: list[int], extra: list[Any]) -> None:
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

    def _results(
        self, result: Any, info: FunctionInfo, args: Sequence[Any], kwargs: dict[str, Any] | None
    ) -> tuple[list[int], int]:
        """Rows of the results, and the flags of the first."""
        if isinstance(result, Tensor):
            entry = self._values.result(result)
            flags = entry.flags & FLAGS
            return [entry.number, entry.spec, entry.version, flags], flags
        rows: list[int] = []
        if isinstance(result, (list, tuple)):
            self._many_results(result, rows)
        elif info.in_place and args and isinstance(args[0], Tensor):  # a setter, x[i] = y: it returns nothing
            self._many_results(args[:1], rows)
        return rows, rows[3] if rows else 0

    def _many_results(self, results: Sequence[Any], rows: list[int]) -> None:
        for each in results[:MOST_ITEMS]:
            if isinstance(each, Tensor):
                entry = self._values.result(each)
                rows += (entry.number, entry.spec, entry.version, entry.flags & FLAGS)
            elif isinstance(each, (list, tuple)):
                self._many_results(each, rows)

    # -- calls that end otherwise

    def _call_inside(
        self, info: FunctionInfo, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None
    ) -> Any:
        """A call in a custom forward or backward: of no interest unless it raises, or makes nodes after all."""
        before = sequence_number()
        frame = sys._getframe(2)
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except BaseException as error:
            operands: list[int] = []
            extra: list[Any] = []
            self._all_operands(info, args, kwargs, operands, extra)
            arguments = self._recorder.arguments.of(info, extra) if extra else -1
            stack = self._recorder.frames.stack(frame)
            self._raised(error, info, stack, before, arguments, operands, (*args, *(kwargs or {}).values()))
            raise
        after = sequence_number()
        if after != before and grad_mode():  # checkpoint's second forward, a graph of the gradient itself
            self._record_after(info, frame, before, after, args, kwargs, result)
        return result

    def _all_operands(
        self, info: FunctionInfo, args: Sequence[Any], kwargs: dict[str, Any] | None, operands: list[int], extra: list[Any]
    ) -> None:
        for position, value in enumerate(args):
            name = info.string_ids[position] if position < len(info.string_ids) else -1
            if isinstance(value, Tensor):
                self._operand(value, name, 0, operands)
            elif not (type(value) in (list, tuple) and self._list(value, position, info, operands)):
                extra += (position, value)
        self._keywords(kwargs or {}, info, operands, extra)

    def _record_after(
        self, info: FunctionInfo, frame: Any, before: int, after: int, args: Any, kwargs: Any, result: Any
    ) -> None:
        operands: list[int] = []
        extra: list[Any] = []
        self._all_operands(info, args, kwargs, operands, extra)
        results, _ = self._results(result, info, args, kwargs)
        number = next(self._recorder.op_numbers)
        self._state.made(before, after, number)
        arguments = self._recorder.arguments.of(info, extra) if extra else -1
        flags = op_flags(info, operands, results)
        self._append(number, info, self._recorder.frames.stack(frame), before, after, flags, arguments, operands, results)

    def _append(
        self, number: int, info: FunctionInfo, stack: int, before: int, after: int, flags: int, arguments: int,
        operands: list[int], results: list[int],
    ) -> None:  # fmt: skip
        log = self._state.log
        log.operands += operands
        log.results += results
        row = (number, info.name_id, stack, self._state.call, before, after, flags, arguments)
        log.ops += (*row, len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)

    def _raised(
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
    flags = OP_IN_PLACE if info.in_place else 0
    if not grad_mode():
        flags |= OP_NO_GRAD
        if torch.is_inference_mode_enabled():
            flags |= OP_INFERENCE
    if info.factory or not operands:
        return flags | OP_FACTORY
    if info.in_place or info.is_hooking or info.handling == GRAD_READ:
        return flags
    for each in results[3::RESULT_WIDTH]:
        if each & VALUE_REQUIRES_GRAD:
            return flags
    for each in operands[3::OPERAND_WIDTH]:
        if each & VALUE_REQUIRES_GRAD:
            return flags | OP_LEAVES_GRAPH
    return flags
