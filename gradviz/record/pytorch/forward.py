"""Records forward calls: a function mode that sees every torch function, its operands before and its results after."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from threading import get_ident
from types import MethodType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gradviz.record.oplog import OP_WIDTH, OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.pytorch.arguments import NOT_SIMPLE, SIMPLE
from gradviz.record.pytorch.functions import ALWAYS, IF_USER
from gradviz.record.pytorch.guard import note_fault
from gradviz.record.pytorch.modules import MODULE_CALL
from gradviz.record.pytorch.rarecalls import Failed, Slow, op_flags
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.record.pytorch.values import FLAGS, SWEEP_EVERY, UNREADABLE, Known, version_of
from gradviz.trace.packing import (
    VALUE_LEAF,
    VALUE_NON_CONTIGUOUS,
    VALUE_PARAMETER,
    VALUE_REQUIRES_GRAD,
    VALUE_VIEW,
)

Tensor = torch.Tensor
Parameter = torch.nn.Parameter
grad_mode = torch.is_grad_enabled
sequence_number = torch._C._autograd._get_sequence_nr
LEAF_WITH_GRAD = VALUE_LEAF | VALUE_REQUIRES_GRAD
MOST_PENDING = 100_000 * OP_WIDTH  # ops without a backward pass
SEQUENCES = (list, tuple)
UNKNOWN = -2  # stack: -1 is one without frames of the user's
PLAIN = (Tensor, Parameter)

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
    session, frames, values = recorder.session, recorder.frames, recorder.values
    arguments_of, arguments_named = recorder.arguments.of, recorder.arguments.named
    known_functions, find = recorder.functions.known, recorder.functions.find
    known, describe, result_of, read, measurable = (
        values.known,
        values.describe,
        values.result,
        values.read,
        values.measurable,
    )
    specs, value_numbers, sweep = values.specs, values.numbers, values.sweep_if_due
    stack_of, is_user = frames.stack, frames.is_user
    op_numbers, ident, getframe, new_leaves = recorder.op_numbers, state.ident, sys._getframe, recorder.new_leaves
    log, made = state.log, state.made
    sequences, add_sequence = state.sequences, state.sequences.append
    add_call, add_spec = state.sequence_calls.append, state.sequence_specs.append
    ops, add_op, add_operands, add_results = log.ops, log.ops.extend, log.operands.extend, log.results.extend

    def call(mode: Any, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        try:
            info = known_functions.get(func)
        except Exception:  # noqa: BLE001  # foreign: a callable that has no hash
            info = None
        if info is None:
            info = find(func)
            if info is None:
                return func(*args, **kwargs) if kwargs else func(*args)
        handling = info.handling
        if not handling or ident != get_ident() or not session.recording:
            return func(*args, **kwargs) if kwargs else func(*args)
        if state.inside and not info.in_place:
            return slow.call_inside(info, func, args, kwargs, getframe(1))
        if handling == IF_USER:
            if len(args) == 1 and type(args[0]) in PLAIN and args[0].is_leaf:
                gradient = func(*args)
                if gradient is not None:  # reading it is no news
                    return gradient
            if not is_user(getframe(1).f_code):
                return func(*args)
            handling = ALWAYS
        frame = getframe(1)

        # Operands, before the call: it may write to them, or raise.
        names = info.string_ids
        operands: list[int] = []
        extra: list[Any] | None = None
        try:
            position = -1
            for value in args:
                position += 1
                entry = known.get(id(value))
                if entry is None or entry() is not value:
                    if type(value) in SIMPLE or not isinstance(value, Tensor):
                        if type(value) not in SEQUENCES or not slow.in_list(value, position, info, operands):
                            if extra is None:
                                extra = []
                            extra += (position, value)
                        continue
                    entry = describe(value, None)
                flags = entry.flags
                name = names[position] if position < len(names) else -1
                if flags <= FLAGS:
                    operands += (entry.number, entry.spec, value._version, flags, name)
                else:
                    operands += (entry.number, entry.spec, version_of(value, entry), flags & FLAGS, name)
            arguments = -1
            if kwargs:
                if extra is None:
                    arguments = arguments_named(info, kwargs)
                    if arguments == NOT_SIMPLE:
                        arguments, extra = -1, []  # tensors alone leave no other argument
                if extra is not None:
                    slow.keywords(kwargs, operands, extra)
            if info.is_hooking:
                args = hooked(state, info, args)
            if extra:
                arguments = arguments_of(info, extra)
            stack = stack_of(frame, state.outer_stack, MODULE_CALL)
        except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
            stack = UNKNOWN
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                note_fault(recorder, fault)
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass
        if stack == UNKNOWN:  # called out here, so that an exception of the script's doesn't get ours as its context
            return func(*args, **kwargs) if kwargs else func(*args)

        state.last_error = 0  # a new error may live where an old one, caught and freed, did
        before = sequence_number()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except BaseException as error:  # the script's: noted, and it goes on
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                slow.raised(error, info, stack, before, arguments, operands, (*args, *(kwargs or {}).values()))
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass
            raise
        after = sequence_number()

        try:
            results: Sequence[int]
            kind = type(result)
            if kind is Tensor or kind is Parameter:  # as values.result has it, without its detours
                entry = known.get(id(result))
                if entry is None or entry() is not result:
                    entry = known[id(result)] = Known(result)
                    entry.number = next(value_numbers)
                    if not entry.number & SWEEP_EVERY:
                        sweep()
                    is_same = False
                else:
                    is_same = info.keeps_looks and entry.flags <= FLAGS and not grad_mode()
                try:
                    version = result._version
                    if is_same:
                        spec, first = entry.spec, entry.flags
                    else:
                        entry.spec = spec = specs[result.shape, result.dtype, result.device, result.layout]
                        if not result.requires_grad:
                            first = VALUE_LEAF
                        else:
                            first = LEAF_WITH_GRAD if result.is_leaf else VALUE_REQUIRES_GRAD
                        if result._is_view():
                            first |= VALUE_VIEW
                        if not result.is_contiguous():
                            first |= VALUE_NON_CONTIGUOUS
                        if kind is Parameter and first & VALUE_LEAF:
                            first |= VALUE_PARAMETER
                        entry.flags = first
                    entry.version = version
                except UNREADABLE:  # a new spec, or an odd kind
                    read(result, entry)
                    spec, version, first = entry.spec, entry.version, entry.flags & FLAGS
                results = (entry.number, spec, version, first)
            elif isinstance(result, Tensor):
                entry = result_of(result)
                spec, first = entry.spec, entry.flags & FLAGS
                results = (entry.number, spec, entry.version, first)
            else:
                results = slow.results(result, info, args)
                if not results and handling != ALWAYS:
                    return result
                spec, first = (results[1], results[3]) if results else (-1, 0)
            if first & VALUE_REQUIRES_GRAD and operands and grad_mode():
                flags = info.flags
            else:
                flags = op_flags(info, operands, results)
            number = next(op_numbers)
            if after != before:
                # The one node of an op with one new result is that result's, and expects a gradient of its shape.
                is_one = after == before + 1
                is_sure = is_one and len(results) == RESULT_WIDTH and first & VALUE_REQUIRES_GRAD and spec in measurable
                if not is_sure or (operands and operands[0] == results[0] and not info.in_place):
                    spec = -1
                if is_one and before == state.first_sequence + len(sequences):
                    add_sequence(number)  # as `made` does, without the call
                    add_call(state.call)
                    add_spec(spec)
                else:
                    made(before, after, number, spec)
            add_operands(operands)
            add_results(results)
            given, returned = len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH
            add_op((number, info.name_id, stack, state.call, before, after, flags, arguments, given, returned))
            if first & LEAF_WITH_GRAD == LEAF_WITH_GRAD:
                new_leaves.setdefault(results[0], stack)
            if len(ops) > MOST_PENDING:
                recorder.overflow(log)
        except Exception as fault:  # noqa: BLE001  # as above
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                note_fault(recorder, fault)
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass
        return result

    return call
