"""Walks from a value to where it came from, to find where the way back for the gradient was cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose.bridges import Exit, exits
from gradviz.diagnose.case import Case, sources
from gradviz.diagnose.vocabulary import COPIERS, CUTS, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_INFERENCE, OP_NO_GRAD, OP_RAISED, VALUE_LEAF, VALUE_REQUIRES_GRAD

LIMIT = 5000


@dataclass(frozen=True)
class Cut:
    """A call that takes in something that needs grad and gives out something that doesn't."""

    op: model.Op
    operand: int
    no_grad: bool

    @property
    def value(self) -> model.Value:
        return self.op.operands[self.operand]


def ancestors(case: Case, value: int, before: int | None = None) -> Iterator[model.Op]:
    """The calls that a value was computed by, nearest first; through Python numbers and arrays where the text tells."""
    ways_out: list[Exit] | None = None
    waiting: list[tuple[int, int | None]] = [(value, before)]
    seen: set[int] = set()
    while waiting and len(seen) < LIMIT:
        number, at = waiting.pop(0)
        maker = case.producer(number, at) if number >= 0 else None
        if maker is None or maker.number in seen:
            continue
        seen.add(maker.number)
        yield maker
        waiting += [(v.number, maker.number) for v in sources(maker, number)]
        if not any(v.flags & VALUE_REQUIRES_GRAD for v in maker.operands):
            ways_out = exits(case) if ways_out is None else ways_out
            for way in ways_out:
                if way.feeds(case, maker) and way.op.number not in seen:
                    seen.add(way.op.number)
                    yield way.op
                    waiting += [(v.number, way.op.number) for v in way.op.operands]


def cuts(case: Case, value: int, before: int | None = None) -> list[Cut]:
    """Where the graph behind a value was cut, nearest first."""
    found = []
    for op in ancestors(case, value, before):
        cut = as_cut(op)
        if cut is not None:
            found.append(cut)
    return found


def as_cut(op: model.Op) -> Cut | None:
    needing = [i for i, v in enumerate(op.operands) if v.flags & VALUE_REQUIRES_GRAD]
    if op.flags & OP_RAISED or not needing:
        return None
    if any(r.flags & VALUE_REQUIRES_GRAD for r in op.results) and not _copies(op):
        return None
    if plain(op.name) in ("grad", "requires_grad", "register_hook", "retain_grad"):
        return None
    without = bool(op.flags & (OP_NO_GRAD | OP_INFERENCE))
    if not op.results and plain(op.name) not in CUTS:
        return None
    return Cut(op, needing[0], without and plain(op.name) not in CUTS)


def _copies(op: model.Op) -> bool:
    """Whether it made leaves of what has a graph: they ask for a gradient, and what is behind them gets none."""
    leaf = VALUE_LEAF | VALUE_REQUIRES_GRAD
    given = {value.number for value in op.operands}
    return plain(op.name) in COPIERS and all(r.flags & leaf == leaf and r.number not in given for r in op.results)


def leaves_behind(case: Case, value: int, before: int | None = None) -> set[int]:
    """The values with no maker that a value was computed from."""
    found: set[int] = set()
    waiting: list[tuple[int, int | None]] = [(value, before)]
    seen: set[tuple[int, int]] = set()
    while waiting and len(seen) < LIMIT:
        number, at = waiting.pop()
        if number < 0:
            continue
        maker = case.producer(number, at)
        key = (number, maker.number if maker is not None else -1)
        if key in seen:
            continue
        seen.add(key)
        if number in case.leaf_by_value:
            found.add(number)
        if maker is None or not maker.operands:
            found.add(number)
            continue
        waiting += [(v.number, maker.number) for v in sources(maker, number)]
    return found
