"""Where shapes stand: beside the line just above its head, in rows where they would overlap; in a lane on the line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import ClassVar

from gradviz.layout.own.proper import LABEL_GAP

ROW_GAP = 1.0
_SPACE = 4.0  # between two labels in a row
_NEAR = 200  # labels in a lane that a new one is kept clear of
_ROWS = 6  # the last takes what fits nowhere


@dataclass
class GapLabels:
    """The labels of the edges that end (or, where edges share a port, begin) in one gap."""

    CAREFUL: ClassVar[int] = 4000  # labels in the graph up to which none may overlap another

    careful: bool
    lines: list[float] = field(default_factory=list)  # x of the vertical lines in the gap's lower part
    wanted: list[tuple[int, float, float, float]] = field(default_factory=list)  # edge, x of its line, width, height
    placed: dict[int, tuple[float, float]] = field(default_factory=dict)  # edge: x, y below the first row's upper end
    begin: float = 0.0  # the first row's upper end below the gap's

    def add(self, edge: int, x: float, width: float, height: float) -> None:
        self.wanted.append((edge, x, width, height))

    def arrange(self, side: int) -> float:
        """Places all; returns the height of the rows."""
        if not self.wanted:
            return 0.0
        tall = max([height for _, _, _, height in self.wanted]) + ROW_GAP
        if not self.careful or len(self.lines) == 1:
            for edge, x, width, _ in self.wanted:
                self.placed[edge] = (x + side * (LABEL_GAP + width / 2), tall / 2)
            return tall
        self.lines.sort()
        rows: list[list[tuple[float, float]]] = []
        spots = []
        for edge, x, width, _ in sorted(self.wanted, key=lambda want: (want[1], want[0])):
            row, centre = self._spot(rows, x, width, side)
            if row == len(rows):
                rows.append([])
            rows[row].append((centre - width / 2, centre + width / 2))
            spots.append((edge, row, centre))
        for edge, row, centre in spots:
            self.placed[edge] = (centre, (len(rows) - 1 - row + 0.5) * tall)
        return tall * len(rows)

    def _spot(self, rows: list[list[tuple[float, float]]], x: float, width: float, side: int) -> tuple[int, float]:
        """The row and centre that hide the fewest lines; a side that is not the usual one and a new row cost, too."""
        best: tuple[float, int, float] | None = None
        for row in range(len(rows) + 1):
            for way in (side, -side):
                centre = x + way * (LABEL_GAP + width / 2)
                low, high = centre - width / 2, centre + width / 2
                if row < len(rows) and any(low < b + _SPACE and a < high + _SPACE for a, b in rows[row][-64:]):
                    continue
                hidden = bisect_right(self.lines, high) - bisect_left(self.lines, low)
                cost = 2.0 * hidden + (way != side) + (1.5 * row if row < _ROWS else 4.0 * row)
                if best is None or cost < best[0]:
                    best = (cost, row, centre)
        assert best is not None
        return best[1], best[2]


@dataclass(frozen=True)
class LaneLabel:
    """A label that wants to stand on the line at x between y = low and y = high."""

    edge: int
    x: float
    low: float
    high: float
    width: float
    height: float


def stagger(wanted: list[LaneLabel]) -> dict[int, tuple[float, float]]:
    """Places on their lines, as near to the middle as the labels placed before allow."""
    placed: list[tuple[float, float, LaneLabel]] = []
    for label in sorted(wanted, key=lambda label: (label.high - label.low - label.height, label.edge)):
        middle = (label.low + label.high) / 2
        slack = max(0.0, (label.high - label.low - label.height) / 2)
        beside = [
            (y, (label.height + other.height) / 2 + _SPACE)
            for x, y, other in placed[-_NEAR:]
            if abs(x - label.x) < (label.width + other.width) / 2 + _SPACE
        ]
        spots = [y + way * apart for y, apart in beside for way in (1, -1)]
        spots = [middle] + [spot for spot in spots if abs(spot - middle) <= slack]
        spots.sort(key=lambda spot: (abs(spot - middle), spot))
        free = (spot for spot in spots if all(abs(y - spot) >= apart - 0.01 for y, apart in beside))
        placed.append((label.x, next(free, middle), label))
    return {label.edge: (x, y) for x, y, label in placed}
