"""Statistics of many small arrays at once: laid end to end, and measured in one go if they are asked for at all.

An array is held until it is copied. That is safe until somebody writes into it: autograd itself writes only into sums
that no node has received yet; before a person's own vjp runs, what is held is copied (`flush`).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from gradviz.record.hips.values import ndarray, numpy, unboxed

BIG = 2_048  # entries of an array that is measured by itself, at once
MOST_HELD = 65_536  # entries
MOST_KEPT = 1 << 20  # of a pass: what comes after is measured without being asked for
NOT_TAKEN = math.nan
FIGURES = 7  # nans, infs, zeros, min, max, mean, norm
KINDS = "fciub"  # of dtypes that have numbers


class Measures:
    """The statistics of one pass, by slot."""

    def __init__(self) -> None:
        self._arrays: list[Any] = []
        self._slots: list[int] = []
        self._held = 0
        self._ids: dict[int, int] = {}  # of small arrays that are held -> slot
        self._big: list[tuple[int, Any]] = []  # big arrays with their slots, not measured yet
        self._big_held = 0
        self._big_ids: dict[int, int] = {}  # as _ids
        self._same: dict[int, int] = {}  # slot -> an earlier one that received the very same array
        self._chunks: list[tuple[Any, ...]] = []  # slots, sizes, and all their numbers end to end
        self._alone: dict[int, tuple[Any, ...]] = {}  # figures of big arrays, by slot
        self._kept = 0  # entries in the chunks
        self._measured: list[tuple[Any, ...]] = []  # slots, sizes, and the figures of all of them, as arrays
        self._counts: dict[int, tuple[int, int]] = {}  # slot -> nans, infs where there are any
        self.non_finite: list[tuple[int, Any]] = []  # slot, array

    def add(self, slot: int, value: Any) -> None:
        """Measure this sooner or later."""
        other = self._ids.get(id(value))
        if other is None:
            other = self._big_ids.get(id(value))
        if other is not None:  # handed on as it came
            self._same[slot] = other
            return
        if type(value) is not ndarray:
            value = as_array(value)
        size = value.size
        if not size or value.dtype.kind not in KINDS:
            return
        if size >= BIG:
            self._look_at(slot, value)
            return
        if self._held > MOST_HELD:
            self._copy()
        self._held += size
        self._ids[id(value)] = slot
        self._arrays.append(value)
        self._slots.append(slot)

    def flush(self) -> None:
        """Let go of all that is held: small arrays are copied, big ones measured."""
        for slot, value in self._big:
            self._measure_alone(slot, value)
        self._big.clear()
        self._big_ids.clear()
        self._big_held = 0
        self._copy()

    def settle(self, reachable: Sequence[Any]) -> None:
        """The pass is over, and the script may write into these: what shares their memory is measured now. Other big
        arrays nobody can reach any more; they wait for somebody to ask.
        """
        self._copy()
        parts = arrays_in(list(reachable))
        waiting = []
        for slot, value in self._big:
            if any(numpy.may_share_memory(part, value) for part in parts):
                self._measure_alone(slot, value)
            else:
                waiting.append((slot, value))
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
        flat = numpy.concatenate(arrays, axis=None) if len(arrays) > 1 else arrays[0].flatten()
        if flat.dtype.kind == "c":
            with numpy.errstate(all="ignore"):
                flat = numpy.abs(flat)
        elif flat.dtype.kind != "f" or flat.dtype.itemsize != 8:
            flat = flat.astype(numpy.float64)
        if not numpy.isfinite(flat).all():
            for slot, each in zip(slots, arrays):
                self._count(slot, each)
        sizes = [each.size for each in arrays]
        self._chunks.append((slots, sizes, flat))
        self._kept += flat.size
        if self._kept > MOST_KEPT:
            self._measure_all()

    def _look_at(self, slot: int, value: Any) -> None:
        """A big array: only whether it is finite is seen at once."""
        if self._big_held > MOST_KEPT:
            self.flush()
        self._big_held += value.size
        self._big.append((slot, value))
        self._big_ids[id(value)] = slot
        with numpy.errstate(all="ignore"):
            total = abs(complex(value.sum()))
        if total - total != 0:
            self._count(slot, value)

    def _measure_alone(self, slot: int, value: Any) -> None:
        """A big array: a copy would cost more than its figures."""
        with numpy.errstate(all="ignore"):
            if value.dtype.kind == "c":
                value = numpy.abs(value)
            flat = value.reshape(-1)
            total = float(flat.sum(dtype=numpy.float64))
            square = float(numpy.einsum("i,i->", flat, flat, dtype=numpy.float64))
            zeros = value.size - int(numpy.count_nonzero(value))
            low, high, norm = float(flat.min()), float(flat.max()), math.sqrt(square) if square >= 0 else square
        nans, infs = self._counts.get(slot, (0, 0))
        self._alone[slot] = (nans, infs, zeros, low, high, total / value.size, norm)

    def _measure_all(self) -> None:
        with numpy.errstate(all="ignore"):
            self._measured += [(slots, sizes, *measured(flat, sizes)) for slots, sizes, flat in self._chunks]
        self._chunks, self._kept = [], 0

    def _count(self, slot: int, values: Any) -> None:
        nans, infs = int(numpy.isnan(values).sum()), int(numpy.isinf(values).sum())
        if nans or infs:
            self._counts[slot] = (nans, infs)
            self.non_finite.append((slot, values))

    def of(self, slot: int) -> tuple[Any, ...] | None:
        """The figures of one slot, once they are taken."""
        self.flush()
        self._measure_all()
        slot = self._same.get(slot, slot)
        if slot in self._alone:
            return self._alone[slot]
        for slots, sizes, *columns in self._measured:
            if slot in slots:
                at = slots.index(slot)
                return self._row(slot, sizes[at], [column[at].item() for column in columns])
        return None

    def columns(self, count: int) -> list[Sequence[Any]]:
        """nans, infs, zeros, min, max, mean, norm for slots 0 .. count - 1: -1 not counted, NaN not taken."""
        self.flush()
        self._measure_all()
        rows: list[tuple[Any, ...]] = [(-1, -1, -1, *[NOT_TAKEN] * 4)] * count
        for slot, row in self._alone.items():
            rows[slot] = row
        for slots, sizes, *columns in self._measured:
            for slot, size, *figures in zip(slots, sizes, *[column.tolist() for column in columns]):
                rows[slot] = self._row(slot, size, figures)
        for slot, other in self._same.items():
            rows[slot] = rows[other]
        return [array("q" if at < 3 else "d", [row[at] for row in rows]) for at in range(FIGURES)]

    def _row(self, slot: int, size: int, figures: Sequence[Any]) -> tuple[Any, ...]:
        others, low, high, total, square = figures
        nans, infs = self._counts.get(slot, (0, 0))
        norm = math.sqrt(square) if square >= 0 else square
        return (nans, infs, size - others, low, high, total / size, norm)


def arrays_in(value: Any) -> list[Any]:
    """The arrays that a result is made of."""
    value = unboxed(value)
    if isinstance(value, (list, tuple, dict)):
        return [array for each in (value.values() if isinstance(value, dict) else value) for array in arrays_in(each)]
    return [value] if isinstance(value, ndarray) else []


def figures_of(value: Any) -> tuple[Any, ...] | None:
    """nans, infs, zeros, min, max, mean, norm of one value; None where it has no numbers."""
    measures = Measures()
    measures.add(0, value)
    return measures.of(0)


def measured(flat: Any, sizes: Sequence[int]) -> tuple[Any, ...]:
    """Of stretches of these sizes: entries that aren't zero, least, greatest, sum, sum of squares."""
    starts = [0, *accumulate(sizes)]
    starts.pop()
    sums, squares = numpy.add.reduceat(flat, starts), numpy.add.reduceat(flat * flat, starts)
    low, high = numpy.minimum.reduceat(flat, starts), numpy.maximum.reduceat(flat, starts)
    others = numpy.array(sizes) if flat.all() else numpy.add.reduceat(flat != 0, starts, dtype=numpy.int64)
    return others, low, high, sums, squares


def as_array(value: Any) -> Any:
    """The numbers of a number, or of all parts of a container end to end."""
    value = unboxed(value)
    if isinstance(value, (list, tuple, dict)):
        parts = [as_array(each) for each in (value.values() if isinstance(value, dict) else value)]
        return numpy.concatenate(parts, axis=None) if parts else numpy.zeros(0)
    return numpy.asarray(value)
