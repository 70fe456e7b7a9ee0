"""`zero_grad` sets one `.grad` after the other to None, which is no news: it runs past the function mode."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from gradviz.record.patches import Patches
from gradviz.record.pytorch.modes import mode_off
from gradviz.record.pytorch.state import Recorder


def install_zeroing(recorder: Recorder, patches: Patches) -> None:
    """Wrap both of torch's; what a subclass does in one of its own is seen as ever."""
    for owner in (torch.nn.Module, torch.optim.Optimizer):
        patches.replace(owner, "zero_grad", _past_the_mode(recorder, owner.zero_grad))


def _past_the_mode(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    parameter = inspect.signature(original).parameters.get("set_to_none")
    default = parameter is not None and parameter.default is True  # False before torch 2.0
    session = recorder.session

    @functools.wraps(original)
    def zero_grad(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        to_none = args[0] if args else kwargs.get("set_to_none", default)
        if to_none is not True or not session.recording:  # zeros are written into tensors: that is news
            return original(self, *args, **kwargs)
        with mode_off(recorder.state()):
            return original(self, *args, **kwargs)

    return zero_grad
