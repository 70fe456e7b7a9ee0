"""What a custom backward returns, before the engine sums, casts or refuses it."""

from __future__ import annotations

import functools
from typing import Any

import torch

from gradviz.record.patches import Patches
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.modes import mode_on
from gradviz.record.pytorch.passes import TorchPass
from gradviz.record.pytorch.state import Recorder

BackwardCFunction = torch.autograd.function.BackwardCFunction


class CustomBackwards:
    """Wraps the class attribute that the engine looks up at each call."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Wrap `apply`, and `apply_boxed` where there is one."""
        for name in ("apply", "apply_boxed"):
            original = BackwardCFunction.__dict__.get(name)
            if original is not None:
                patches.replace(BackwardCFunction, name, self._wrapped(original))

    def _wrapped(self, original: Any) -> Any:
        recorder, session, seen = self._recorder, self._recorder.session, self._seen

        @functools.wraps(original)
        def apply(node: Any, *gradients: Any) -> Any:
            if not session.recording:
                return original(node, *gradients)
            with mode_on(recorder.state()):
                result = original(node, *gradients)
            with guarded(recorder):
                seen(node, result)
            return result

        return apply

    def _seen(self, node: Any, result: Any) -> None:
        record = self._record_of(node)
        if record is None:
            return
        step = record.step_count() - 1
        if step < 0 or record.last_node() != record.graph.index.get(id(node)):
            return
        values, writer = self._recorder.values, self._recorder.writer
        first = len(record.graph.expected)
        for index, each in enumerate(result if isinstance(result, (tuple, list)) else (result,)):
            slot = first + len(record.returned) // 4
            if isinstance(each, torch.Tensor):
                with torch._C.DisableTorchFunctionSubclass():
                    spec = values.spec(each)
                    record.returned += (step, index, spec, -1)
                    if record.batches is not None:
                        self._measure(record, spec, slot, each)
            elif each is None:
                record.returned += (step, index, -1, -1)
            else:
                record.returned += (step, index, -1, writer.string(type(each).__name__))

    def _measure(self, record: TorchPass, spec: int, slot: int, tensor: Any) -> None:
        assert record.batches is not None
        if spec in self._recorder.values.measurable and type(tensor) is torch.Tensor:
            record.batches.add(spec, slot, tensor.detach(), tensor._version)
        else:
            record.batches.add_odd(slot, tensor)

    def _record_of(self, node: Any) -> TorchPass | None:
        """The pass that runs this node: the innermost of this thread, or on a device's thread the one that knows it."""
        passes = self._recorder.state().passes
        if passes:
            return passes[-1]  # type: ignore[no-any-return]  # a list of TorchPass, see state.py
        for state in list(self._recorder.threads.values()):
            for record in reversed(state.passes):
                if id(node) in record.graph.index:
                    return record  # type: ignore[no-any-return]  # as above
        return None
