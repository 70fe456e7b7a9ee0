"""The layered graph: an edge over several layers becomes a chain of dummies, a very long one takes a side lane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import FlatGraph, Style

LONGEST_CHAIN = 300  # layers; beyond, an edge takes a lane beside the column, which crosses more but keeps it narrow
_SHORTER, _MANY = 64, 1000  # and in graphs with more boxes than lines can be followed among
_DUMMIES_PER_BOX = 4  # how many dummies a graph may cost before shorter edges take lanes, too
_DUMMIES_FREE = 4000
LABEL_GAP = 6.0  # between a line and its label
LOOP = 12.0  # how far an edge from a box to itself stands out


@dataclass(frozen=True)
class Arrays:
    """What passes over all vertices or all segments at once take of a Proper."""

    layer: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    height: NDArray[np.float64]
    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    edge: NDArray[np.int64]
    upper_port: NDArray[np.float64]
    lower_port: NDArray[np.float64]
    first: NDArray[np.int64]
    span: NDArray[np.int64]


@dataclass(frozen=True)
class Proper:
    """Vertices: boxes first, then dummies. Segments join neighbouring layers of one column, from `upper` to `lower`.

    `first` is each edge's first segment (its segments follow each other), -1 for lanes and loops.
    `left` and `right` are how far a vertex reaches from its own x, labels included.
    """

    boxes: int
    layer: list[int]
    left: list[float]
    right: list[float]
    height: list[float]
    upper: list[int]
    lower: list[int]
    edge: list[int]
    upper_port: list[float]  # fixed offsets; 0 where free
    lower_port: list[float]
    first: list[int]
    span: list[int]
    lanes: list[int]
    column: list[int]  # of each layer
    pin: list[int]  # of each box
    arrays: Arrays


def proper(graph: FlatGraph, layer: list[int], column: list[int], style: Style) -> Proper:
    boxes, edges = len(graph.widths), len(graph.tail)
    level = np.asarray(layer, np.int64)
    tail, head = graph.ends
    span = level[head] - level[tail]
    same = np.asarray(column, np.int64)[level[tail]] == np.asarray(column, np.int64)[level[head]]
    inner = same & (span >= 1) & (span <= _longest(span[same], boxes, edges))
    chained = np.flatnonzero(inner)
    length = span[chained]
    extra = length - 1
    total = int(extra.sum())
    owner = np.repeat(chained, extra)
    nth = np.arange(total) - np.repeat(np.cumsum(extra) - extra, extra)
    dummy_layer = level[tail[owner]] + 1 + nth
    # segment s of an edge runs from its dummy s-1 (or the tail) to its dummy s (or the head)
    begin = np.cumsum(length) - length
    upper = np.empty(int(length.sum()), np.int64)
    lower = np.empty_like(upper)
    upper[begin] = tail[chained]
    lower[begin + length - 1] = head[chained]
    dummy = boxes + np.arange(total)
    place = np.repeat(begin, extra) + nth
    lower[place] = dummy
    upper[place + 1] = dummy
    first = np.full(edges, -1, np.int64)
    first[chained] = begin
    left, right, height = _extents(graph, total, owner, nth, span, inner, style)
    ports = np.zeros((2, len(upper)))
    if graph.tail_port:
        ports[0, begin] = np.nan_to_num(np.asarray(graph.tail_port)[chained])
        ports[1, begin + length - 1] = np.nan_to_num(np.asarray(graph.head_port)[chained])
    owners = np.repeat(chained, length)
    levels = np.concatenate([level, dummy_layer])
    return Proper(
        boxes=boxes,
        layer=levels.tolist(),
        left=left.tolist(),
        right=right.tolist(),
        height=height.tolist(),
        upper=upper.tolist(),
        lower=lower.tolist(),
        edge=owners.tolist(),
        upper_port=ports[0].tolist(),
        lower_port=ports[1].tolist(),
        first=first.tolist(),
        span=span.tolist(),
        lanes=np.flatnonzero(~inner & (tail != head)).tolist(),
        column=column,
        pin=graph.pin,
        arrays=Arrays(levels, left, right, height, upper, lower, owners, ports[0], ports[1], first, span),
    )


def _longest(span: NDArray[np.int64], boxes: int, edges: int) -> int:
    """The longest chain allowed, so that all dummies together stay in proportion to the graph."""
    most = LONGEST_CHAIN if boxes <= _MANY else _SHORTER
    if not len(span):
        return most
    allowed = _DUMMIES_FREE + _DUMMIES_PER_BOX * (boxes + edges)
    counts = np.bincount(np.clip(span, 0, most + 1), minlength=most + 2)[1 : most + 1]
    cost = np.cumsum(counts * np.arange(most))
    return max(2, int(np.searchsorted(cost, allowed, side="right")))


def _extents(
    graph: FlatGraph,
    total: int,
    owner: NDArray[np.int64],
    nth: NDArray[np.int64],
    span: NDArray[np.int64],
    inner: NDArray[np.bool_],
    style: Style,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """How far each vertex reaches left and right, and its height. A chain's label stands beside its middle dummy."""
    boxes = len(graph.widths)
    half = graph.sizes[0] / 2
    left = np.concatenate([half, np.zeros(total)])
    right = left.copy()
    height = np.concatenate([graph.sizes[1], np.zeros(total)])
    label_w, label_h = graph.label_sizes
    side = right if style.label_side > 0 else left
    middle = boxes + np.flatnonzero(nth == (span[owner] - 1) // 2)
    named = middle[label_w[owner[middle - boxes]] > 0]
    side[named] = LABEL_GAP + label_w[owner[named - boxes]]
    height[named] = label_h[owner[named - boxes]]
    # the label of a short edge stands above its head, that of an edge in a lane may stand below its tail
    tail, head = graph.ends
    short = inner & (span == 1)
    lane = ~inner & (tail != head)
    at = np.where(short, head, tail)[(short | lane) & (label_w > 0)]
    reach = LABEL_GAP + label_w[(short | lane) & (label_w > 0)]
    np.maximum.at(side, at, reach)
    several = np.bincount(at, minlength=boxes)[at] > 1
    np.maximum.at(left if style.label_side > 0 else right, at[several], reach[several])
    loops = np.flatnonzero(tail == head)
    np.maximum.at(right, tail[loops], half[tail[loops]])
    np.add.at(right, tail[loops], LOOP + np.where(label_w[loops] > 0, label_w[loops] + 2 * LABEL_GAP, 0.0))
    np.maximum.at(height, tail[loops], label_h[loops])  # it stands level with its box, and may be taller
    return left, right, height
