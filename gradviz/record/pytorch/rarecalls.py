"""The rarer parts of recording a forward call: tensors in lists, keyword arguments, setters, calls that raise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch

from gradviz.record.oplog import OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.pytorch.arguments import SIMPLE
from gradviz.record.pytorch.functions import IF_USER, FunctionInfo
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.record.pytorch.values import FLAGS, Known, version_of
from gradviz.trace.packing import (
    OP_FACTORY,
    OP_IN_PLACE,
    OP_INFERENCE,
    OP_LEAVES_GRAPH,
    OP_NO_GRAD,
    OP_RAISED,
    VALUE_LIST_ITEM,
    VALUE_REQUIRES_GRAD,
)

Tensor = torch.Tensor
grad_mode = torch.is_grad_enabled
sequence_number = torch._C._autograd._get_sequence_nr
MOST_ITEMS = 256  # tensors of one list argument, results of one call

Failed = Callable[[BaseException, int, int, list[int], Sequence[Any]], None]


class Slow:
    """The rarer parts of recording a call."""

    def __init__(self, recorder: Recorder, state: ThreadState, failed: Failed) -> None:
        self._recorder = recorder
        self._state = state
        self._values = recorder.values
        self._failed = failed

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
            if value is None:
                continue
            if type(value) in SIMPLE:
                extra += (name, value)
            elif isinstance(value, Tensor):
                self._operand(value, self._recorder.writer.string(name), 0, operands)
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
        except BaseException as error:  # the script's: noted, and it goes on
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                self._raised_inside(error, info, frame, before, args, kwargs)
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass
            raise
        after = sequence_number()
        if after != before and grad_mode():  # checkpoint's second forward, a graph of the gradient itself
            self._record_after(info, frame, before, after, args, kwargs, result)
        return result

    def _raised_inside(
        self, error: BaseException, info: FunctionInfo, frame: FrameType, before: int, args: Sequence[Any], kwargs: Any
    ) -> None:
        operands: list[int] = []
        with guarded(self._recorder):
            arguments = self._all_operands(info, args, kwargs, operands)
            stack = self._recorder.frames.stack(frame)
            self.raised(error, info, stack, before, arguments, operands, (*args, *(kwargs or {}).values()))

    def _all_operands(
        self, info: FunctionInfo, args: Sequence[Any], kwargs: dict[str, Any] | None, operands: list[int]
    ) -> int:
        """Append the rows of all operands; the id of the other arguments."""
        extra: list[Any] = []
        for position, value in enumerate(args):
            name = info.string_ids[position] if position < len(info.string_ids) else -1
            if isinstance(value, Tensor):
                self._operand(value, name, 0, operands)
            elif not (type(value) in (list, tuple) and self.in_list(value, position, info, operands)):
                extra += (position, value)
        self.keywords(kwargs or {}, operands, extra)
        return self._recorder.arguments.of(info, extra) if extra else -1

    def _record_after(
        self, info: FunctionInfo, frame: Any, before: int, after: int, args: Any, kwargs: Any, result: Any
    ) -> None:
        operands: list[int] = []
        arguments = self._all_operands(info, args, kwargs, operands)
        results = self.results(result, info, args)
        number = next(self._recorder.op_numbers)
        self._state.made(before, after, number)
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
