"""What the bench modules share: a measured row, interleaved rounds, and medians with their spread.

A bench module `bench_NAME.py` has one function `rows(rounds)` or `rows(rounds, wanted)` that returns Measured rows.
`wanted(name)` tells whether a row was asked for, so that a module can leave out work that nobody wants to see.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Wanted = Callable[[str], bool]
T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """One figure. `spread` holds the quartiles of the rounds, in the unit of the value."""

    name: str
    value: float
    unit: str
    spread: tuple[float, float] | None = None


def median_of(name: str, unit: str, values: Sequence[float]) -> Measured:
    """The row of a quantity that was measured in several rounds."""
    return Measured(name, statistics.median(values), unit, quartiles(values))


def ratio_of(name: str, values: Sequence[float], bare: Sequence[float]) -> Measured:
    """The row of a ratio: the median over the rounds, each round's value divided by the bare one of the same round.

    A neighbour that takes the processor for a while slows both sides of one round, not one side of all.
    """
    return median_of(name, "×", [value / base for value, base in zip(values, bare, strict=True)])


def quartiles(values: Sequence[float]) -> tuple[float, float] | None:
    """Lower and upper quartile; None for a single value."""
    if len(values) < 2:
        return None
    cuts = statistics.quantiles(values, n=4, method="inclusive")
    return cuts[0], cuts[2]


def interleave(variants: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Run every variant once a round, in turn, from another one each time; returns what each returned, by round."""
    names = list(variants)
    results: dict[str, list[T]] = {name: [] for name in names}
    for number in range(rounds):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            results[name].append(variants[name]())
    return results


def embraced(
    base: Callable[[], float], variants: Mapping[str, Callable[[], float]], rounds: int
) -> dict[str, list[float]]:
    """As `interleave`, with the base before and after every variant: returns ratios to the mean of those two.

    What a machine's speed does meanwhile, as far as it goes on in one direction, falls out of each ratio.
    """
    names = list(variants)
    ratios: dict[str, list[float]] = {name: [] for name in names}
    before = base()
    for number in range(rounds):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            value, after = variants[name](), base()
            ratios[name].append(2 * value / (before + after))
            before = after
    return ratios
