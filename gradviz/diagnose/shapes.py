"""Shapes: how they are written, and how two of them broadcast."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.trace.model import Dim

Shape = tuple[Dim, ...]


def text(shape: Shape | None) -> str:
    """'[20, 1]', and '[ ]' for a scalar."""
    if shape is None:
        return "?"
    return f"[{', '.join(map(str, shape))}]" if shape else "[ ]"


def count(shape: Shape) -> int:
    """Number of entries; -1 where a size is not a number."""
    return math.prod(d for d in shape if isinstance(d, int)) if all(isinstance(d, int) for d in shape) else -1


def known(shape: Shape) -> bool:
    return all(isinstance(d, int) for d in shape)


def expands(given: Shape, wanted: Shape) -> bool:
    """Whether expand() makes one of the other; not of a single number without dimensions, which is no weight of its."""
    if not given or len(given) > len(wanted) or given == wanted:
        return False
    return all(size in (1, target) for size, target in zip(given[::-1], wanted[::-1]))


@dataclass(frozen=True)
class Stretch:
    """What broadcasting does to one operand; dimensions are counted from the right: -1, -2."""

    shape: Shape
    stretched: tuple[int, ...]  # size 1, repeated
    added: tuple[int, ...]  # put in front

    @property
    def enlarged(self) -> set[int]:
        return {*self.stretched, *self.added}


@dataclass(frozen=True)
class Broadcast:
    """Two operands and the shape they make together."""

    result: Shape
    first: Stretch
    second: Stretch

    @property
    def mutual(self) -> bool:
        """Each stretches the other: every entry of one meets every entry of the other."""
        return bool(self.first.enlarged - self.second.enlarged) and bool(self.second.enlarged - self.first.enlarged)


def at(shape: Shape, dim: int) -> Dim | None:
    """The size at a dimension counted from the right; None where the shape has no such dimension."""
    return shape[dim] if -dim <= len(shape) else None


def broadcast(first: Shape, second: Shape) -> Broadcast | None:
    """How two shapes broadcast; None when they don't, or when a size isn't a number."""
    if not known(first) or not known(second):
        return None
    rank = max(len(first), len(second))
    result: list[Dim] = []
    for dim in range(-rank, 0):
        sizes = [s for s in (at(first, dim), at(second, dim)) if s is not None]
        larger = [s for s in sizes if s != 1]
        if len(set(larger)) > 1:
            return None
        result.append(larger[0] if larger else 1)
    whole = tuple(result)
    return Broadcast(whole, _stretch(first, whole), _stretch(second, whole))


def _stretch(shape: Shape, result: Shape) -> Stretch:
    dims = range(-len(result), 0)
    return Stretch(
        shape,
        tuple(d for d in dims if at(shape, d) == 1 and result[d] != 1),
        tuple(d for d in dims if at(shape, d) is None and result[d] != 1),
    )


def clash(first: Shape, second: Shape) -> tuple[int, ...]:
    """The dimensions, from the right, that keep two shapes from broadcasting."""
    rank = min(len(first), len(second))
    return tuple(d for d in range(-rank, 0) if first[d] != second[d] and 1 not in (first[d], second[d]))


def differing(expected: Shape, received: Shape) -> tuple[int, ...]:
    """Dimensions of `received`, from the right, that `expected` hasn't or has in another size."""
    return tuple(d for d in range(-len(received), 0) if at(expected, d) != received[d])


def reduces_to(shape: Shape, smaller: Shape) -> bool:
    """Whether summing over broadcast dimensions brings `shape` to `smaller`, as the engine does with a gradient."""
    made = broadcast(shape, smaller)
    return made is not None and made.result == shape
