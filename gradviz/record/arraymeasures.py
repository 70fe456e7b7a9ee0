"""Statistics of many small numpy arrays at once: laid end to end and measured in one go, big ones by themselves.

For frameworks that compute with numpy or show their tensors as such. numpy itself is handed in: the recorder imports
nothing but the standard library and the framework. An array is held until it is measured.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

BIG = 16_384  # entries
MOST_HELD = 131_072
NOT_TAKEN = math.nan
FIGURES = 7  # nans, infs, zeros, min, max, mean, norm
KINDS = "fciub"  # of dtypes that have numbers


class ArrayMeasures:
    """The statistics of one pass, by slot."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self._arrays: list[Any] = []
        self._slots: list[int] = []
        self._held = 0
        self._same: dict[int, int] = {}
        self._found: dict[int, tuple[Any, ...]] = {}
        self.non_finite: list[tuple[int, Any]] = []  # slot, array

    def add(self, slot: int, value: Any) -> None:
        """Measure this sooner or later."""
        size = value.size
        if not size or value.dtype.kind not in KINDS:
            return
        if size >= BIG:
            with self._numpy.errstate(all="ignore"):
                self._found[slot] = self._of_big(slot, value)
            return
        self._arrays.append(value)
        self._slots.append(slot)
        self._held += size
        if self._held > MOST_HELD:
            self.flush()

    def same(self, slot: int, other: int) -> None:
        """Slot `slot` was given the very array that `other` was."""
        self._same[slot] = other

    def flush(self) -> None:
        """Measure what is held."""
        arrays, slots = self._arrays, self._slots
        if not arrays:
            return
        self._arrays, self._slots, self._held = [], [], 0
        with self._numpy.errstate(all="ignore"):
            self._measure(arrays, slots)

    def _measure(self, arrays: list[Any], slots: list[int]) -> None:
        numpy = self._numpy
        flat = numpy.concatenate(arrays, axis=None) if len(arrays) > 1 else arrays[0].ravel()
        if flat.dtype.kind == "c":
            flat = numpy.abs(flat)
        if flat.dtype != numpy.float64:
            flat = flat.astype(numpy.float64)
        sizes = [each.size for each in arrays]
        starts = [0]
        for size in sizes[:-1]:
            starts.append(starts[-1] + size)
        sums = numpy.add.reduceat(flat, starts).tolist()
        low, high = numpy.minimum.reduceat(flat, starts).tolist(), numpy.maximum.reduceat(flat, starts).tolist()
        squares = numpy.add.reduceat(flat * flat, starts).tolist()
        others = numpy.add.reduceat(flat != 0, starts, dtype=numpy.int64).tolist()
        for at, slot in enumerate(slots):
            nans = infs = 0
            total, square = sums[at], squares[at]
            if total - total != 0 or square - square != 0:
                nans, infs = self._count(slot, arrays[at])
            norm = math.sqrt(square) if square >= 0 else square
            self._found[slot] = (nans, infs, sizes[at] - others[at], low[at], high[at], total / sizes[at], norm)

    def _of_big(self, slot: int, values: Any) -> tuple[Any, ...]:
        """The figures of one array, in its own type: a copy in float64 would cost more than all the rest."""
        numpy = self._numpy
        flat = values.ravel()
        if flat.dtype.kind == "c":
            flat = numpy.abs(flat)
        elif flat.dtype.kind != "f" or flat.dtype.itemsize < 4:
            flat = flat.astype(numpy.float64)
        total, square = float(flat.sum()), float(numpy.dot(flat, flat))
        nans = infs = 0
        if total - total != 0 or square - square != 0:
            nans, infs = self._count(slot, values)
            if not nans and not infs:  # too large for its type when squared
                wide = flat.astype(numpy.float64)
                total, square = float(wide.sum()), float(numpy.dot(wide, wide))
        zeros = flat.size - int(numpy.count_nonzero(flat))
        norm = math.sqrt(square) if square >= 0 else square
        return nans, infs, zeros, float(flat.min()), float(flat.max()), total / flat.size, norm

    def _count(self, slot: int, values: Any) -> tuple[int, int]:
        nans, infs = int(self._numpy.isnan(values).sum()), int(self._numpy.isinf(values).sum())
        if nans or infs:
            self.non_finite.append((slot, values))
        return nans, infs

    def of(self, slot: int) -> tuple[Any, ...] | None:
        """The figures of one slot, once they are taken."""
        return self._found.get(self._same.get(slot, slot))

    def columns(self, count: int) -> list[Sequence[Any]]:
        """nans, infs, zeros, min, max, mean, norm for slots 0 .. count - 1: -1 not counted, NaN not taken."""
        self.flush()
        missing = (-1, -1, -1, *[NOT_TAKEN] * 4)
        found, same = self._found, self._same
        rows = [found.get(same.get(slot, slot), missing) for slot in range(count)]
        return [array("q" if at < 3 else "d", [row[at] for row in rows]) for at in range(FIGURES)]
