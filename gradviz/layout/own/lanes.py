"""Side lanes: the way of edges that are too long for a chain of dummies, or that lead from one column to a later one.

Such an edge leaves its tail into the gap below it, runs to the lane right of its column, along the lane, and through
the gap above its head to it. Where columns lie between, it changes lanes in a band above all columns. So it never
meets a box.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import FlatGraph, Style
from gradviz.layout.own.proper import Proper
from gradviz.layout.own.tracks import Net, assign, pack

_BUNDLE = 4  # so many lane edges of one box share a trunk
_LABEL_ROOM = 8.0
_BORDER = 16.0  # between a column and the first line of its lane


@dataclass
class Trunk:
    """A stretch of a lane. `stubs` are (gap, from the column at the left, x of the box there)."""

    lane: int
    edges: list[int] = field(default_factory=list)
    stubs: list[tuple[int, bool, float]] = field(default_factory=list)
    band: bool = False
    x: float = 0.0


@dataclass
class Lanes:
    legs: dict[int, list[Trunk]]  # of each lane edge: one trunk, or two with the band between
    trunks: list[Trunk]
    column_x: list[float]  # left border of each column
    width: float
    standing: set[int]  # edges whose label stands on their line in the lane


def gap_below(layer: int) -> int:
    return layer


def gap_above(layer: int, column: list[int]) -> int:
    """Gaps are numbered by the layer above; the gap above a column's first layer is minus (column + 1)."""
    return layer - 1 if layer and column[layer] == column[layer - 1] else -1 - column[layer]


def plan_lanes(
    graph: FlatGraph, proper: Proper, x: NDArray[np.float64], widths: list[float], level: list[float], style: Style
) -> Lanes:
    """`widths` of the columns; `level` is roughly where each layer's lower end will be within its column."""
    legs, trunks = _trunks(graph, proper, x)
    by_lane: list[list[Trunk]] = [[] for _ in widths]
    for trunk in trunks:
        by_lane[trunk.lane].append(trunk)
    column_x: list[float] = []
    left = 0.0
    standing: set[int] = set()
    for column, width in enumerate(widths):
        column_x.append(left)
        left += width
        inner = column + 1 < len(widths)
        left += _fill(graph, by_lane[column], left, level, style, inner, standing)
    return Lanes(legs, trunks, column_x, left, standing)


def _trunks(graph: FlatGraph, proper: Proper, x: NDArray[np.float64]) -> tuple[dict[int, list[Trunk]], list[Trunk]]:
    column, layer = proper.column, proper.layer
    into: dict[int, int] = {}
    out: dict[int, int] = {}
    for e in proper.lanes:
        into[graph.head[e]] = into.get(graph.head[e], 0) + 1
        out[graph.tail[e]] = out.get(graph.tail[e], 0) + 1
    found: dict[tuple[int, int, int], Trunk] = {}
    legs: dict[int, list[Trunk]] = {}
    for e in proper.lanes:
        a, b = graph.tail[e], graph.head[e]
        if into[b] >= _BUNDLE:
            bundle, which = 0, b
        elif out[a] >= _BUNDLE:
            bundle, which = 1, a
        else:
            bundle, which = 2, e
        start, end = column[layer[a]], column[layer[b]]
        lanes = [start] if end - start <= 1 else [start, end - 1]
        legs[e] = []
        for lane in lanes:
            trunk = found.setdefault((bundle, which, lane), Trunk(lane))
            trunk.edges.append(e)
            trunk.band = trunk.band or len(lanes) > 1
            legs[e].append(trunk)
        legs[e][0].stubs.append((gap_below(layer[a]), True, float(x[a])))
        legs[e][-1].stubs.append((gap_above(layer[b], column), end == lanes[-1], float(x[b])))
    return legs, list(found.values())


def _fill(
    graph: FlatGraph,
    trunks: list[Trunk],
    left: float,
    level: list[float],
    style: Style,
    inner: bool,
    standing: set[int],
) -> float:
    """Places the trunks of one lane, adds the edges whose labels have room on it to `standing`; returns its width."""
    if not trunks:
        return style.lane if inner else 0.0
    nets = [_net(trunk, level) for trunk in trunks]
    tracks = assign(nets, careful_only=True) or pack([(net.low, net.high) for net in nets])
    lines = max(tracks) * style.track
    named = _standing(graph, trunks, nets)
    standing.update(named)
    label = max([graph.label_w[e] for e in named], default=-_LABEL_ROOM)
    width = max(lines + 2 * _BORDER, lines + label + _LABEL_ROOM, style.lane if inner else 0.0)
    for trunk, track in zip(trunks, tracks, strict=True):
        trunk.x = left + (width - lines) / 2 + track * style.track
    return width


def _net(trunk: Trunk, level: list[float]) -> Net:
    net = Net()
    for gap, from_left, box_x in trunk.stubs:
        y = level[gap] if gap >= 0 else -1.0
        # where several lines of one gap turn into the lane, the one from the nearest box has the track further up
        if from_left:
            net.near.append(y - box_x * 1e-6)
        else:
            net.far.append(y + box_x * 1e-6)
    if trunk.band:
        net.far.append(-100.0)
    return net


def _standing(graph: FlatGraph, trunks: list[Trunk], nets: list[Net]) -> list[int]:
    """Edges that have a line to themselves on which there is room beside the labels of the others."""
    found = []
    filled = 0.0
    for trunk, net in sorted(zip(trunks, nets, strict=True), key=lambda pair: pair[1].high - pair[1].low):
        e = trunk.edges[0]
        if len(trunk.edges) == 1 and graph.label_w[e]:
            need = filled + graph.label_h[e] + _LABEL_ROOM
            if 1.5 * need <= net.high - net.low:
                filled = need
                found.append(e)
    return found
