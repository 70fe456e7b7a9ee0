"""Optimizer steps: one op for the whole step, naming the parameters it wrote to, instead of hundreds inside it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch

from gradviz.record.oplog import OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.patches import Patches
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.modes import mode_off
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.record.pytorch.values import FLAGS, version_of
from gradviz.trace.packing import OP_IN_PLACE, OP_NO_GRAD

Step = Callable[..., Any]


class OptimizerSteps:
    """Torch wraps `step` of every optimizer class once, when the first one is made: there ours goes in below."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._name = recorder.writer.string("params")

    def install(self, patches: Patches) -> None:
        """Wrap the wrapping."""
        optimizer = torch.optim.Optimizer
        original = getattr(optimizer, "profile_hook_step", None)
        if original is None:
            return

        def profile_hook_step(step: Step) -> Step:
            return original(self._watched(step))  # type: ignore[no-any-return]  # as torch has it

        patches.replace(optimizer, "profile_hook_step", staticmethod(profile_hook_step))
        for cls in _all_subclasses(optimizer):  # those that had instances before
            step: Any = cls.__dict__.get("step")
            if getattr(step, "hooked", False):
                patches.replace(cls, "step", self._watched(step))

    def _watched(self, step: Step) -> Step:
        session = self._recorder.session

        @functools.wraps(step)
        def watched(optimizer: Any, /, *args: Any, **kwargs: Any) -> Any:
            takes_closure = any(each is not None for each in (*args, *kwargs.values()))
            own_code = not type(optimizer).__module__.startswith("torch.")
            if not session.recording or takes_closure or own_code:
                return step(optimizer, *args, **kwargs)
            state = self._recorder.state()
            before: list[int] = []
            with guarded(self._recorder), torch._C.DisableTorchFunction():
                before = self._versions(optimizer)
            with mode_off(state):
                result = step(optimizer, *args, **kwargs)
                with guarded(self._recorder):
                    self._record(state, optimizer, before)
            return result

        return watched

    def _versions(self, optimizer: Any) -> list[int]:
        """Operand rows of its parameters."""
        lookup, name = self._recorder.values.lookup, self._name
        rows: list[int] = []
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                entry = lookup(parameter)
                rows += (entry.number, entry.spec, version_of(parameter, entry), entry.flags & FLAGS, name)
        return rows

    def _record(self, state: ThreadState, optimizer: Any, operands: list[int]) -> None:
        recorder = self._recorder
        after = self._versions(optimizer)
        results: list[int] = []
        for at in range(0, min(len(operands), len(after)), OPERAND_WIDTH):
            if after[at + 2] != operands[at + 2]:
                results += after[at : at + RESULT_WIDTH]
        number = next(recorder.op_numbers)
        name = recorder.writer.string(f"{type(optimizer).__name__}.step")
        stack = recorder.frames.stack(sys._getframe(2))
        log = state.log
        log.operands += operands
        log.results += results
        row = (number, name, stack, state.call, -1, -1, OP_IN_PLACE | OP_NO_GRAD, -1)
        log.ops += (*row, len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)


def _all_subclasses(cls: type) -> set[type]:
    found: set[type] = set(cls.__subclasses__())
    return found.union(*(_all_subclasses(each) for each in found))
