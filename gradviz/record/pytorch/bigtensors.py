"""Measures big gradients: through a flat view where there is one, and once where views hand the same numbers on.

`aminmax` of a transposed million numbers takes thirty times as long as of the same numbers in a row, and the norm of an
expanded one five times: so permuted tensors are read in memory order, and repeated dimensions once.
"""

from __future__ import annotations

import math
from typing import Any

import torch

REMEMBERED = 8
Figures = tuple[Any, Any, Any, Any]  # min, max, mean, norm: floats on the CPU, elsewhere tensors without dimensions


class BigTensors:
    """Figures of big tensors; those of the last few are kept for their views."""

    def __init__(self) -> None:
        # key -> weak reference, which keeps the storage's address from being given out again, and figures
        self._known: dict[tuple[Any, ...], tuple[int, Figures]] = {}

    def measure(self, tensor: Any) -> Figures:
        """min, max, mean and norm."""
        flat, repeats = in_memory_order(tensor)
        storage = flat.untyped_storage()
        key = (storage._cdata, flat._version, flat.storage_offset(), flat.numel(), flat.dtype)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= REMEMBERED:
                oldest = next(iter(self._known))
                _free(self._known.pop(oldest)[0])
            single = flat if flat.element_size() >= 4 else flat.to(torch.float32)
            low, high = torch.aminmax(single)
            total, norm = single.sum(), torch.linalg.vector_norm(single)
            if single.is_cpu:
                figures: Figures = (low.item(), high.item(), total.item() / single.numel(), norm.item())
            else:  # nothing is fetched before the pass is over
                figures = (low, high, total / single.numel(), norm)
            known = self._known[key] = (storage._weak_ref(), figures)
        low, high, mean, norm = known[1]
        return low, high, mean, norm * math.sqrt(repeats) if repeats > 1 else norm

    def forget(self) -> None:
        """Let go of them."""
        known, self._known = self._known, {}
        for weak, _ in known.values():
            _free(weak)


def _free(weak: int) -> None:
    free: Any = torch.UntypedStorage._free_weak_ref
    free(weak)


def in_memory_order(tensor: Any) -> tuple[Any, int]:
    """The tensor's numbers in one row, and how often each of them stands in the tensor."""
    sizes, strides = tensor.shape, tensor.stride()
    count = repeats = 1
    dimensions = []
    for size, stride in zip(sizes, strides):
        if size == 1:
            continue
        if stride == 0:
            repeats *= size
            continue
        count *= size
        dimensions.append((stride, size))
    expected = 1
    for stride, size in sorted(dimensions):
        if stride != expected:  # gaps: only a copy is in a row
            return tensor.reshape(-1), 1
        expected *= size
    return tensor.as_strided((count,), (1,), tensor.storage_offset()), repeats
