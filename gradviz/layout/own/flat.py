"""What the passes of the own engine share: one level of the graph, without groups and without cycles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

AUTO = math.nan  # a port that the engine may place

ENTRY, FREE, EXIT = -1, 0, 1  # pins: in the first layer, anywhere, in the last layer
Point = tuple[float, float]


@dataclass(frozen=True)
class Style:
    """Distances in px; `label_side` is +1 where labels stand right of their line, -1 where left."""

    layer_gap: float = 24.0
    node_gap: float = 24.0
    lane: float = 48.0
    wrap: bool = False
    viewport: tuple[float, float] = (1280.0, 800.0)
    label_side: int = 1
    track: float = 8.0  # between two parallel lines
    line_gap: float = 14.0  # round a line that passes between boxes
    effort: int = 2  # against crossings: 2 in small graphs, 1, 0 in large ones


@dataclass(frozen=True)
class FlatGraph:
    """Boxes 0..n-1 and edges that run downwards from `tail` to `head`: acyclic, but for edges from a box to itself.

    Ports are offsets from the box's centre, AUTO where free. Boxes pinned ENTRY have no incoming edges, EXIT no
    outgoing.
    """

    widths: list[float]
    heights: list[float]
    tail: list[int]
    head: list[int]
    label_w: list[float]
    label_h: list[float]
    hint: list[int]
    pin: list[int]
    tail_port: list[float] = field(default_factory=list)
    head_port: list[float] = field(default_factory=list)

    @cached_property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tails and heads."""
        return np.asarray(self.tail, np.int64), np.asarray(self.head, np.int64)

    @cached_property
    def sizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Widths and heights of the boxes."""
        return np.asarray(self.widths, np.float64), np.asarray(self.heights, np.float64)

    @cached_property
    def label_sizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Widths and heights."""
        return np.asarray(self.label_w, np.float64), np.asarray(self.label_h, np.float64)


@dataclass(frozen=True)
class Routes:
    """Polylines: that of edge e is `points[offsets[e]:offsets[e + 1]]`."""

    points: NDArray[np.float64]  # (k, 2)
    offsets: NDArray[np.int64]  # (m + 1,)

    @staticmethod
    def of(lists: Sequence[Sequence[Point]]) -> Routes:
        lengths = np.fromiter((len(route) for route in lists), np.int64, len(lists))
        flat = chain.from_iterable(chain.from_iterable(lists))
        points = np.fromiter(flat, np.float64, 2 * int(lengths.sum())).reshape(-1, 2)
        return Routes(points, np.concatenate(([0], np.cumsum(lengths))))

    @staticmethod
    def joined(parts: Iterable[tuple[NDArray[np.int64], Routes, float]], count: int) -> Routes:
        """Of `count` edges: each part has the routes of some of them, and how far down these are to be moved."""
        kept = list(parts)
        lengths = np.zeros(count, np.int64)
        for edges, routes, _ in kept:
            lengths[edges] = np.diff(routes.offsets)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        points = np.empty((int(offsets[-1]), 2))
        for edges, routes, down in kept:
            spots = np.arange(len(routes.points)) + np.repeat(offsets[edges] - routes.offsets[:-1], lengths[edges])
            points[spots] = routes.points + np.array((0.0, down))
        return Routes(points, offsets)

    def lists(self) -> list[list[Point]]:
        points = list(zip(self.points[:, 0].tolist(), self.points[:, 1].tolist(), strict=True))
        ends = self.offsets.tolist()
        return [points[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]

    def turned(self, edges: NDArray[np.bool_]) -> Routes:
        """With these routes run backwards."""
        points = self.points.copy()
        for e in np.flatnonzero(edges).tolist():
            begin, end = self.offsets[e], self.offsets[e + 1]
            points[begin:end] = self.points[begin:end][::-1]
        return Routes(points, self.offsets)


@dataclass(frozen=True)
class FlatPlaces:
    """Centres, and a route per edge from the tail's lower border to the head's upper one; label centres are NaN where
    there is no label. The top left corner is (0, 0).
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    routes: Routes
    labels: NDArray[np.float64]  # (m, 2)
    width: float
    height: float


def grouped(keys: NDArray[np.int64], count: int, values: NDArray[np.int64] | None = None) -> list[list[int]]:
    """The places in `keys` of each number below `count`, or the `values` at these places."""
    order = np.argsort(keys, kind="stable")
    items = (order if values is None else values[order]).tolist()
    ends = np.cumsum(np.bincount(keys, minlength=count)).tolist()
    return [items[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def beginnings(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where in sorted values each one comes up first."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)
