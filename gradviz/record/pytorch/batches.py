"""Statistics of gradients in batches: many small ones of one shape are stacked and measured at once, large ones on their own.

Small gradients are held until their batch is full, at most for the pass; one that was written to meanwhile is left out.
On a GPU nothing is fetched before the pass is over.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import torch

from gradviz.record.pytorch.values import is_wrapped

BATCH = 64
LARGE = 8192  # elements; beyond it stacking costs more than it saves
COLUMNS = 7  # nans, infs, zeros, min, max, mean, norm
WITHOUT_DOUBLE = frozenset({"mps", "xla", "privateuseone"})
NOT_COUNTED = -1.0


class Batches:
    """Gathers statistics by slot number."""

    def __init__(self) -> None:
        self._groups: dict[int, tuple[list[Any], list[int], list[int]]] = {}  # spec -> tensors, slots, versions
        self._slots: list[int] = []
        self._rows: list[Any] = []
        self.non_finite: list[tuple[int, Any]] = []  # slots and their tensors (CPU; elsewhere the columns tell)

    def add(self, spec: int, slot: int, tensor: Any, version: int) -> None:
        """Measure `tensor`, soon. It must be plain: strided, real, floating."""
        if tensor.numel() > LARGE:
            self._slots.append(slot)
            with torch.no_grad():  # a pass with create_graph has it on
                self._rows.append(self._large(slot, tensor))
            return
        group = self._groups.get(spec)
        if group is None:
            group = self._groups[spec] = ([], [], [])
        group[0].append(tensor)
        group[1].append(slot)
        group[2].append(version)
        if len(group[0]) >= BATCH:
            del self._groups[spec]
            self._measure(*group)

    def add_odd(self, slot: int, tensor: Any) -> None:
        """Measure a tensor of any kind now, if it can be."""
        with torch.no_grad():
            plain = as_plain(tensor)
            if plain is not None:
                row = self._large(slot, plain) if plain.numel() > LARGE else self._stacked(plain[None], [slot])
                self._slots.append(slot)
                self._rows.append(row)

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
            self._slots += slots
            with torch.no_grad():
                self._rows.append(self._stacked(torch.stack(tensors), slots))

    def _stacked(self, stack: Any, slots: Sequence[int]) -> Any:
        """Rows of statistics for a stack of tensors, in double precision."""
        values = stack.reshape(len(slots), -1)
        if values.shape[1] == 0:
            row = torch.tensor([[0.0, 0.0, 0.0, float("nan"), float("nan"), float("nan"), 0.0]], dtype=torch.float64)
            return row.repeat(len(slots), 1)
        double = torch.float32 if values.device.type in WITHOUT_DOUBLE else torch.float64
        values = values.to(double)
        low, high = torch.aminmax(values, dim=1)
        norm = torch.linalg.vector_norm(values, dim=1)
        zeros = values.shape[1] - torch.count_nonzero(values, dim=1)
        columns = [zeros.to(double), low, high, values.mean(dim=1), norm]
        if values.device.type == "cpu":
            if bool(torch.isfinite(norm).all()):
                nothing = torch.zeros_like(norm)
                return torch.stack([nothing, nothing, *columns], dim=1)
            for at, finite in enumerate(torch.isfinite(values).all(dim=1).tolist()):
                if not finite:
                    self.non_finite.append((slots[at], stack[at]))
        nans = torch.isnan(values).sum(dim=1).to(double)
        infs = torch.isinf(values).sum(dim=1).to(double)
        return torch.stack([nans, infs, *columns], dim=1)

    def _large(self, slot: int, tensor: Any) -> Any:
        """One row for one big tensor. Zeros aren't counted: that alone would cost more than all the rest."""
        on_cpu = tensor.device.type == "cpu"
        single = tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.to(torch.float32)
        low, high = torch.aminmax(single)
        norm = torch.linalg.vector_norm(single)
        mean = single.mean()
        double = torch.float32 if tensor.device.type in WITHOUT_DOUBLE else torch.float64
        if on_cpu:
            nans = infs = 0
            figures = (low.item(), high.item(), mean.item(), norm.item())
            if not all(figure - figure == 0 for figure in figures):
                nans, infs = int(torch.isnan(single).sum()), int(torch.isinf(single).sum())
                if nans or infs:
                    self.non_finite.append((slot, tensor))
            return torch.tensor([[nans, infs, NOT_COUNTED, *figures]], dtype=double)
        nan_count, inf_count = torch.isnan(single).sum(), torch.isinf(single).sum()
        parts = [nan_count, inf_count, torch.full_like(norm, NOT_COUNTED), low, high, mean, norm]
        return torch.stack([part.to(double) for part in parts])[None]

    def columns(self, count: int) -> list[Sequence[Any]]:
        """The seven columns for slots 0 .. count - 1: three of ints, -1 not counted, four of floats, NaN not taken."""
        self.flush()
        table = torch.full((count, COLUMNS), float("nan"), dtype=torch.float64)
        if self._rows:
            rows = torch.cat([row.to(device="cpu", dtype=torch.float64) for row in self._rows])
            table[torch.tensor(self._slots)] = rows
        self._rows.clear()
        self._slots.clear()
        counts = torch.nan_to_num(table[:, :3], nan=NOT_COUNTED).to(torch.int64)
        return [*(_column("q", counts[:, at]) for at in range(3)), *(_column("d", table[:, at]) for at in range(3, 7))]


def as_plain(tensor: Any) -> Any:
    """A real, strided, detached tensor with the same numbers (magnitudes where they are complex), None if there is none."""
    try:
        if is_wrapped(tensor) or tensor.device.type == "meta":
            return None
        if tensor.is_quantized:
            return tensor.dequantize()
        if tensor.is_sparse:
            return as_plain(tensor.coalesce().values())
        if tensor.layout is not torch.strided:
            return as_plain(tensor.to_dense()) if tensor.layout is torch._mkldnn else as_plain(tensor.values())
        if tensor.is_nested:
            return as_plain(tensor.values())
        if tensor.is_complex():
            return tensor.detach().abs()
        return tensor.detach() if tensor.is_floating_point() else tensor.detach().to(torch.float64)
    except Exception:  # foreign: kinds of tensors that lack an operation, a subclass's own dispatch
        return None


def _column(code: str, column: Any) -> Sequence[Any]:
    found: array[Any] = array(code)
    found.extend(column.tolist())
    return found
