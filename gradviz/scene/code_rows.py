"""What stands side by side in the forward pass, cut up by the calls of the script's functions, and into sections.

A part is, as a module call is, an unbroken stretch of the forward pass, so that folding it can't make a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.groups import READABLE
from gradviz.scene.loop_rows import Rows
from gradviz.trace.model import Frame, Stack

FEWEST = 4  # things that a call's frame is drawn round
SPARSE = 12  # boxes side by side that need no call's frame
DEEPEST = 8  # calls in calls that get a frame each
LONGEST_WALK = 64  # calls that hold nearly all of a row, one in the other: a recursion
SECTIONS = 24  # side by side at most: more, and a first view is too small to read their shapes
SHORTEST_SECTION = 8  # boxes


@dataclass(frozen=True)
class Part:
    """Things that stand side by side, under one name. `call`: the frames down to the call, and the function called;
    a section of a row has its number in it instead.
    """

    things: tuple[int | Part, ...]
    stacks: tuple[Stack, ...]  # its things' places, as far as known
    call: Frame | None = None
    function: str = ""
    number: int = 0  # from 1
    of: int = 0


Places = NDArray[np.int64]
Piece = int | Part  # a node, ~a group, or a part


@dataclass(frozen=True)
class _Row:
    """Pieces side by side with what is known of each: its boxes, the number of its stack (-1: none), whether its lines
    go on from the piece before; and where the edges inside the row begin and end.
    """

    pieces: Sequence[Piece]
    boxes: Places
    numbers: Places
    goes_on: NDArray[np.bool_]
    low: Places
    high: Places

    def part(self, start: int, end: int) -> _Row:
        within = (self.low >= start) & (self.high < end)
        of = slice(start, end)
        ends = self.low[within] - start, self.high[within] - start
        return _Row(self.pieces[of], self.boxes[of], self.numbers[of], self.goes_on[of], *ends)

    def crossing(self) -> Places:
        """(pieces,) edges that a cut before each piece would cut."""
        size = len(self.pieces)
        change = np.bincount(self.low + 1, minlength=size + 1) - np.bincount(self.high + 1, minlength=size + 1)
        found: Places = np.cumsum(change)[:size]
        return found


class Cutter:
    """Arranges rows of one graph. `leaves`: how many leaves are drawn beside each node."""

    def __init__(self, rows: Rows, leaves: NDArray[np.int64]) -> None:
        self._rows = rows
        self._leaves = leaves
        self._frames: dict[int, Stack] = {}  # outermost first, by the stack's number
        self._common: dict[int, Stack] = {}  # likewise, by the thing
        graph = rows.graph
        self._tail, self._head = graph.tail, graph.head

    def arranged(self, things: Sequence[int], depth: int = 0) -> list[Piece]:
        """The row with calls and sections as one piece each, and so on inside them."""
        row = list(things)
        if len(row) <= SPARSE and int(self._boxes_of(row).sum()) <= SPARSE:
            return [*row]
        pieces = self._by_calls(row, depth) if depth < DEEPEST else [*row]
        return self.in_sections(pieces)

    # -- calls
    def _by_calls(self, row: list[int], depth: int) -> list[Piece]:
        """Where one call holds nearly all of a row, a frame round it would say nothing: what it called is looked at."""
        before: list[Piece] = []
        after: list[Piece] = []
        for _ in range(LONGEST_WALK):
            frames = self._frames_of(row)
            shared = _shared(frames)
            calls = [one[shared] if len(one) > shared + 1 else None for one in frames]
            runs = _runs(calls)
            start, end = max(runs, key=lambda run: run[1] - run[0])
            if calls[start] is None or end - start <= len(row) - FEWEST:
                break
            before, after = [*before, *row[:start]], [*row[end:], *after]
            row = row[start:end]
        else:
            return [*before, *row, *after]
        found: list[Piece] = []
        for start, end in runs:
            call = calls[start]
            if call is None or end - start < FEWEST:
                found += row[start:end]
                continue
            function = frames[start][shared + 1].function
            inside = self.arranged(row[start:end], depth + 1)
            stacks = self._stacks([self._number(thing) for thing in row[start:end]])
            found.append(Part(tuple(inside), stacks, call, function))
        return [*before, *found, *after]

    def _frames_of(self, row: Sequence[int]) -> list[Stack]:
        """Of each thing the frames that all in it share. A node of which none are known stands with those before it."""
        found: list[Stack] = []
        last: Stack = ()
        for thing in row:
            last = self._frames_round(thing) or last
            found.append(last)
        return found

    def _frames_round(self, thing: int) -> Stack:
        if thing >= 0:
            return self._outside_in(self._rows.stack_number(thing))
        known = self._common.get(thing)
        if known is None:
            numbers = {self._rows.stack_number(node) for node in self._rows.nodes((thing,))} - {-1}
            stacks = [self._outside_in(number) for number in numbers]
            known = self._common[thing] = stacks[0][: _shared(stacks)] if stacks else ()
        return known

    def _outside_in(self, number: int) -> Stack:
        known = self._frames.get(number)
        if known is None:
            known = self._frames[number] = self._rows.trace.stack(number)[::-1] if number >= 0 else ()
        return known

    # -- sections
    def in_sections(self, row: Sequence[Piece]) -> list[Piece]:
        """More than can be read is cut where the least goes across."""
        boxes = self._boxes_of(row)
        if int(boxes.sum()) <= READABLE:
            return list(row)
        numbers = np.array([-1 if isinstance(piece, Part) else self._number(piece) for piece in row], np.int64)
        return self._cut(_Row(row, boxes, numbers, self._lines_go_on(numbers), *self._ends(row)))

    def _cut(self, row: _Row) -> list[Piece]:
        total = int(row.boxes.sum())
        count = min(max(total // SHORTEST_SECTION, 2), SECTIONS)
        cuts = [0, *_cuts(row.boxes, row.crossing(), row.goes_on, count), len(row.pieces)]
        spans = list(zip(cuts, cuts[1:]))
        return [
            Part(tuple(self._inside(row, start, end)), self._places(row, start, end), number=number, of=len(spans))
            if end - start > 1
            else row.pieces[start]
            for number, (start, end) in enumerate(spans, 1)
        ]

    def _inside(self, row: _Row, start: int, end: int) -> Sequence[Piece]:
        if int(row.boxes[start:end].sum()) <= READABLE:
            return row.pieces[start:end]
        return self._cut(row.part(start, end))

    def _ends(self, row: Sequence[Piece]) -> tuple[Places, Places]:
        """Of the edges inside a row, the places in it where each begins and ends, the lower first."""
        place = np.full(len(self._rows.graph), -1, np.int64)
        single = [piece if isinstance(piece, int) and piece >= 0 else -1 for piece in row]
        for at, node in enumerate(single):
            if node < 0:
                place[self._nodes(row[at])] = at
        nodes = np.array(single, np.int64)
        place[nodes[nodes >= 0]] = np.flatnonzero(nodes >= 0)
        one, other = place[self._tail], place[self._head]
        inside = (one >= 0) & (other >= 0) & (one != other)
        return np.minimum(one, other)[inside], np.maximum(one, other)[inside]

    def _lines_go_on(self, numbers: Places) -> NDArray[np.bool_]:
        """(pieces,) whether the lines that made a piece made the one before it, too. `numbers`: of their stacks."""
        known: dict[tuple[tuple[str, int], ...], int] = {(): -1}
        lines: dict[int, int] = {}  # equal for equal lines
        for number in np.unique(numbers).tolist():
            key = tuple((frame.file, frame.line) for frame in self._outside_in(number))
            lines[number] = known.setdefault(key, len(known))
        here = np.array([lines[number] for number in numbers.tolist()], np.int64)
        return np.append(False, (here[1:] == here[:-1]) & (here[1:] >= 0))

    def _nodes(self, piece: Piece) -> list[int]:
        if isinstance(piece, Part):
            return [node for each in piece.things for node in self._nodes(each)]
        return list(self._rows.nodes((piece,)))

    def _boxes_of(self, row: Sequence[Piece]) -> NDArray[np.int64]:
        """How many boxes are drawn for each, where it stands folded."""
        node = np.array([piece if isinstance(piece, int) else -1 for piece in row], np.int64)
        return np.where(node >= 0, 1 + self._leaves[node], 1)

    def _places(self, row: _Row, start: int, end: int) -> tuple[Stack, ...]:
        """The places that are known in a part of a row, each once."""
        pieces = row.pieces[start:end]
        parts = [piece.stacks[0] for piece in pieces if isinstance(piece, Part) and piece.stacks]
        return (*self._stacks(row.numbers[start:end].tolist()), *parts)

    def _stacks(self, numbers: Sequence[int]) -> tuple[Stack, ...]:
        return tuple(self._rows.trace.stack(number) for number in dict.fromkeys(numbers) if number >= 0)

    def _number(self, thing: int) -> int:
        return self._rows.stack_number(thing if thing >= 0 else next(self._rows.nodes((thing,))))


def _shared(stacks: Sequence[Stack]) -> int:
    """How many frames all of these begin with."""
    first = stacks[0]
    shared = min(map(len, stacks))
    for other in stacks[1:]:
        if other is first:
            continue
        at = 0
        while at < shared and other[at] == first[at]:
            at += 1
        shared = at
    return shared


def _runs(keys: Sequence[Frame | None]) -> list[tuple[int, int]]:
    """Where equal ones stand in a row."""
    ends = [at for at in range(1, len(keys)) if keys[at] != keys[at - 1]]
    return list(zip([0, *ends], [*ends, len(keys)]))


def _cuts(boxes: NDArray[np.int64], crossing: NDArray[np.int64], inside: NDArray[np.bool_], count: int) -> list[int]:
    """Places of `count` - 1 cuts for pieces of about the same size; each is moved by up to a quarter of a piece to
    where the least goes across, and not amid a line.
    """
    above = np.cumsum(boxes)
    step = above[-1] / count
    found: list[int] = []
    for number in range(1, count):
        low, high = np.searchsorted(above, ((number - 0.25) * step, (number + 0.25) * step))
        low = max(int(low) + 1, (found[-1] if found else 0) + 1)
        high = min(max(int(high) + 1, low), len(boxes) - 1)
        if low > high:
            continue
        near = np.abs(above[low - 1 : high] - number * step)
        best = low + int(np.lexsort((near, inside[low : high + 1], crossing[low : high + 1]))[0])
        found.append(best)
    return found
