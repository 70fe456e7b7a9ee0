"""`Variable(x)` and `Parameter(x)`: classes whose construction takes a tensor and gives one without its graph.

No function mode hears of it. Parameters that are made of plain numbers, as a model's own are, are no news.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from gradviz.record.oplog import OPERAND_WIDTH, RESULT_WIDTH
from gradviz.record.patches import Patches
from gradviz.record.pytorch.functions import NORMAL, FunctionInfo
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.modules import MODULE_CALL
from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.values import FLAGS, version_of
from gradviz.trace.packing import OP_LEAVES_GRAPH, OP_NO_GRAD, VALUE_REQUIRES_GRAD

CLASSES = (("Variable", torch.autograd.Variable), ("Parameter", torch.nn.Parameter))
sequence_number = torch._C._autograd._get_sequence_nr


class Constructors:
    """Records what these classes cut off."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Put ours in front of `type.__call__`: a class's own `__new__` stays what it is."""
        for name, cls in CLASSES:
            info = FunctionInfo(name, NORMAL, ("data", "requires_grad"), self._recorder.writer)
            patches.replace(type(cls), "__call__", self._watched(type(cls).__call__, info))

    def _watched(self, original: Callable[..., Any], info: FunctionInfo) -> Callable[..., Any]:
        session = self._recorder.session

        def __call__(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
            data = args[0] if args else kwargs.get("data")
            if not session.recording or not isinstance(data, torch.Tensor):
                return original(cls, *args, **kwargs)
            state = self._recorder.state()
            operand: list[int] = []
            if not state.inside:
                with guarded(self._recorder), torch._C.DisableTorchFunction():  # no mode shall see what we read
                    operand = self._operand(data, info)
            result = original(cls, *args, **kwargs)
            if operand and isinstance(result, torch.Tensor):
                with guarded(self._recorder), torch._C.DisableTorchFunction():
                    self._append(info, operand, result)
            return result

        return __call__

    def _operand(self, data: Any, info: FunctionInfo) -> list[int]:
        if not data.requires_grad and info.name == "Parameter":
            return []
        entry = self._recorder.values.lookup(data)
        name = info.string_ids[0]
        return [entry.number, entry.spec, version_of(data, entry), entry.flags & FLAGS, name]

    def _append(self, info: FunctionInfo, operands: list[int], result: Any) -> None:
        recorder = self._recorder
        state = recorder.state()
        entry = recorder.values.result(result)
        results = [entry.number, entry.spec, entry.version, entry.flags & FLAGS]
        stack = recorder.frames.stack(sys._getframe(2), state.outer_stack, MODULE_CALL)
        flags = 0 if torch.is_grad_enabled() else OP_NO_GRAD
        if operands[3] & VALUE_REQUIRES_GRAD:
            flags |= OP_LEAVES_GRAPH
        now = sequence_number()
        log = state.log
        log.operands += operands
        log.results += results
        row = (next(recorder.op_numbers), info.name_id, stack, state.call, now, now, flags, -1)
        log.ops += (*row, len(operands) // OPERAND_WIDTH, len(results) // RESULT_WIDTH)
        if results[3] & VALUE_REQUIRES_GRAD:
            recorder.new_leaves.setdefault(entry.number, stack)
