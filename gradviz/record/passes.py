"""Which backward passes are to be stored: the words of --passes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChosenPasses:
    """`numbers` empty = all (or, with only_last, all until a newer one comes)."""

    numbers: frozenset[int] = frozenset()
    only_last: bool = False

    def may_store(self, number: int) -> bool:
        """Whether pass `number`, counted from 0, may be stored."""
        return not self.numbers or number in self.numbers


def chosen_passes(words: str) -> ChosenPasses:
    """Reads `all`, `first`, `last` or `0,4,7`. Raises ValueError with a sentence."""
    if words == "all":
        return ChosenPasses()
    if words == "first":
        return ChosenPasses(frozenset({0}))
    if words == "last":
        return ChosenPasses(only_last=True)
    try:
        numbers = frozenset(int(word) for word in words.split(","))
    except ValueError:
        numbers = frozenset()
    if not numbers or min(numbers) < 0:
        raise ValueError(f"passes are all, first, last or numbers from 0 such as 0,4: not {words!r}")
    return ChosenPasses(numbers)
