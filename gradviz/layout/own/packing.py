"""Blocks side by side: what stands in each one's way, and moves towards what it hangs on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Walls = list[tuple[int, float]]  # other blocks and the distance to each


def walls(of: NDArray[np.int64], other: NDArray[np.int64], distance: NDArray[np.float64], count: int) -> list[Walls]:
    """For each of `count` blocks, its (other block, distance) in the order given."""
    order = np.argsort(of, kind="stable")
    pairs = list(zip(other[order].tolist(), distance[order].tolist(), strict=True))
    ends = np.cumsum(np.bincount(of, minlength=count)).tolist()
    return [pairs[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _wish(x: list[float], pulls: Walls) -> float:
    """The median of the places that the neighbours wish for."""
    if len(pulls) == 2:
        (a, left), (b, right) = pulls
        return ((x[a] + left) + (x[b] + right)) / 2
    wished = sorted([x[other] + shift for other, shift in pulls])
    middle = len(wished) // 2
    return wished[middle] if len(wished) % 2 else (wished[middle - 1] + wished[middle]) / 2


def move_right(x: list[float], blocks: list[int], pulls: list[Walls], barriers: list[Walls]) -> bool:
    """Move each towards its neighbours, but to the right only and up to the next block only; False where none did."""
    moved = False
    for b in blocks:
        its = pulls[b]
        goal = x[its[0][0]] + its[0][1] if len(its) == 1 else _wish(x, its)
        if goal > x[b]:
            for other, need in barriers[b]:
                if x[other] - need < goal:
                    goal = x[other] - need
            if goal > x[b]:
                x[b] = goal
                moved = True
    return moved


def move_left(x: list[float], blocks: list[int], pulls: list[Walls], barriers: list[Walls]) -> bool:
    """The same to the left."""
    moved = False
    for b in blocks:
        its = pulls[b]
        goal = x[its[0][0]] + its[0][1] if len(its) == 1 else _wish(x, its)
        if goal < x[b]:
            for other, need in barriers[b]:
                if x[other] + need > goal:
                    goal = x[other] + need
            if goal < x[b]:
                x[b] = goal
                moved = True
    return moved
