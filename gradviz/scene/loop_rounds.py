"""Which rounds of a loop a stack holds, where the loop's rounds differ: 3 to 7 of 12.

Counted by the lines that the code comes to again. A round that left no nodes isn't counted: nothing tells of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from gradviz.scene.loop_lines import Around, LoopFinder, LoopLines, Position
from gradviz.scene.loop_rows import Loop, Rows, Thing

ENDED: Position = ((2**31,),)  # behind all that a round can hold


@dataclass(frozen=True)
class Span:
    """A stack's first and last round, from 1, and how many rounds its loop has in all."""

    first: int
    last: int
    all: int

    @property
    def partial(self) -> bool:
        return (self.first, self.last) != (1, self.all)


@dataclass
class _Count:
    """The rounds of one run of a loop so far."""

    number: int = 0
    last: Position = ENDED
    seen: set[Hashable] = field(default_factory=set)  # at the last position

    def meet(self, position: Position, token: Hashable, inner: bool) -> None:
        """`inner`: what stands there is a loop of its own, and comes to the same place again and again."""
        again = position == self.last and not inner and token in self.seen
        if position < self.last or again:
            self.number += 1
        if position != self.last or again:
            self.seen = set()
        self.last = position
        self.seen.add(token)


class Rounds:
    """Counts rounds in rows of things."""

    def __init__(self, row: Rows, finder: LoopFinder) -> None:
        self._row, self._finder = row, finder

    def spans(self, things: Sequence[Thing]) -> dict[int, Span]:
        """For each loop among these things (by its place among them) what it holds; none where no source tells."""
        keys = {at: key for at, thing in enumerate(things) if isinstance(thing, Loop) and (key := self._key(thing))}
        wanted = set(keys.values())
        found: dict[int, tuple[int, int]] = {}
        count_of: dict[int, _Count] = {}
        running: dict[Around, _Count] = {}
        for at, thing in enumerate(things) if wanted else ():
            chain = self._finder.chain(self._row.stack(thing))
            inside = {key: inner for key, inner in zip(chain, (*chain[1:], None)) if key in wanted}
            # A loop that has ended and is run again counts anew.
            running = {key: running[key] if key in running else _Count() for key in inside}
            for key, inner in inside.items():
                if keys.get(at) == key and isinstance(thing, Loop):
                    found[at], count_of[at] = self._count_loop(thing, key, running[key]), running[key]
                else:
                    self._meet(thing, key, inner, running[key])
        return {at: Span(*ends, count_of[at].number) for at, ends in found.items()}

    def _count_loop(self, loop: Loop, key: Around, count: _Count) -> tuple[int, int]:
        """Its first two rounds tell how many of the script's rounds each is."""
        first, ends = 0, []
        for one in loop.rounds[:2]:
            for thing in one:
                chain = self._finder.chain(self._row.stack(thing))
                if key in chain:
                    at = chain.index(key)
                    self._meet(thing, chain[at], chain[at + 1] if at + 1 < len(chain) else None, count)
                first = first or count.number
            ends.append(count.number)
        count.number += (len(loop.rounds) - 2) * (ends[1] - ends[0])
        return max(first, 1), max(count.number, 1)

    def _meet(self, thing: Thing, key: Around, inner: Around | None, count: _Count) -> None:
        """`inner`: the next loop inside that the thing is in."""
        stack = self._row.stack(thing)
        outer = len(stack) - key.depth
        if inner is None:
            count.meet(self._finder.reached(stack[:outer]), self._row.token(thing), False)
        else:
            before = self._finder.reached(stack[len(stack) - inner.depth : outer])[:-1]
            count.meet((*before, (inner.lines.first, 0, 0, 0)), 0, True)

    def _key(self, loop: Loop) -> Around | None:
        """The loop statement, and from where it was run."""
        stacks = [self._row.stack(thing) for thing in loop.rounds[0]]
        lines: LoopLines | None = self._finder.enclosing(stacks)
        if lines is None or lines.several:
            return None
        return next((one for one in self._finder.chain(stacks[0]) if one.lines == lines), None)
