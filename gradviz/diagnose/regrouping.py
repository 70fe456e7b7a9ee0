"""What view and reshape do to dimensions: keep, split and merge neighbours, or read across where dimensions end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, permutations
from operator import mul

MOST = 6  # dimensions; of more all orders aren't tried


@dataclass(frozen=True)
class Regrouping:
    """Sizes before and after, those of 1 left out: they hold nothing."""

    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, before: Sequence[object], after: Sequence[object]) -> Regrouping | None:
        """None where a size is not a number or nothing is held."""
        sizes = [tuple(d for d in shape if isinstance(d, int)) for shape in (before, after)]
        if [len(s) for s in sizes] != [len(before), len(after)] or 0 in (*sizes[0], *sizes[1]):
            return None
        first, second = (tuple(d for d in shape if d != 1) for shape in sizes)
        return cls(first, second)

    def neighbourly(self) -> bool:
        """Whether each dimension is kept, split, or merged with its neighbours."""
        ends, new_ends = _ends(self.before), _ends(self.after)
        both = sorted(set(ends) & set(new_ends))
        if not both or both[-1] != ends[-1]:
            return not ends and not new_ends
        start = 0
        for end in both:
            pieces = [sum(start < e <= end for e in some) for some in (ends, new_ends)]
            if min(pieces) > 1:
                return False
            start = end
        return True

    def by_splitting(self) -> bool:
        """Whether splitting dimensions and merging neighbours of the pieces can be what was meant."""
        ends = sorted({1, *_ends(self.before), *_ends(self.after)})
        return all(large % small == 0 for small, large in zip(ends, ends[1:]))

    def order(self) -> tuple[int, ...] | None:
        """The order of the dimensions before in which they had only to be kept or merged; the least change of all."""
        return _order(self.before, self.after)


@lru_cache(maxsize=512)  # a loop views the same sizes again and again
def _order(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...] | None:
    if len(before) > MOST or len(after) > len(before):
        return None
    fitting = [o for o in permutations(range(len(before))) if merges([before[i] for i in o], after)]
    return min(fitting, key=_inversions, default=None)


def merges(sizes: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether merging neighbours makes one of the other."""
    return set(_ends(wanted)) <= set(_ends(sizes)) and _ends(wanted)[-1:] == _ends(sizes)[-1:]


def _ends(sizes: Sequence[int]) -> list[int]:
    """Where dimensions end in memory, counted in entries from the last one."""
    return list(accumulate(reversed(sizes), mul))


def _inversions(order: tuple[int, ...]) -> int:
    return sum(a > b for at, a in enumerate(order) for b in order[at + 1 :])
