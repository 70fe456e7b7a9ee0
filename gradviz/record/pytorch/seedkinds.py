"""Seeds that are no tensors, a Python number or an array, which torch refuses before it looks at the outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from gradviz.record.patches import Patches
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.state import Recorder

Refused = Callable[[Any, FrameType, BaseException], None]
# Of torch.autograd.backward and grad: what their own code calls what they were given.
_OUTPUTS = ("tensors", "outputs")
_SEEDS = ("grad_tensors", "grad_outputs")


def install_seed_kinds(
    recorder: Recorder, patches: Patches, refused: Refused, caller_of_ours: Callable[[], FrameType]
) -> None:
    """Tell `refused` of outputs whose seeds can't be a tuple of tensors."""
    original = getattr(torch.autograd, "_tensor_or_tensors_to_tuple", None)
    if original is None:
        return

    @functools.wraps(original)
    def to_tuple(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except TypeError as error:  # the script's: noted, and it goes on
            if recorder.session.recording:
                with guarded(recorder):
                    caller = caller_of_ours()
                    outputs = named(caller, _OUTPUTS)
                    if outputs is not None:
                        refused(outputs, caller, error)
            raise

    patches.replace(torch.autograd, "_tensor_or_tensors_to_tuple", to_tuple)


def seed_type(caller: FrameType) -> dict[str, str]:
    """The type of what was given as seed, where it is no tensor and no list of any."""
    given = named(caller, _SEEDS)
    if given is None or isinstance(given, torch.Tensor):
        return {}
    kind = type(given)
    return {"seed_type": kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"}


def named(caller: FrameType, names: tuple[str, ...]) -> Any:
    """The caller's variable of one of these names."""
    variables = caller.f_locals
    return next((variables[name] for name in names if name in variables), None)
