"""Open groups: the content of each is arranged first and is then one box in the level above it.

An edge that leaves or enters groups is cut at every frame. Within a group its end is a terminal on the frame, a box
without size pinned to the first or the last layer; on the level above, the frame has a fixed port at the same place.
So the pieces join to one line. Folding nodes into boxes can close cycles that the nodes had not: each level turns its
own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import AUTO, ENTRY, EXIT, FREE, FlatGraph, FlatPlaces, Point, Routes, Style
from gradviz.layout.own.ranking import upward_edges
from gradviz.layout.own.rows import arrange_rows

ROOT = -1


@dataclass(frozen=True)
class Boxes:
    """The whole graph, as the own engine takes it: any edges, groups with their parents."""

    widths: list[float]
    heights: list[float]
    tail: list[int]
    head: list[int]
    label_w: list[float]
    label_h: list[float]
    hint: list[int]
    group: list[int]
    parent: list[int]
    port: list[float] = field(default_factory=list)  # where all edges of a box touch it, AUTO anywhere; [] all AUTO


@dataclass(frozen=True)
class Frame:
    """Room between a group's content and its frame, and the least size of a frame."""

    left: float = 16.0
    top: float = 32.0
    right: float = 16.0
    bottom: float = 16.0
    least_width: float = 0.0
    least_height: float = 0.0


