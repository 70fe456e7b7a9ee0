"""Where edges touch their boxes: straight ones in the middle, the others beside it in the order of where they lead."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.blocks import Blocks
from gradviz.layout.own.flat import FlatGraph, beginnings

_SPACING = 28.0  # between two ports where there is room
_LEAST = 8.0  # closer than this, all share one port and run as a bus
_CORNER = 12.0  # kept free at both ends of a border

# x of the other end, then what parts those of the same x; the segment, or ~ the edge in a lane; whether it is straight
End = tuple[float, float, int, bool]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass
class Ports:
    """Offsets from the vertex's x, at the upper and lower end of each segment and at both ends of each lane edge."""

    upper: Floats
    lower: Floats
    lane_tail: dict[int, float] = field(default_factory=dict)
    lane_head: dict[int, float] = field(default_factory=dict)
    bus_out: set[int] = field(default_factory=set)  # boxes whose outgoing edges share a port
    bus_in: set[int] = field(default_factory=set)


def place_ports(graph: FlatGraph, blocks: Blocks, x: Floats) -> Ports:
    """`x` is every vertex's place within its column."""
    arrays, boxes = blocks.graph.arrays, blocks.graph.boxes
    ports = Ports(arrays.upper_port.copy(), arrays.lower_port.copy())
    special = np.full(boxes, bool(graph.tail_port))
    for e in blocks.graph.lanes:
        special[graph.tail[e]] = special[graph.head[e]] = True
    half = graph.sizes[0] / 2 - _CORNER
    below, above = x[arrays.lower] + arrays.lower_port, x[arrays.upper] + arrays.upper_port
    ports.bus_out |= _spread_all(arrays.upper, below, blocks.aligned, half, special, ports.upper)
    ports.bus_in |= _spread_all(arrays.lower, above, blocks.aligned, half, special, ports.lower)
    _spread_special(graph, blocks, x, np.flatnonzero(special).tolist(), ports)
    _straighten(graph, blocks, x, ports)
    return ports


def _spread_all(
    own: Ints, far: Floats, straight: NDArray[np.bool_], half: Floats, special: NDArray[np.bool_], offsets: Floats
) -> set[int]:
    """Offsets at the one border of all boxes but the special ones; returns those whose edges share a port."""
    boxes = len(half)
    number = np.bincount(own, minlength=boxes)
    several = number[:boxes] > 1
    several &= ~special
    if not several.any():
        return set()
    ends = np.flatnonzero(own < boxes)
    ends = ends[several[own[ends]]]
    ends = ends[np.lexsort((far[ends], own[ends]))]
    box = own[ends]
    count = number[box]
    first = beginnings(box)
    nth = np.arange(len(ends)) - np.repeat(first, count[first])
    middle = np.full(boxes, np.inf)
    lines = straight[ends]
    np.minimum.at(middle, box[lines], nth[lines])
    at = middle[box]
    free = np.isinf(at)
    at[free] = (count[free] - 1) / 2
    room = half[box]
    spacing = np.minimum(_SPACING, room / np.maximum(at, count - 1 - at))
    shared = (room <= 0) | (spacing < _LEAST)
    offsets[ends] = np.where(shared, 0.0, (nth - at) * spacing)
    return set(box[shared].tolist())


def _spread_special(graph: FlatGraph, blocks: Blocks, x: Floats, special: list[int], ports: Ports) -> None:
    """Boxes with fixed ports, or with edges in lanes."""
    order, proper = blocks.order, blocks.graph
    column = proper.column
    lanes_out: dict[int, list[int]] = {}
    lanes_in: dict[int, list[int]] = {}
    for e in proper.lanes:
        lanes_out.setdefault(graph.tail[e], []).append(e)
        lanes_in.setdefault(graph.head[e], []).append(e)
    for v in special:
        out = [
            (float(x[proper.lower[s]]) + proper.lower_port[s], 0.0, s, bool(blocks.aligned[s])) for s in order.down[v]
        ]
        # lanes are at the right; the longest way is the outermost
        out += [(math.inf, float(proper.layer[graph.head[e]]), ~e, False) for e in lanes_out.get(v, ())]
        if _spread(graph, v, out, ports.upper, ports.lane_tail, graph.tail_port, proper.edge):
            ports.bus_out.add(v)
        into = [
            (float(x[proper.upper[s]]) + proper.upper_port[s], 0.0, s, bool(blocks.aligned[s])) for s in order.up[v]
        ]
        for e in lanes_in.get(v, ()):
            same = column[proper.layer[graph.tail[e]]] == column[proper.layer[v]]
            into.append((math.inf if same else -math.inf, float(x[graph.tail[e]]), ~e, False))
        if _spread(graph, v, into, ports.lower, ports.lane_head, graph.head_port, proper.edge):
            ports.bus_in.add(v)


