"""What stands several times in a row: [a b c] [a b c] [a b c] in a list of tokens. Numbers only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHORTEST = 3  # copies; two of a kind are no pattern yet
MOST_PERIODS = 256  # tried, those that most tokens speak for


@dataclass(frozen=True)
class Run:
    """`copies` blocks of `period` tokens each, beginning at `start`."""

    start: int
    period: int
    copies: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.copies


@dataclass(frozen=True)
class Stretch:
    """Tokens `start` .. `end` - 1, each of which equals the one `period` later as far as that lies inside."""

    start: int
    end: int
    period: int


def any_fits(stretch: Stretch) -> bool:
    return True


def stretches(
    tokens: NDArray[np.int64], shortest: int = SHORTEST, fits: Callable[[Stretch], bool] = any_fits
) -> list[Stretch]:
    """All periodic stretches of at least `shortest` copies that fit; none overlaps another, shorter periods first."""
    count = len(tokens)
    taken = np.zeros(count, bool)
    found: list[Stretch] = []
    for period in _periods(tokens, shortest):
        equal = (tokens[period:] == tokens[:-period]) & ~taken[period:] & ~taken[:-period]
        steps = np.diff(np.concatenate(([0], equal.view(np.int8), [0])))
        for first, last in zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()):
            if last - first < (shortest - 1) * period or taken[first : last + period].any():
                continue
            stretch = Stretch(first, last + period, period)
            if fits(stretch):
                taken[first : last + period] = True
                found.append(stretch)
    return found


def _periods(tokens: NDArray[np.int64], shortest: int) -> list[int]:
    """Distances between equal neighbours, ascending; only those that can make a stretch."""
    count = len(tokens)
    order = np.argsort(tokens, kind="stable")
    same = tokens[order[1:]] == tokens[order[:-1]]
    distances = (order[1:] - order[:-1])[same]
    periods, votes = np.unique(distances[distances <= count // shortest], return_counts=True)
    likely = votes >= shortest - 1
    periods, votes = periods[likely], votes[likely]
    if len(periods) > MOST_PERIODS:
        periods = np.sort(periods[np.argsort(-votes, kind="stable")[:MOST_PERIODS]])
    found: list[int] = periods.tolist()
    return found