@dataclass(frozen=True)
class Whole:
    """The finished drawing. Frames are left, top, width, height."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    routes: Routes
    labels: NDArray[np.float64]  # (m, 2), NaN where there is none
    rects: list[tuple[float, float, float, float]]
    width: float
    height: float


@dataclass(frozen=True)
class Piece:
    """The part of edge `edge` within one level. `tail` and `head` are items (nodes, then n + group) or None for the
    frame.
    """

    edge: int
    tail: int | None
    head: int | None


@dataclass
class Level:
    """One open group, or the root."""

    items: list[int] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    places: FlatPlaces | None = None
    size: tuple[float, float] = (0.0, 0.0)  # of the frame
    inset: tuple[float, float] = (0.0, 0.0)  # from the frame's top left to the content's
    origin: tuple[float, float] = (0.0, 0.0)  # of the content, in the whole drawing


class Hierarchy:
    """All levels of a graph, arranged from the innermost out."""

    def __init__(self, boxes: Boxes, style: Style, frame: Frame) -> None:
        self.boxes, self.style, self.frame = boxes, style, frame
        count = len(boxes.widths)
        self.owner = (boxes.group or [ROOT] * count) + boxes.parent
        self.levels = {group: Level() for group in range(ROOT, len(boxes.parent))}
        for item, owner in enumerate(self.owner):
            self.levels[owner].items.append(item)
        self._depth = {ROOT: 0}
        for group in range(len(boxes.parent)):
            self._measure(group)
        self._inner_first = sorted(range(len(boxes.parent)), key=lambda group: (-self._depth[group], group))
        self._hints()
        self._way: list[list[int]] = [[] for _ in boxes.tail]  # the levels that each edge passes, tail first
        self._cut()
        self._turn()
        self._port: dict[tuple[int, int], float] = {}  # (group, edge): offset from the frame's centre
        self._known: dict[object, FlatPlaces] = {}  # blocks of a network that are alike are arranged once
        for group in self._inner_first:
            self._arrange(group)
        self._arrange(ROOT)
        self.whole = self._locate()

    def _measure(self, group: int) -> None:
        chain = []
        while group not in self._depth:
            chain.append(group)
            group = self.boxes.parent[group]
        for inner in reversed(chain):
            self._depth[inner] = self._depth[self.boxes.parent[inner]] + 1

    def _hints(self) -> None:
        """A group's hint is its first node's."""
        count = len(self.boxes.widths)
        last = max(self.boxes.hint, default=0) + 1
        self._hint = self.boxes.hint + [last] * len(self.boxes.parent)
        for group in self._inner_first:
            items = self.levels[group].items
            self._hint[count + group] = min([self._hint[item] for item in items], default=last)

    def _cut(self) -> None:
        """Each edge's pieces: out of its tail's groups, across the level both ends share, into its head's groups."""
        count = len(self.boxes.widths)
        owner, depth = self.owner, self._depth
        for e, (a, b) in enumerate(zip(self.boxes.tail, self.boxes.head, strict=True)):
            out: list[tuple[int, Piece]] = []
            into: list[tuple[int, Piece]] = []
            level_a, level_b = owner[a], owner[b]
            while level_a != level_b:
                if depth[level_a] >= depth[level_b]:
                    out.append((level_a, Piece(e, a, None)))
                    a = count + level_a
                    level_a = owner[a]
                else:
                    into.append((level_b, Piece(e, None, b)))
                    b = count + level_b
                    level_b = owner[b]
            for level, piece in [*out, (level_a, Piece(e, a, b)), *reversed(into)]:
                self.levels[level].pieces.append(piece)
                self._way[e].append(level)

    def _turn(self) -> None:
        """Which edges run upwards; decided on the level that both ends share, and kept in all pieces."""
        self.turned = [False] * len(self.boxes.tail)
        for level in self.levels.values():
            place = {item: i for i, item in enumerate(level.items)}
            whole = [(piece.edge, piece.tail, piece.head) for piece in level.pieces]
            inner = [(e, place[a], place[b]) for e, a, b in whole if a is not None and b is not None]
            hints = [self._hint[item] for item in level.items]
            turned = upward_edges(len(level.items), [a for _, a, _ in inner], [b for _, _, b in inner], hints)
            for (e, _, _), up in zip(inner, turned, strict=True):
                self.turned[e] = up

    def _arrange(self, group: int) -> None:
        level, frame = self.levels[group], self.frame
        graph, terminals = self._graph(level)
        look = _look(graph)
        places = self._known.get(look) or arrange_rows(graph, self.style)
        self._known[look] = level.places = places
        if group == ROOT:
            level.size = (places.width, places.height)
            return
        width = max(places.width + frame.left + frame.right, frame.least_width)
        height = max(places.height + frame.top + frame.bottom, frame.least_height)
        spare_x, spare_y = width - places.width - frame.left - frame.right, height - places.height
        level.size = (width, height)
        level.inset = (frame.left + spare_x / 2, frame.top + (spare_y - frame.top - frame.bottom) / 2)
        for e, terminal in terminals.items():
            self._port[group, e] = float(places.x[terminal]) + level.inset[0] - width / 2

    def _graph(self, level: Level) -> tuple[FlatGraph, dict[int, int]]:
        """The level as a graph without groups, and the terminal of each edge that crosses the frame."""
        boxes, count = self.boxes, len(self.boxes.widths)
        place = {item: i for i, item in enumerate(level.items)}
        sizes = [
            (boxes.widths[item], boxes.heights[item]) if item < count else self.levels[item - count].size
            for item in level.items
        ]
        hint = [self._hint[item] for item in level.items]
        pin = [FREE] * len(sizes)
        terminals: dict[int, int] = {}
        ends: list[tuple[int, int, float, float, float, float]] = []
        for piece in level.pieces:
            e, up = piece.edge, self.turned[piece.edge]
            whole = piece.tail is not None and piece.head is not None
            spots = []
            for item, last in ((piece.tail, up), (piece.head, not up)):
                if item is None:
                    terminals[e] = len(sizes)
                    spots.append((len(sizes), 0.0))
                    sizes.append((0.0, 0.0))
                    hint.append(e)
                    pin.append(EXIT if last else ENTRY)
                else:
                    own = boxes.port[item] if boxes.port and item < count else AUTO
                    spots.append((place[item], self._port[item - count, e] if item >= count else own))
            (a, port_a), (b, port_b) = reversed(spots) if up else spots
            label = (boxes.label_w[e], boxes.label_h[e]) if whole else (0.0, 0.0)
            ends.append((a, b, port_a, port_b, *label))
        return FlatGraph(
            widths=[width for width, _ in sizes],
            heights=[height for _, height in sizes],
            tail=[end[0] for end in ends],
            head=[end[1] for end in ends],
            label_w=[end[4] for end in ends],
            label_h=[end[5] for end in ends],
            hint=hint,
            pin=pin,
            tail_port=[end[2] for end in ends],
            head_port=[end[3] for end in ends],
        ), terminals

    def _locate(self) -> Whole:
        """Places of all nodes, frames, routes and labels in the whole drawing."""
        count = len(self.boxes.widths)
        x, y = np.zeros((2, count))
        rects: list[tuple[float, float, float, float]] = [(0.0, 0.0, 0.0, 0.0)] * len(self.boxes.parent)
        labels = np.full((len(self.boxes.tail), 2), np.nan)
        pieces: dict[tuple[int, int], list[Point]] = {}
        for group in [ROOT, *reversed(self._inner_first)]:
            level = self.levels[group]
            places = level.places
            assert places is not None
            left, top = level.origin
            origin = np.array(level.origin)
            # terminals follow the items
            for item, at_x, at_y in zip(level.items, places.x.tolist(), places.y.tolist(), strict=False):
                if item < count:
                    x[item], y[item] = left + at_x, top + at_y
                else:
                    inner = self.levels[item - count]
                    (width, height), inset = inner.size, inner.inset
                    corner = (left + at_x - width / 2, top + at_y - height / 2)
                    rects[item - count] = (*corner, width, height)
                    inner.origin = (corner[0] + inset[0], corner[1] + inset[1])
            routes = Routes(places.routes.points + origin, places.routes.offsets).lists()
            for piece, route in zip(level.pieces, routes, strict=True):
                pieces[group, piece.edge] = route[::-1] if self.turned[piece.edge] else route
            named = np.flatnonzero(~np.isnan(places.labels[:, 0]))
            labels[[level.pieces[i].edge for i in named.tolist()]] = places.labels[named] + origin
        whole = [tidy([point for level in levels for point in pieces[level, e]]) for e, levels in enumerate(self._way)]
        return Whole(x, y, Routes.of(whole), labels, rects, *self.levels[ROOT].size)


def _look(graph: FlatGraph) -> object:
    """All that a level's drawing depends on: of the hints, that is their order."""
    nth = {hint: i for i, hint in enumerate(sorted(set(graph.hint)))}
    sizes = tuple(graph.widths), tuple(graph.heights), tuple(graph.label_w), tuple(graph.label_h)
    ends = tuple(graph.tail), tuple(graph.head), tuple(graph.pin), tuple([nth[hint] for hint in graph.hint])
    ports = [None if math.isnan(port) else port for port in graph.tail_port + graph.head_port]
    return sizes, ends, tuple(ports)


def tidy(route: list[Point]) -> list[Point]:
    """Without points that lie on the straight line between their neighbours."""
    result = route[:1]
    for i in range(1, len(route)):
        point = route[i]
        if i + 1 < len(route):
            before, after = result[-1], route[i + 1]
            if (before[0] == point[0] == after[0]) or (before[1] == point[1] == after[1]) or point == before:
                continue
        result.append(point)
    return result if len(result) > 1 else route[:1] + route[-1:]
