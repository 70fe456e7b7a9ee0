"""Statistics of many small arrays at once: laid end to end and measured in one go, big ones by themselves.

An array is held until it is measured. That is safe until somebody writes into it: autograd itself writes only into sums
that no node has received yet; before a person's own vjp runs, what is held is measured (`flush`).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from gradviz.record.hips.values import ndarray, numpy, unboxed

MOST_HELD = 65_536  # entries
NOT_TAKEN = math.nan
FIGURES = 7  # nans, infs, zeros, min, max, mean, norm
KINDS = "fciub"  # of dtypes that have numbers


class Measures:
    """The statistics of one pass, by slot."""

    def __init__(self) -> None:
        self._arrays: list[Any] = []
        self._slots: list[int] = []
        self._held = 0
        self._chunks: list[tuple[Any, ...]] = []  # slots, sizes, and the figures of all of them, as arrays
        self._counts: dict[int, tuple[int, int]] = {}  # slot -> nans, infs where there are any
        self.non_finite: list[tuple[int, Any]] = []  # slot, array

    def add(self, slot: int, value: Any) -> None:
        """Measure this sooner or later."""
        if type(value) is not ndarray:
            value = as_array(value)
        size = value.size
        if not size or value.dtype.kind not in KINDS:
            return
        self._arrays.append(value)
        self._slots.append(slot)
        self._held += size
        if self._held > MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Measure what is held."""
        arrays, slots = self._arrays, self._slots
        if not arrays:
            return
        self._arrays, self._slots, self._held = [], [], 0
        with numpy.errstate(all="ignore"):
            self._measure(arrays, slots)

    def _measure(self, arrays: list[Any], slots: list[int]) -> None:
        flat = numpy.concatenate(arrays, axis=None) if len(arrays) > 1 else arrays[0].ravel()
        if flat.dtype.kind == "c":
            flat = numpy.abs(flat)
        elif flat.dtype.kind != "f" or flat.dtype.itemsize != 8:
            flat = flat.astype(numpy.float64)
        sizes = [each.size for each in arrays]
        starts = [0, *accumulate(sizes)]
        starts.pop()
        sums, squares = numpy.add.reduceat(flat, starts), numpy.add.reduceat(flat * flat, starts)
        low, high = numpy.minimum.reduceat(flat, starts), numpy.maximum.reduceat(flat, starts)
        others = numpy.add.reduceat(flat != 0, starts, dtype=numpy.int64)
        total = float(squares.sum())
        if total - total != 0:
            for slot, each in zip(slots, arrays):
                self._count(slot, each)
        self._chunks.append((slots, sizes, others, low, high, sums, squares))

    def _count(self, slot: int, values: Any) -> None:
        nans, infs = int(numpy.isnan(values).sum()), int(numpy.isinf(values).sum())
        if nans or infs:
            self._counts[slot] = (nans, infs)
            self.non_finite.append((slot, values))

    def of(self, slot: int) -> tuple[Any, ...] | None:
        """The figures of one slot, once they are taken."""
        for slots, sizes, *columns in self._chunks:
            if slot in slots:
                at = slots.index(slot)
                return self._row(slot, sizes[at], [column[at].item() for column in columns])
        return None

    def columns(self, count: int) -> list[Sequence[Any]]:
        """nans, infs, zeros, min, max, mean, norm for slots 0 .. count - 1: -1 not counted, NaN not taken."""
        self.flush()
        rows: list[tuple[Any, ...]] = [(-1, -1, -1, *[NOT_TAKEN] * 4)] * count
        for slots, sizes, *columns in self._chunks:
            for slot, size, *figures in zip(slots, sizes, *[column.tolist() for column in columns]):
                rows[slot] = self._row(slot, size, figures)
        return [array("q" if at < 3 else "d", [row[at] for row in rows]) for at in range(FIGURES)]

    def _row(self, slot: int, size: int, figures: Sequence[Any]) -> tuple[Any, ...]:
        others, low, high, total, square = figures
        nans, infs = self._counts.get(slot, (0, 0))
        norm = math.sqrt(square) if square >= 0 else square
        return (nans, infs, size - others, low, high, total / size, norm)


def as_array(value: Any) -> Any:
    """The numbers of a number, or of all parts of a container end to end."""
    value = unboxed(value)
    if isinstance(value, (list, tuple, dict)):
        parts = [as_array(each) for each in (value.values() if isinstance(value, dict) else value)]
        return numpy.concatenate(parts, axis=None) if parts else numpy.zeros(0)
    return numpy.asarray(value)
