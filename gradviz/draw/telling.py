"""Who draws much tells how far it is. Whoever listens may raise: that ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
Tell = Callable[[int, int], object]  # how many are done, of how many
EVERY = 256


def nobody(done: int, total: int) -> None:
    """Nobody wants to know."""


def told(things: Iterable[T], tell: Tell, done: int, total: int) -> Iterator[T]:
    """The things, one by one; every so often it is told how many were done, those `done` before them included."""
    for number, thing in enumerate(things):
        if number % EVERY == 0:
            tell(done + number, total)
        yield thing
