"""Custom functions: a call of `Function.apply` is a forward op of its own; what its forward computes inside is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch

from gradviz.record.oplog import OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.pytorch.functions import NORMAL, FunctionInfo
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.modules import MODULE_CALL
from gradviz.record.pytorch.rarecalls import Failed
from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.values import FLAGS, version_of
from gradviz.trace.packing import (
    OP_APPLY,
    OP_LEAVES_GRAPH,
    OP_NO_GRAD,
    OP_RAISED,
    VALUE_LIST_ITEM,
    VALUE_REQUIRES_GRAD,
)

sequence_number = torch._C._autograd._get_sequence_nr


class Applies:
    """Records calls of `Function.apply`."""

    def __init__(self, recorder: Recorder, failed: Failed) -> None:
        self._recorder = recorder
        self._failed = failed
        self._known: dict[Any, FunctionInfo] = {}

    def call(self, original: Callable[..., Any], cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run `cls.apply` and record it."""
        recorder = self._recorder
        state = recorder.state()
        info = self._known.get(cls)
        if info is None:
            info = self._known[cls] = FunctionInfo(cls.__name__, NORMAL, forward_parameters(cls), recorder.writer)
        operands: list[int] = []
        arguments = stack = -1
        with guarded(recorder), torch._C.DisableTorchFunction():  # no mode shall see what we read
            arguments = self._arguments(info, args, operands)
            stack = recorder.frames.stack(sys._getframe(2), state.outer_stack, MODULE_CALL)
        before = sequence_number()
        state.last_error = 0
        state.inside += 1
        try:
            result = original(cls, *args, **kwargs)
        except BaseException as error:  # the script's: noted, and it goes on
            if state.last_error != id(error) and isinstance(error, Exception):
                state.last_error = id(error)
                try:
                    number = self._append(info, stack, before, before, OP_APPLY | OP_RAISED, arguments, operands, [])
                    self._failed(error, number, stack, operands, args)
                except RecursionError:  # the script is about to reach its limit, and does so by itself
                    pass
            raise
        finally:
            state.inside -= 1
        with guarded(recorder), torch._C.DisableTorchFunction():
            self._returned(info, stack, before, arguments, operands, result)
        return result

    def _arguments(self, info: FunctionInfo, args: Sequence[Any], operands: list[int]) -> int:
        extra: list[Any] = []
        for position, value in enumerate(args):
            name = info.string_ids[position] if position < len(info.string_ids) else -1
            if not self._operand(value, name, 0, operands):
                extra += (position, value)
        return self._recorder.arguments.of(info, extra) if extra else -1

    def _returned(
        self, info: FunctionInfo, stack: int, before: int, arguments: int, operands: list[int], result: Any
    ) -> None:
        after = sequence_number()
        results: list[int] = []
        for each in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(each, torch.Tensor):
                entry = self._recorder.values.result(each)
                results += (entry.number, entry.spec, entry.version, entry.flags & FLAGS)
        flags = OP_APPLY if torch.is_grad_enabled() else OP_APPLY | OP_NO_GRAD
        if _needs_grad(operands[3::OPERAND_WIDTH]) and results and not _needs_grad(results[3::RESULT_WIDTH]):
            flags |= OP_LEAVES_GRAPH
        self._append(info, stack, before, after, flags, arguments, operands, results)

    def _operand(self, value: Any, name: int, more: int, operands: list[int]) -> bool:
        if isinstance(value, torch.Tensor):
            entry = self._recorder.values.lookup(value)
            operands += (entry.number, entry.spec, version_of(value, entry), entry.flags & FLAGS | more, name)
            return True
        if type(value) in (list, tuple):
            return any(self._operand(each, name, VALUE_LIST_ITEM, operands) for each in value)
        return False

    def _append(
        self, info: FunctionInfo, stack: int, before: int, after: int, flags: int, arguments: int,
        operands: list[int], results: list[int],
    ) -> int:  # fmt: skip
        state = self._recorder.state()
        number = next(self._recorder.op_numbers)
        if after != before:
            state.made(before, after, number)
        log = state.log
        log.operands += operands
        log.results += results
        row = (number, info.name_id, stack, state.call, before, after, flags, arguments)
        log.ops += (*row, len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)
        return number


def forward_parameters(cls: Any) -> tuple[str, ...]:
    """The parameters of a custom forward, without its context; a starred one begins with a star."""
    code = getattr(cls.forward, "__code__", None)
    if code is None:
        return ()
    names = list(code.co_varnames[: code.co_argcount])
    if code.co_flags & 4:  # *args
        names.append("*" + code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
    takes_context = cls.setup_context is torch.autograd.function._SingleLevelFunction.setup_context
    return tuple(names[1:] if takes_context else names)


def _needs_grad(flags: Sequence[int]) -> bool:
    return any(each & VALUE_REQUIRES_GRAD for each in flags)
