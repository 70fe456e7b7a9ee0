"""The user's own hooks on tensors: what they return is seen, since the engine says only that it didn't fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from gradviz.record.pytorch.functions import FunctionInfo
from gradviz.record.pytorch.modes import mode_on
from gradviz.record.pytorch.state import Recorder, ThreadState


class WatchedHook:
    """Stands in for a hook. Has the hook's name, which the engine's messages quote, if it has one."""

    def __init__(self, recorder: Recorder, hook: Callable[..., Any], value: int, sequence: int | None) -> None:
        self.__wrapped__ = hook
        self._recorder = recorder
        name = getattr(hook, "__name__", None)
        if name is not None:
            self.__name__ = name
        code = getattr(hook, "__code__", None)
        self._place = {
            "value": value,
            "sequence": sequence,
            "name": name,
            "file": getattr(code, "co_filename", None),
            "line": getattr(code, "co_firstlineno", None),
        }

    def __call__(self, *gradients: Any) -> Any:
        recorder = self._recorder
        if not recorder.session.recording:
            return self.__wrapped__(*gradients)
        state = recorder.state()
        state.last_hook = told = dict(self._place)
        if gradients:
            told["received"] = describe(gradients[0])
        with mode_on(state):
            result = self.__wrapped__(*gradients)
        told["returned"] = describe(result)
        state.last_hook = told
        return result


def describe(thing: Any) -> Any:
    """Shape and dtype of a tensor, the type's name of anything else."""
    if isinstance(thing, torch.Tensor):
        with torch._C.DisableTorchFunction():
            try:
                shape = [size if type(size) is int else str(size) for size in thing.shape]
            except RuntimeError:  # nested
                shape = []
            return {"shape": shape, "dtype": str(thing.dtype).rpartition(".")[2], "device": str(thing.device)}
    return None if thing is None else type(thing).__name__


def watch_hook(recorder: Recorder, state: ThreadState, info: FunctionInfo, args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of `register_hook` with the hook watched."""
    if info.name != "register_hook" or len(args) != 2 or not callable(args[1]):
        return tuple(args)
    tensor, hook = args
    function = tensor.grad_fn if isinstance(tensor, torch.Tensor) else None
    sequence = None if function is None else function._sequence_nr()
    return tensor, WatchedHook(recorder, hook, recorder.values.lookup(tensor).number, sequence)
