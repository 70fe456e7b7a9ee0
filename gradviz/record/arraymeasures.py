"""Statistics of many small numpy arrays at once: laid end to end, and measured in one go if they are asked for at all.

For frameworks that compute with numpy or show their tensors as such. numpy itself is handed in: the recorder imports
nothing but the standard library and the framework. An array is held until it is copied. That is safe until somebody
writes into it: before code of the person's own runs, what is held is let go of (`flush`).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

BIG = 2_048  # entries of an array that is measured by itself
MOST_HELD = 65_536  # entries
MOST_KEPT = 1 << 20  # of a pass: what comes after is measured without being asked for
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
        self._ids: dict[int, int] = {}  # of small arrays that are held -> slot
        self._big: list[tuple[int, Any, Any]] = []  # big arrays with their slots and sums, not measured yet
        self._big_held = 0
        self._big_ids: dict[int, int] = {}  # as _ids
        self._same: dict[int, int] = {}  # slot -> an earlier one that received the very same array
        self._chunks: list[tuple[Any, ...]] = []  # slots, sizes, and all their numbers end to end
        self._kept = 0  # entries in the chunks
        self._alone: dict[int, tuple[Any, ...]] = {}  # figures of big arrays, by slot
        self._measured: list[tuple[Any, ...]] = []  # slots, sizes, and the figures of all of them, as arrays
        self._counts: dict[int, tuple[int, int]] = {}  # slot -> nans, infs where there are any
        self._found: dict[int, tuple[Any, ...]] | None = None  # by slot, once they were asked for
        self.non_finite: list[tuple[int, Any]] = []  # slot, array

    def add(self, slot: int, value: Any) -> None:
        """Measure this array sooner or later."""
        other = self._ids.get(id(value))
        if other is None:
            other = self._big_ids.get(id(value))
        if other is not None:  # handed on as it came
            self._same[slot] = other
            return
        size = value.size
        if not size or value.dtype.kind not in KINDS:
            return
        self._found = None
        if size >= BIG:
            self._look_at(slot, value)
            return
        if self._held > MOST_HELD:
            self._copy()
        self._held += size
        self._ids[id(value)] = slot
        self._arrays.append(value)
        self._slots.append(slot)

    def same(self, slot: int, other: int) -> None:
        """Slot `slot` was given the very array that `other` was."""
        self._same[slot] = other

    def flush(self) -> None:
        """Let go of all that is held: small arrays are copied, big ones measured."""
        for slot, value, total in self._big:
            self._measure_alone(slot, value, total)
        self._big.clear()
        self._big_ids.clear()
        self._big_held = 0
        self._copy()

    def settle(self, reachable: Sequence[Any]) -> None:
        """The pass is over, and the script may write into these arrays: what shares their memory is measured now. Other
        big arrays nobody can reach any more; they wait for somebody to ask.
        """
        self._copy()
        share = self._numpy.may_share_memory
        waiting = []
        for slot, value, total in self._big:
            if any(share(part, value) for part in reachable):
                self._measure_alone(slot, value, total)
            else:
                waiting.append((slot, value, total))
        self._big = waiting

    def _copy(self) -> None:
        self._ids.clear()
        arrays, slots = self._arrays, self._slots
        self._held = 0
        if not arrays:
            return
        self._arrays, self._slots = [], []
        self._lay_down(arrays, slots)

    def _lay_down(self, arrays: list[Any], slots: list[int]) -> None:
        numpy = self._numpy
        flat = numpy.concatenate(arrays, axis=None) if len(arrays) > 1 else arrays[0].flatten()
        if flat.dtype.kind == "c":
            with numpy.errstate(all="ignore"):
                parts = [numpy.abs(each) if each.dtype.kind == "c" else each for each in arrays]
            flat = numpy.concatenate(parts, axis=None)
        if flat.dtype.kind != "f" or flat.dtype.itemsize != 8:
            flat = flat.astype(numpy.float64)
        if not numpy.isfinite(flat).all():
            for slot, each in zip(slots, arrays):
                self._count(slot, each)
        sizes = [each.size for each in arrays]
        self._chunks.append((slots, sizes, flat))
        self._kept += flat.size
        if self._kept > MOST_KEPT:
            self._measure_chunks()

    def _look_at(self, slot: int, value: Any) -> None:
        """A big array: only whether it is finite is seen at once."""
        if self._big_held > MOST_KEPT:
            self.flush()
        with self._numpy.errstate(all="ignore"):
            total = value.sum()
            size = abs(complex(total))
        self._big_held += value.size
        self._big.append((slot, value, total))
        self._big_ids[id(value)] = slot
        if size - size != 0:
            self._count(slot, value)

    def _measure_alone(self, slot: int, value: Any, total: Any) -> None:
        """A big array, in its own type: a copy in float64 would cost more than its figures."""
        numpy = self._numpy
        with numpy.errstate(all="ignore"):
            flat = value.ravel()
            if flat.dtype.kind == "c":
                flat = numpy.abs(flat)
                total = flat.sum()
            elif flat.dtype.kind != "f" or flat.dtype.itemsize < 4:
                flat = flat.astype(numpy.float64)
                total = flat.sum()
            total, square = float(total), float(numpy.dot(flat, flat))
            if (total - total != 0 or square - square != 0) and slot not in self._counts:
                wide = flat.astype(numpy.float64)  # too large for its type when summed or squared
                total, square = float(wide.sum()), float(numpy.dot(wide, wide))
            zeros = flat.size - int(numpy.count_nonzero(flat))
            low, high, norm = float(flat.min()), float(flat.max()), math.sqrt(square) if square >= 0 else square
        nans, infs = self._counts.get(slot, (0, 0))
        self._alone[slot] = (nans, infs, zeros, low, high, total / value.size, norm)

    def _measure_chunks(self) -> None:
        with self._numpy.errstate(all="ignore"):
            self._measured += [(slots, sizes, *self._of_stretches(flat, sizes)) for slots, sizes, flat in self._chunks]
        self._chunks, self._kept = [], 0

    def _of_stretches(self, flat: Any, sizes: Sequence[int]) -> tuple[Any, ...]:
        """Of stretches of these sizes: entries that aren't zero, least, greatest, sum, sum of squares."""
        numpy = self._numpy
        starts = [0, *accumulate(sizes)]
        starts.pop()
        sums, squares = numpy.add.reduceat(flat, starts), numpy.add.reduceat(flat * flat, starts)
        low, high = numpy.minimum.reduceat(flat, starts), numpy.maximum.reduceat(flat, starts)
        others = numpy.array(sizes) if flat.all() else numpy.add.reduceat(flat != 0, starts, dtype=numpy.int64)
        return others, low, high, sums, squares

    def _count(self, slot: int, values: Any) -> None:
        nans, infs = int(self._numpy.isnan(values).sum()), int(self._numpy.isinf(values).sum())
        if nans or infs:
            self._counts[slot] = (nans, infs)
            self.non_finite.append((slot, values))

    def _all(self) -> dict[int, tuple[Any, ...]]:
        """The figures of all slots that received an array of their own."""
        self.flush()
        if self._found is None:
            self._measure_chunks()
            self._found = dict(self._alone)
            for slots, sizes, *columns in self._measured:
                for slot, size, *figures in zip(slots, sizes, *[column.tolist() for column in columns]):
                    self._found[slot] = self._row(slot, size, figures)
        return self._found

    def _row(self, slot: int, size: int, figures: Sequence[Any]) -> tuple[Any, ...]:
        others, low, high, total, square = figures
        nans, infs = self._counts.get(slot, (0, 0))
        norm = math.sqrt(square) if square >= 0 else square
        return (nans, infs, size - others, low, high, total / size, norm)

    def of(self, slot: int) -> tuple[Any, ...] | None:
        """The figures of one slot; None where there are none."""
        return self._all().get(self._same.get(slot, slot))

    def columns(self, count: int) -> list[Sequence[Any]]:
        """nans, infs, zeros, min, max, mean, norm for slots 0 .. count - 1: -1 not counted, NaN not taken."""
        found, same = self._all(), self._same
        missing = (-1, -1, -1, *[NOT_TAKEN] * 4)
        rows = [found.get(same.get(slot, slot), missing) for slot in range(count)]
        return [array("q" if at < 3 else "d", [row[at] for row in rows]) for at in range(FIGURES)]
