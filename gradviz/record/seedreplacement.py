"""The wish to run one call of backward or grad with another seed: what `seed_replacement` in the config says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TRIED = "tried"  # `backward.phase` of a pass whose seed was replaced


@dataclass(frozen=True)
class SeedReplacement:
    """Replace the seed at pass `number`, called from this place, and in later calls from there: the line as rewritten.

    `kind`: none (leave it out) | ones | mean (ones, divided by their number) | reshape | expand (what was given, in the
    output's shape) | cast (in its dtype) | first (without the surplus) | rows (one pass for each row) | batched |
    unbatched (the flag is_grads_batched). `output`: whose seed is meant, -1 = all. `file` is "" for a call that no line
    of theirs made.
    """

    kind: str
    number: int
    file: str
    line: int
    column: int = -1
    output: int = -1

    def is_at(self, file: str, line: int, column: int) -> bool:
        """Whether that place is meant; columns count where both are known."""
        return (file, line) == (self.file, self.line) and (column == self.column or -1 in (column, self.column))


class Numbers(Iterator[int]):
    """Counts from 0, and tells what comes next."""

    def __init__(self) -> None:
        self.upcoming = 0

    def __next__(self) -> int:
        self.upcoming += 1
        return self.upcoming - 1


def seed_replacement(wish: Mapping[str, Any] | None) -> SeedReplacement | None:
    """Reads the config's entry."""
    return None if wish is None else SeedReplacement(**wish)
