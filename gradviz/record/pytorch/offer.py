"""Backward from what a function returned, when the function didn't run it itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from gradviz.record.pytorch.state import Recorder


def run_offered(recorder: Recorder, result: Any, seed_expression: str | None, namespace: Mapping[str, Any]) -> None:
    """Run backward from the first tensor with a gradient in `result`, unless one ran from it already."""
    tensor = next((each for each in tensors_in(result) if each.requires_grad), None)
    if tensor is None or recorder.values.lookup(tensor).number in recorder.roots_seen:
        return
    seed = None
    if seed_expression:
        seed = eval(seed_expression, dict(namespace), {"output": tensor})
        if not isinstance(seed, torch.Tensor):
            seed = torch.as_tensor(seed, dtype=tensor.dtype, device=tensor.device)
    elif tensor.dim() or tensor.is_complex():
        seed = torch.ones_like(tensor)
    tensor.backward(seed)


def tensors_in(result: Any, depth: int = 3) -> Iterator[Any]:
    """The tensors in a result: itself, or inside tuples, lists and dicts."""
    if isinstance(result, torch.Tensor):
        yield result
    elif depth and isinstance(result, (tuple, list)):
        for each in result:
            yield from tensors_in(each, depth - 1)
    elif depth and isinstance(result, dict):
        for each in result.values():
            yield from tensors_in(each, depth - 1)
