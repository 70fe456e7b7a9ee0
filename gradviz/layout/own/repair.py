"""The last look at labels: one that overlaps a box or another label moves to a free spot along its own line."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.layout.own.proper import LABEL_GAP

Point = tuple[float, float]
Rect = tuple[float, float, float, float]  # left, top, right, bottom

_CELL = 160.0
_STEP = 12.0  # between the spots tried along a line
_SPOTS = 400  # tried per label
_TOUCH = 0.25  # less is no overlap


class Occupied:
    """Rectangles in a grid, so that only neighbours are compared."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[tuple[int, Rect]]] = {}

    def add(self, key: int, rect: Rect) -> None:
        for cell in _cells(rect):
            self._cells.setdefault(cell, []).append((key, rect))

    def remove(self, key: int, rect: Rect) -> None:
        for cell in _cells(rect):
            self._cells[cell].remove((key, rect))

    def free(self, rect: Rect, but: int) -> bool:
        left, top, right, bottom = rect
        for cell in _cells(rect):
            for key, (a, b, c, d) in self._cells.get(cell, ()):
                if key != but and left < c - _TOUCH and a < right - _TOUCH and top < d - _TOUCH and b < bottom - _TOUCH:
                    return False
        return True


def _cells(rect: Rect) -> Iterator[tuple[int, int]]:
    for column in range(int(rect[0] // _CELL), int(rect[2] // _CELL) + 1):
        for row in range(int(rect[1] // _CELL), int(rect[3] // _CELL) + 1):
            yield column, row


def repair(
    boxes: list[Rect], labels: list[Point | None], sizes: list[tuple[float, float]], routes: list[list[Point]]
) -> None:
    """Moves labels in place. Where no spot along the line is free, a label stays where it was."""
    occupied = Occupied()
    for v, rect in enumerate(boxes):
        occupied.add(-1 - v, rect)
    named = [(e, label) for e, label in enumerate(labels) if label is not None]
    for e, label in named:
        occupied.add(e, _rect(label, sizes[e]))
    for e, label in named:
        now = _rect(label, sizes[e])
        if occupied.free(now, e):
            continue
        spots = (spot for _, spot in zip(range(_SPOTS), _spots(routes[e], sizes[e]), strict=False))
        better = next((spot for spot in spots if occupied.free(_rect(spot, sizes[e]), e)), None)
        if better is not None:
            occupied.remove(e, now)
            occupied.add(e, _rect(better, sizes[e]))
            labels[e] = better


def _rect(centre: Point, size: tuple[float, float]) -> Rect:
    x, y = centre
    width, height = size
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _spots(route: list[Point], size: tuple[float, float]) -> Iterator[Point]:
    """Beside and on each stretch of the line, the longest first, from its middle outwards."""
    stretches = [(abs(a[0] - b[0]) + abs(a[1] - b[1]), a, b) for a, b in zip(route, route[1:], strict=False)]
    for length, (x0, y0), (x1, y1) in sorted(stretches, key=lambda stretch: -stretch[0]):
        upright = x0 == x1
        aside = LABEL_GAP + (size[0] if upright else size[1]) / 2
        for step in range(int(length / 2 / _STEP) + 1):
            for way in (1, -1) if step else (1,):
                part = 0.5 + way * step * _STEP / length if length else 0.5
                x, y = x0 + (x1 - x0) * part, y0 + (y1 - y0) * part
                for off in (aside, -aside, 0.0):
                    yield (x + off, y) if upright else (x, y + off)
