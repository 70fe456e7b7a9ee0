"""Forward calls that raise: the innermost is kept with its operands, and the graph that had come about until then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from traceback import walk_tb
from typing import Any

import torch

from gradviz.record.oplog import CALL_COMPLETED, CALL_WIDTH, OPERAND_WIDTH
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.record.pytorch.values import FLAGS, version_of
from gradviz.trace.packing import OP_RAISED

ENOUGH = "_StopRecomputationError"  # torch.utils.checkpoint ends a forward that it repeats with it: nothing failed
MOST = 50  # a script that tries things out may raise at will
Partial = Callable[[ThreadState, int, int, Sequence[Any], BaseException], None]


class Failures:
    """Writes them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._count = 0
        self.partial: Partial | None = None  # engine.Engine.partial

    def op_failed(
        self, error: BaseException, op: int, stack: int, operands: Sequence[int], values: Sequence[Any]
    ) -> None:
        """An op raised; its row stands in the log."""
        recorder, partial = self._recorder, self.partial
        _mark_open_calls(recorder.state())
        if type(error).__name__ == ENOUGH:
            return
        self._count += 1
        if self._count > MOST or partial is None:
            return
        with guarded(recorder), torch._C.DisableTorchFunction():
            partial(recorder.state(), op, stack, values, error)

    def module_failed(self, error: BaseException, module: Any, stack: int, values: Iterable[Any]) -> None:
        """A module raised by itself, in code of torch's (an LSTM that checks its input): told as an op of its name."""
        recorder = self._recorder
        innermost = [frame for frame, _ in walk_tb(error.__traceback__)][-1]
        raised_in = str(innermost.f_globals.get("__name__", ""))
        if recorder.frames.is_user(innermost.f_code) or not raised_in.startswith("torch."):
            return
        state = recorder.state()
        state.last_error = id(error)
        values = list(values)
        with guarded(recorder):
            operands: list[int] = []
            for value in values:
                if isinstance(value, torch.Tensor):
                    entry = recorder.values.lookup(value)
                    operands += (entry.number, entry.spec, version_of(value, entry), entry.flags & FLAGS, -1)
            number = next(recorder.op_numbers)
            name = recorder.writer.string(type(module).__name__)
            log = state.log
            log.operands += operands
            log.ops += (number, name, stack, state.call, -1, -1, OP_RAISED, -1, len(operands) // OPERAND_WIDTH, 0)
            self.op_failed(error, number, stack, operands, values)


def _mark_open_calls(state: ThreadState) -> None:
    """The calls that the exception is about to leave are written now, so they are told as not completed now."""
    calls, open_numbers = state.log.calls, {call.number for call in state.calls}
    for row in range(0, len(calls), CALL_WIDTH):
        if calls[row] in open_numbers:
            calls[row + CALL_COMPLETED] = 0
