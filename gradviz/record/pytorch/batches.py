"""Statistics of gradients in batches: many small ones of one shape are stacked and measured at once, large ones alone.

Small gradients wait until their batch is full, at most for the pass; one that was written to meanwhile is left out.
What waits is an alias: a leaf takes over the gradient it is given only if nobody holds that, and what the script has
kept of it shares memory with `.grad` then. On a GPU nothing is fetched before the pass is over.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

import torch

from gradviz.record.pytorch.bigtensors import BigTensors
from gradviz.record.pytorch.values import is_wrapped

BATCH = 64
LARGE = 8192  # elements; beyond it stacking costs more than it saves
HELD = 1 << 20  # elements of stacks kept until it is known that they are finite
FIGURES = 5  # entries that aren't zero, min, max, mean, norm
WITHOUT_DOUBLE = frozenset({"mps", "xla", "privateuseone"})
NOT_TAKEN = float("nan")


class Batches:
    """Gathers statistics by slot number."""

    def __init__(self) -> None:
        self._groups: dict[int, tuple[list[Any], list[int], list[int]]] = {}  # spec -> tensors, slots, versions
        self._slots: list[int] = []
        self._figures: list[list[Any]] = [[] for _ in range(FIGURES)]  # 1-d tensors, in the order of the slots
        self._stacks: list[tuple[Any, list[int], Any]] = []  # values, slots, norms, not yet looked through
        self._held = 0
        self._big = BigTensors()
        self._single: dict[int, float] = {}  # slot -> the one number of a tensor of one entry
        self._alone: dict[int, tuple[float, float, float, float]] = {}  # slot -> min, max, mean, norm of a big one
        self._sizes: list[int] = []  # entries of the tensor in each slot; -1 where zeros aren't counted
        self._counts: dict[int, tuple[int, int]] = {}  # slot -> nans, infs, where there are any
        self.non_finite: list[tuple[int, Any]] = []  # slots with NaN or Inf, and their tensors

    def add(self, spec: int, slot: int, tensor: Any, version: int) -> None:
        """Measure `tensor`, soon. It must be plain: strided, real, floating."""
        size = tensor.numel()
        if size > LARGE:
            with torch.no_grad():  # a pass with create_graph has it on
                self._large(slot, tensor)
            return
        if size == 1 and tensor.is_cpu:  # losses, means: cheaper to read than to measure
            figure = self._single[slot] = tensor.item()
            if figure - figure != 0:
                self._counts[slot] = (int(figure != figure), int(figure == figure))
                self.non_finite.append((slot, tensor.detach()))
            return
        group = self._groups.get(spec)
        if group is None:
            group = self._groups[spec] = ([], [], [])
        group[0].append(tensor.detach())
        group[1].append(slot)
        group[2].append(version)
        if len(group[0]) >= BATCH:
            del self._groups[spec]
            self._measure(*group)

    def add_odd(self, slot: int, tensor: Any) -> None:
        """Measure a tensor of any kind now, if it can be."""
        with torch.no_grad():
            plain = as_plain(tensor)
            if plain is None:
                return
            if plain.numel() > LARGE:
                self._large(slot, plain)
            else:
                self._stacked(plain[None], [slot])

    def flush(self) -> None:
        """Measure what is pending: it might be written to now."""
        groups, self._groups = self._groups, {}
        for group in groups.values():
            self._measure(*group)

    def pending(self, slot: int) -> Any:
        """The tensor of this slot if it is still held."""
        for tensors, slots, _ in self._groups.values():
            if slot in slots:
                return tensors[slots.index(slot)]
        return None

    def _measure(self, tensors: list[Any], slots: list[int], versions: list[int]) -> None:
        for at in range(len(tensors) - 1, -1, -1):
            if tensors[at]._version != versions[at]:  # what was there to measure is gone
                del tensors[at], slots[at], versions[at]
        if tensors:
            with torch.no_grad():
                self._stacked(torch.stack(tensors), slots)

    def _stacked(self, stack: Any, slots: list[int]) -> None:
        """Figures for a stack of tensors."""
        values = stack.reshape(len(slots), -1)
        if values.shape[1] == 0:
            nothing, none = stack.new_zeros(len(slots)), stack.new_full((len(slots),), NOT_TAKEN)
            self._append(slots, 0, (nothing, none, none, none, nothing))
            return
        if values.element_size() == 1:  # eight-bit floats know no reduction
            values = values.to(torch.float32)
        precise = torch.float32 if values.device.type in WITHOUT_DOUBLE else torch.float64
        low, high = torch.aminmax(values, dim=1)
        norm = torch.linalg.vector_norm(values, dim=1, dtype=precise)
        others = torch.count_nonzero(values, dim=1)
        self._append(slots, values.shape[1], (others, low, high, values.mean(dim=1, dtype=precise), norm))
        self._stacks.append((stack, slots, norm))
        self._held += values.numel()
        if self._held > HELD:
            self._look_through(self._stacks)
            self._stacks, self._held = [], 0

    def _large(self, slot: int, tensor: Any) -> None:
        """Figures for one big tensor. Zeros aren't counted: that alone would cost more than all the rest."""
        low, high, mean, norm = self._big.measure(tensor)
        if tensor.is_cpu:
            self._alone[slot] = (low, high, mean, norm)
            if not math.isfinite(norm):
                alone = tensor.detach()[None]  # a view holds what it is a view of
                self._count([slot], alone, alone)
        else:
            self._append([slot], -1, [each.reshape(1) for each in (norm, low, high, mean, norm)])
            counts = torch.stack([torch.isnan(tensor).sum(), torch.isinf(tensor).sum()])
            self._stacks.append((counts, [slot], None))

    def _append(self, slots: Sequence[int], size: int, figures: Sequence[Any]) -> None:
        self._slots += slots
        self._sizes += [size] * len(slots)
        for column, figure in zip(self._figures, figures):
            column.append(figure)

    def _look_through(self, stacks: Sequence[tuple[Any, list[int], Any]]) -> None:
        """Count NaN and Inf where a norm isn't finite."""
        for stack, slots, norm in stacks:
            if norm is None:
                nans, infs = stack.tolist()
                if nans or infs:
                    self._counts[slots[0]] = (nans, infs)
            elif not bool(torch.isfinite(norm).all()):
                self._count(slots, stack.reshape(len(slots), -1), stack)

    def _count(self, slots: Sequence[int], values: Any, tensors: Any) -> None:
        dimensions = tuple(range(1, values.dim()))
        nans, infs = torch.isnan(values).sum(dim=dimensions), torch.isinf(values).sum(dim=dimensions)
        for at, (nan_count, inf_count) in enumerate(zip(nans.tolist(), infs.tolist())):
            if nan_count or inf_count:
                self._counts[slots[at]] = (nan_count, inf_count)
                self.non_finite.append((slots[at], tensors[at]))

    def columns(self, count: int) -> list[Sequence[Any]]:
        """nans, infs, zeros, min, max, mean, norm for slots 0 .. count - 1: -1 not counted, NaN not taken."""
        self.flush()
        self._big.forget()
        found = [array("d", [NOT_TAKEN]) * count for _ in range(FIGURES)]
        with torch.no_grad():
            parts = [part for column in self._figures for part in column]
            flat = _fetched(parts)
            width = len(self._slots)
            finite = all(norm - norm == 0 for norm in flat[(FIGURES - 1) * width :])
            self._look_through([each for each in self._stacks if each[2] is None] if finite else self._stacks)
        others, *rest = (flat[at * width : (at + 1) * width] for at in range(FIGURES))
        zeros = array("q", [-1]) * count
        for slot, size, other in zip(self._slots, self._sizes, others):
            zeros[slot] = size - int(other) if size >= 0 else -1
        for column, figures in zip(found[1:], rest):
            for slot, figure in zip(self._slots, figures):
                column[slot] = figure
        for slot, figure in self._single.items():
            zeros[slot] = int(figure == 0)
            found[1][slot] = found[2][slot] = found[3][slot] = figure
            found[4][slot] = abs(figure)
        for slot, figures_alone in self._alone.items():
            for column, figure in zip(found[1:], figures_alone):
                column[slot] = figure
        nans = array("q", [-1]) * count
        for slot in (*self._slots, *self._single, *self._alone):
            nans[slot] = 0
        infs = array("q", nans)
        for slot, (nan_count, inf_count) in self._counts.items():
            nans[slot], infs[slot] = nan_count, inf_count
        return [nans, infs, zeros, *found[1:]]


def _fetched(parts: list[Any]) -> list[float]:
    """The numbers of many small tensors, by one copy from each device."""
    if not parts:
        return []
    if any(part.device != parts[0].device for part in parts):
        parts = [part.cpu() for part in parts]
    numbers: list[float] = torch.cat(parts).tolist()  # promotes to the widest of them
    return numbers


def as_plain(tensor: Any) -> Any:
    """A real, strided, detached tensor with the same numbers (magnitudes of complex ones), None if there is none."""
    try:
        if is_wrapped(tensor) or tensor.device.type == "meta":
            return None
        if tensor.is_quantized:
            return tensor.dequantize()
        if tensor.is_sparse:
            return as_plain(tensor.coalesce().values())
        if tensor.layout is not torch.strided:
            return as_plain(tensor.to_dense() if tensor.is_mkldnn else tensor.values())
        if tensor.is_nested:
            return as_plain(tensor.values())
        if tensor.is_complex():
            return tensor.detach().abs()
        return tensor.detach() if tensor.is_floating_point() else tensor.detach().to(torch.float64)
    except Exception:  # noqa: BLE001  # foreign: kinds that lack an operation, a subclass's own dispatch
        return None
