"""Kept numbers of a tensor, ready to be drawn: a slice as rows and columns, a histogram, short figures. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.model import Sample, Stats

Floats = NDArray[np.float64]
MOST_CELLS = 256  # rows or columns of a picture; more are thinned out
LONG_ROW = 64  # a vector longer than this is folded into rows
BINS = 33
MOST_VALUES = 1_000_000  # to be looked at: a picture and a histogram of more would look the same


@dataclass(frozen=True)
class Kept:
    """Numbers of a tensor; `steps` says for each dimension that every k-th entry is here."""

    values: Floats
    steps: tuple[int, ...]

    @property
    def whole(self) -> bool:
        return all(step == 1 for step in self.steps)


@dataclass(frozen=True)
class Slice:
    """A picture's values. `cells` may hold NaN and infinities; `blank` marks the rest of a folded vector's last row."""

    cells: Floats  # (rows, columns)
    blank: NDArray[np.bool_]
    row_step: int  # every k-th row of the tensor is drawn
    column_step: int
    folded: bool  # a vector written row by row
    columns: int  # of the kept values, before thinning


@dataclass(frozen=True)
class Histogram:
    """Counts between edges; exact zeros, NaN and infinities are left out and counted."""

    counts: NDArray[np.int64]
    edges: Floats
    zeros: int
    others: int
    measured: bool = True  # False: the edges are no figures of the tensor's


def values_of(sample: Sample) -> Kept:
    """The kept numbers as float64, complex ones by their magnitude; more than a picture needs are thinned out."""
    raw = np.frombuffer(sample.data, np.dtype(sample.dtype).newbyteorder("<")).reshape(sample.shape)
    steps = list(sample.strides)
    while raw.size > MOST_VALUES:
        widest = int(np.argmax(raw.shape))
        every_second = (*([slice(None)] * widest), slice(None, None, 2))
        raw = raw[every_second]
        steps[widest] *= 2
    if np.iscomplexobj(raw):
        raw = np.abs(raw)
    return Kept(raw.astype(np.float64), tuple(steps))


def slices(values: Floats) -> int:
    """How many pictures a tensor gives: one per index of the dimensions before the last two."""
    return math.prod(values.shape[:-2]) if values.ndim > 2 else 1


def slice_of(values: Floats, number: int = 0) -> Slice:
    """Rows are dim −2, columns dim −1, of the slice with this number."""
    folded = False
    if values.ndim > 2:
        values = values.reshape(slices(values), *values.shape[-2:])[number]
    blank = np.zeros(values.shape, bool)
    if values.ndim < 2:
        flat = values.reshape(-1)
        columns = row_length(len(flat))
        rows = -(-len(flat) // columns) if len(flat) else 0
        folded = rows > 1
        padded = np.full(rows * columns, np.nan)
        padded[: len(flat)] = flat
        blank = np.arange(rows * columns).reshape(rows, columns) >= len(flat)
        values = padded.reshape(rows, columns)
    row_step, column_step = (max(1, -(-size // MOST_CELLS)) for size in values.shape)
    return Slice(
        values[::row_step, ::column_step],
        blank[::row_step, ::column_step],
        row_step,
        column_step,
        folded,
        values.shape[1],
    )


def row_length(count: int) -> int:
    """How many entries of a vector go into a row: all, or a divisor that leaves no gap where there is a good one."""
    if count <= LONG_ROW:
        return max(count, 1)
    wish = max(LONG_ROW // 2, math.isqrt(count * 4))
    for length in sorted(range(wish // 2, wish * 2), key=lambda length: abs(length - wish)):
        if count % length == 0:
            return length
    return wish


def histogram(values: Floats) -> Histogram:
    flat = values.reshape(-1)
    finite = flat[np.isfinite(flat)]
    shown = finite[finite != 0]
    zeros = len(finite) - len(shown)
    if not len(shown):
        return Histogram(np.zeros(1, np.int64), np.array([-1.0, 1.0]), zeros, len(flat) - len(finite), False)
    limit = float(np.abs(shown).max())
    crosses = bool(shown.min() < 0 < shown.max())
    low, high = (-limit, limit) if crosses else (float(shown.min()), float(shown.max()))
    if not high > low:
        half = abs(low) / 2 or 0.5
        low, high = low - half, low + half
    if not math.isfinite(high - low):  # at the very end of float64: one bar
        return Histogram(np.array([len(shown)]), np.array([-1.0, 1.0]), zeros, len(flat) - len(finite), False)
    counts, edges = np.histogram(shown, BINS, (low, high))
    return Histogram(counts, edges, zeros, len(flat) - len(finite))


def deviation(stats: Stats, count: int) -> float:
    """Standard deviation from mean and norm over `count` entries; NaN where they don't tell."""
    if count <= 0 or not math.isfinite(stats.mean) or not math.isfinite(stats.norm):
        return math.nan
    return math.sqrt(max(0.0, stats.norm * (stats.norm / count) - stats.mean**2))


def stats_of(values: Floats) -> Stats:
    """The same figures from kept numbers, where all of them were kept and none were taken while recording."""
    nans, infs = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if not values.size:
        return Stats(0, 0, 0, math.nan, math.nan, math.nan, math.nan)
    with np.errstate(all="ignore"):
        norm = float(np.sqrt(np.square(values).sum()))
        return Stats(
            nans, infs, int((values == 0).sum()), float(values.min()), float(values.max()), float(values.mean()), norm
        )