def _spread(
    graph: FlatGraph,
    v: int,
    ends: list[End],
    of_segment: Floats,
    of_lane: dict[int, float],
    fixed: list[float],
    edge_of: list[int],
) -> bool:
    """Offsets for the ends on one border of box v; True where they share a port."""
    if not ends:
        return False
    if fixed:
        free = []
        for end in ends:
            which = end[2]
            given = fixed[edge_of[which] if which >= 0 else ~which]
            if math.isnan(given):
                free.append(end)
            elif which >= 0:
                of_segment[which] = given
            else:
                of_lane[~which] = given
        ends = free
    ends.sort()
    middle = next((i for i, end in enumerate(ends) if end[3]), None)
    offsets, shared = _offsets(len(ends), middle, graph.widths[v] / 2 - _CORNER)
    for (_, _, which, _), offset in zip(ends, offsets, strict=True):
        if which >= 0:
            of_segment[which] = offset
        else:
            of_lane[~which] = offset
    return shared


def _offsets(count: int, middle: int | None, reach: float) -> tuple[list[float], bool]:
    if count <= 1 or reach <= 0:
        return [0.0] * count, count > 1
    if middle is None:
        spacing = min(_SPACING, 2 * reach / (count - 1))
        if spacing < _LEAST:
            return [0.0] * count, True
        return [(i - (count - 1) / 2) * spacing for i in range(count)], False
    spacing = min(_SPACING, reach / max(middle, count - 1 - middle))
    if spacing < _LEAST:
        return [0.0] * count, True
    return [(i - middle) * spacing for i in range(count)], False


def _straighten(graph: FlatGraph, blocks: Blocks, x: Floats, ports: Ports) -> None:
    """A lone edge at one end moves its port to where the other end is, where that makes the line straight."""
    arrays, count = blocks.graph.arrays, len(x)
    bent = np.flatnonzero(~blocks.aligned)
    bend = x[arrays.upper[bent]] + ports.upper[bent] - x[arrays.lower[bent]] - ports.lower[bent]
    bent, bend = bent[bend != 0], bend[bend != 0]
    if not len(bent):
        return
    lower, upper = ports.lower[bent] + bend, ports.upper[bent] - bend
    at_head = _may_move(graph, arrays.lower, bent, lower, graph.head_port, arrays.edge, count)
    at_tail = ~at_head & _may_move(graph, arrays.upper, bent, upper, graph.tail_port, arrays.edge, count)
    ports.lower[bent[at_head]] = lower[at_head]
    ports.upper[bent[at_tail]] = upper[at_tail]


def _may_move(
    graph: FlatGraph, ends: Ints, segments: Ints, offset: Floats, fixed: list[float], edge_of: Ints, count: int
) -> NDArray[np.bool_]:
    """Whether each segment is alone at its end, that end is a box's free port, and the box reaches that far."""
    at = ends[segments]
    alone = np.bincount(ends, minlength=count)[at] == 1
    reach = np.full(count, -1.0)
    reach[: len(graph.widths)] = graph.sizes[0] / 2 - _CORNER
    movable: NDArray[np.bool_] = alone & (np.abs(offset) <= reach[at])
    if fixed:
        movable &= np.isnan(np.asarray(fixed)[edge_of[segments]])
    return movable
