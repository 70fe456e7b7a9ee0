"""Where edges touch their boxes: straight ones in the middle, the others beside it in the order of where they lead."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gradviz.layout.own.blocks import Blocks
from gradviz.layout.own.flat import FlatGraph

_SPACING = 28.0  # between two ports where there is room
_LEAST = 8.0  # closer than this, all share one port and run as a bus
_CORNER = 12.0  # kept free at both ends of a border

# x of the other end, then what parts those of the same x; the segment, or ~ the edge in a lane; whether it is straight
End = tuple[float, float, int, bool]


@dataclass
class Ports:
    """Offsets from the vertex's x, at the upper and lower end of each segment and at both ends of each lane edge."""

    upper: list[float]
    lower: list[float]
    lane_tail: dict[int, float] = field(default_factory=dict)
    lane_head: dict[int, float] = field(default_factory=dict)
    bus_out: set[int] = field(default_factory=set)  # boxes whose outgoing edges share a port
    bus_in: set[int] = field(default_factory=set)


def place_ports(graph: FlatGraph, blocks: Blocks, x: list[float]) -> Ports:
    """`x` is every vertex's place within its column."""
    order, proper = blocks.order, blocks.graph
    ports = Ports(list(proper.upper_port), list(proper.lower_port))
    lanes_out: dict[int, list[int]] = {}
    lanes_in: dict[int, list[int]] = {}
    for e in proper.lanes:
        lanes_out.setdefault(graph.tail[e], []).append(e)
        lanes_in.setdefault(graph.head[e], []).append(e)
    column = proper.column
    fixed = bool(graph.tail_port)
    for v in range(proper.boxes):
        if not fixed and not proper.lanes and len(order.down[v]) < 2 and len(order.up[v]) < 2:
            continue  # the middle of the border, as it is
        out = [(x[proper.lower[s]] + proper.lower_port[s], 0.0, s, blocks.aligned[s]) for s in order.down[v]]
        # lanes are at the right; the longest way is the outermost
        out += [(math.inf, float(proper.layer[graph.head[e]]), ~e, False) for e in lanes_out.get(v, ())]
        if _spread(graph, v, out, ports.upper, ports.lane_tail, graph.tail_port, proper.edge):
            ports.bus_out.add(v)
        into = [(x[proper.upper[s]] + proper.upper_port[s], 0.0, s, blocks.aligned[s]) for s in order.up[v]]
        for e in lanes_in.get(v, ()):
            same = column[proper.layer[graph.tail[e]]] == column[proper.layer[v]]
            into.append((math.inf if same else -math.inf, x[graph.tail[e]], ~e, False))
        if _spread(graph, v, into, ports.lower, ports.lane_head, graph.head_port, proper.edge):
            ports.bus_in.add(v)
    _straighten(graph, blocks, x, ports)
    return ports


def _spread(
    graph: FlatGraph,
    v: int,
    ends: list[End],
    of_segment: list[float],
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


def _straighten(graph: FlatGraph, blocks: Blocks, x: list[float], ports: Ports) -> None:
    """A lone edge at one end moves its port to where the other end is, where that makes the line straight."""
    order, proper = blocks.order, blocks.graph
    for s, straight in enumerate(blocks.aligned):
        if straight:
            continue
        a, b, e = proper.upper[s], proper.lower[s], proper.edge[s]
        bend = x[a] + ports.upper[s] - x[b] - ports.lower[s]
        if not bend:
            continue
        lower, upper = ports.lower[s] + bend, ports.upper[s] - bend
        if len(order.up[b]) == 1 and _may_move(graph, b, lower, graph.head_port, e):
            ports.lower[s] = lower
        elif len(order.down[a]) == 1 and _may_move(graph, a, upper, graph.tail_port, e):
            ports.upper[s] = upper


def _may_move(graph: FlatGraph, v: int, offset: float, fixed: list[float], e: int) -> bool:
    if v >= len(graph.widths) or (fixed and not math.isnan(fixed[e])):
        return False
    return abs(offset) <= graph.widths[v] / 2 - _CORNER
