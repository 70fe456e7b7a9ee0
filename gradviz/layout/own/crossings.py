"""Crossings between neighbouring layers, counted in all gaps at once: most gaps hold a handful of lines."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

_FEW = 48  # lines in a gap up to which every pair is looked at


def gap_crossings(
    gap: NDArray[np.int64], top: NDArray[np.float64], bottom: NDArray[np.float64], gaps: int
) -> NDArray[np.int64]:
    """How many pairs of lines cross in each of the `gaps` gaps; line s runs in gap[s] from top[s] to bottom[s]."""
    counts = np.zeros(gaps, np.int64)
    if len(gap) < 2:
        return counts
    order = np.lexsort((bottom, top, gap))
    gap, bottom = gap[order], bottom[order]
    size = np.bincount(gap, minlength=gaps)
    for crowded in np.flatnonzero(size > _FEW).tolist():
        begin, end = np.searchsorted(gap, (crowded, crowded + 1)).tolist()
        counts[crowded] = inversions(bottom[begin:end].tolist())
    left = np.flatnonzero((size[gap] > 1) & (size[gap] <= _FEW))  # the left line of each pair
    apart = 1
    while len(left := left[left < len(gap) - apart]):
        left = left[gap[left + apart] == gap[left]]
        crossed = left[bottom[left] > bottom[left + apart]]
        if len(crossed):
            counts += np.bincount(gap[crossed], minlength=gaps)
        apart += 1
    return counts


def inversions(values: list[float]) -> int:
    """Pairs that stand in the wrong order; merge sort, so that 50,000 edges between two layers are no problem."""
    if values == sorted(values):
        return 0
    total = 0
    runs = [[value] for value in values]
    while len(runs) > 1:
        merged = []
        for i in range(0, len(runs) - 1, 2):
            a, b = runs[i], runs[i + 1]
            if a[-1] > b[0]:
                total += sum([len(a) - bisect_right(a, value) for value in b])
                a = sorted(a + b)
            else:
                a += b
            merged.append(a)
        if len(runs) % 2:
            merged.append(runs[-1])
        runs = merged
    return total
