"""The gaps between layers: which lines bend in them, on which tracks, and how high each gap gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.layout.own.flat import FlatGraph, Style
from gradviz.layout.own.labels import GapLabels
from gradviz.layout.own.lanes import Lanes, gap_above, gap_below
from gradviz.layout.own.ports import Ports
from gradviz.layout.own.proper import Proper
from gradviz.layout.own.tracks import Net, assign

_STRAIGHT = 0.5  # px; less is no bend
_FIRST = 6.0  # from a gap's upper end to its first track where labels stand below the tracks
_PAD = 8.0  # above and below the tracks otherwise
BAND = -(1 << 30)  # the gap number of the band above all columns


@dataclass
class Channels:
    """Nets by gap, the net of each bent segment and of each end of a lane edge, and the labels that stand in gaps."""

    careful: bool  # whether labels have to be kept off each other
    nets: dict[int, list[Net]] = field(default_factory=dict)
    of_segment: dict[int, Net] = field(default_factory=dict)
    of_tail: dict[int, Net] = field(default_factory=dict)
    of_head: dict[int, Net] = field(default_factory=dict)
    of_band: dict[int, Net] = field(default_factory=dict)
    labels: dict[int, GapLabels] = field(default_factory=dict)

    def net(self, gap: int, shared: dict[tuple[int, int, int], Net], key: tuple[int, int, int]) -> Net:
        net = shared.get(key)
        if net is None:
            net = shared[key] = Net()
            self.nets.setdefault(gap, []).append(net)
        return net

    def in_gap(self, gap: int) -> GapLabels:
        labels = self.labels.get(gap)
        if labels is None:
            labels = self.labels[gap] = GapLabels(self.careful)
        return labels


def channels(graph: FlatGraph, proper: Proper, ports: Ports, x: list[float], lanes: Lanes) -> Channels:
    """`x` of all vertices in the whole drawing."""
    plan = Channels(sum(1 for width in graph.label_w if width) <= GapLabels.CAREFUL)
    shared: dict[tuple[int, int, int], Net] = {}
    for s, (a, b) in enumerate(zip(proper.upper, proper.lower, strict=True)):
        top, bottom = x[a] + ports.upper[s], x[b] + ports.lower[s]
        gap = proper.layer[a]
        if abs(top - bottom) > _STRAIGHT:
            if a in ports.bus_out:
                key = (gap, 0, a)
            elif b in ports.bus_in:
                key = (gap, 1, b)
            else:
                key = (gap, 2, s)
            net = plan.net(gap, shared, key)
            net.near.append(top)
            net.far.append(bottom)
            plan.of_segment[s] = net
        labels = plan.in_gap(gap)
        labels.lines.append(bottom)
        e = proper.edge[s]
        if proper.span[e] == 1 and graph.label_w[e]:
            labels.add(e, bottom if b not in ports.bus_in else top, graph.label_w[e], graph.label_h[e])
    for e in proper.lanes:
        _lane_edge(graph, proper, ports, x, lanes, e, plan, shared)
    return plan


def _lane_edge(
    graph: FlatGraph,
    proper: Proper,
    ports: Ports,
    x: list[float],
    lanes: Lanes,
    e: int,
    plan: Channels,
    shared: dict[tuple[int, int, int], Net],
) -> None:
    a, b = graph.tail[e], graph.head[e]
    legs = lanes.legs[e]
    below, above = gap_below(proper.layer[a]), gap_above(proper.layer[b], proper.column)
    start, end = proper.column[proper.layer[a]], proper.column[proper.layer[b]]
    # along the lane an edge within a column runs down, one to the band or to the head of the next column mostly up
    upward = len(legs) > 1 or (start != end and (above < 0 or _height(proper, below) > _height(proper, above)))
    out = x[a] + ports.lane_tail[e]
    key = (below, 0, a) if a in ports.bus_out else (below, 3, e)
    net = plan.net(below, shared, key)
    net.near.append(out)
    (net.near if upward else net.far).append(legs[0].x)
    plan.of_tail[e] = net
    into = x[b] + ports.lane_head[e]
    key = (above, 1, b) if b in ports.bus_in else (above, 4, e)
    net = plan.net(above, shared, key)
    net.far.append(into)
    plan.in_gap(above).lines.append(into)
    from_below = len(legs) == 1 and upward
    (net.far if from_below else net.near).append(legs[-1].x)
    plan.of_head[e] = net
    if len(legs) > 1:
        first, last = legs
        net = plan.net(BAND, shared, (BAND, id(first), id(last)))
        net.far.extend((first.x, last.x))
        plan.of_band[e] = net
    if graph.label_w[e] and e not in lanes.standing:
        plan.in_gap(below).add(e, out, graph.label_w[e], graph.label_h[e])


def _height(proper: Proper, gap: int) -> int:
    """How far down its column a gap is, in layers."""
    first = gap
    while first and proper.column[first - 1] == proper.column[gap]:
        first -= 1
    return gap - first


def gap_height(plan: Channels, gap: int, style: Style, least: float) -> float:
    """Sets the nets' `at` and the labels' rows, both from the gap's upper end; returns the gap's height."""
    nets = plan.nets.get(gap, [])
    labels = plan.labels.get(gap)
    tracks = assign(nets) if nets else []
    count = max(tracks) + 1 if tracks else 0
    rows = labels.arrange(style.label_side) if labels is not None else 0.0
    lines = (count - 1) * style.track
    if not count:
        height = max(least, rows + 4 if rows else 0.0)
        start = (height - rows) / 2
    elif rows:
        start = _FIRST + lines + 1
        height = max(least, start + rows)
        start = max(start, height - rows - 1) if height > start + rows + 1 else start
    else:
        height = max(least, 2 * _PAD + lines)
        start = 0.0
    begin = _FIRST if rows else (height - lines) / 2
    for net, track in zip(nets, tracks, strict=True):
        net.at = begin + track * style.track
    if labels is not None:
        labels.begin = start
    return height
