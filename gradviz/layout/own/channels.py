"""The gaps between layers: which lines bend in them, on which tracks, and how high each gap gets."""

from __future__ import annotations

import numpy as np

from gradviz.layout.own.flat import FlatGraph, Style
from gradviz.layout.own.labels import GapLabels
from gradviz.layout.own.lanes import Lanes, Trunk, gap_above, gap_below
from gradviz.layout.own.ports import Ports
from gradviz.layout.own.proper import Proper
from gradviz.layout.own.tracks import Net, assign

_STRAIGHT = 0.5  # px; less is no bend
_FIRST = 6.0  # from a gap's upper end to its first track where labels stand below the tracks
_PAD = 8.0  # above and below the tracks otherwise
_ALONE, _FROM_PORT, _TO_PORT, _INTO_LANE, _FROM_LANE, _BAND = range(6)  # kinds of nets
BAND = -(1 << 30)  # the gap number of the band above all columns


class Channels:
    """Nets by gap, the net of each bent segment and of each end of a lane edge, and the labels that stand in gaps.

    `x` holds all vertices' places in the whole drawing.
    """

    def __init__(self, graph: FlatGraph, proper: Proper, ports: Ports, x: list[float], lanes: Lanes) -> None:
        self._graph, self._proper, self._ports, self._x, self._lanes = graph, proper, ports, x, lanes
        self.nets: dict[int, list[Net]] = {}
        self.of_segment: dict[int, Net] = {}
        self.of_tail: dict[int, Net] = {}
        self.of_head: dict[int, Net] = {}
        self.of_band: dict[int, Net] = {}
        self.labels: dict[int, GapLabels] = {}
        self._careful = sum(1 for width in graph.label_w if width) <= GapLabels.CAREFUL
        self._shared: dict[tuple[int, int, int], Net] = {}
        self._depth = _depths(proper.column)
        top = np.asarray(x)[proper.upper] + ports.upper if proper.upper else np.empty(0)
        bottom = np.asarray(x)[proper.lower] + ports.lower if proper.upper else np.empty(0)
        ends = (top.tolist(), bottom.tolist())
        self._bend(np.flatnonzero(np.abs(top - bottom) > _STRAIGHT).tolist(), *ends)
        self._name(*ends)
        for e in proper.lanes:
            self._lane_edge(e)

    def _net(self, gap: int, kind: int, which: int) -> Net:
        """The net of one line, or of all that share a port."""
        key = (gap, kind, which)
        net = self._shared.get(key)
        if net is None:
            net = self._shared[key] = Net()
            self.nets.setdefault(gap, []).append(net)
        return net

    def _in_gap(self, gap: int) -> GapLabels:
        labels = self.labels.get(gap)
        if labels is None:
            labels = self.labels[gap] = GapLabels(self._careful)
        return labels

    def _bend(self, bent: list[int], top: list[float], bottom: list[float]) -> None:
        proper, ports = self._proper, self._ports
        for s in bent:
            a, b = proper.upper[s], proper.lower[s]
            gap = proper.layer[a]
            if a in ports.bus_out:
                net = self._net(gap, _FROM_PORT, a)
            elif b in ports.bus_in:
                net = self._net(gap, _TO_PORT, b)
            else:
                net = self._net(gap, _ALONE, s)
            net.near.append(top[s])
            net.far.append(bottom[s])
            self.of_segment[s] = net

    def _name(self, top: list[float], bottom: list[float]) -> None:
        """The labels of edges from one layer to the next, and the lines that labels should not hide."""
        graph, proper, bus_in = self._graph, self._proper, self._ports.bus_in
        if self._careful:
            for s, a in enumerate(proper.upper):
                self._in_gap(proper.layer[a]).lines.append(bottom[s])
        for e, (width, span) in enumerate(zip(graph.label_w, proper.span, strict=True)):
            s = proper.first[e]
            if width and span == 1 and s >= 0:
                at = top[s] if proper.lower[s] in bus_in else bottom[s]
                self._in_gap(proper.layer[graph.tail[e]]).add(e, at, width, graph.label_h[e])

    def _lane_edge(self, e: int) -> None:
        graph, proper, ports = self._graph, self._proper, self._ports
        a, b = graph.tail[e], graph.head[e]
        legs = self._lanes.legs[e]
        below, above = gap_below(proper.layer[a]), gap_above(proper.layer[b], proper.column)
        out, into = self._x[a] + ports.lane_tail[e], self._x[b] + ports.lane_head[e]
        # within a column an edge runs down its lane; to the band or to the head of the next column it mostly runs up
        same = proper.column[proper.layer[a]] == proper.column[proper.layer[b]]
        higher = above < 0 or self._depth[below] > self._depth[above]
        upward = len(legs) > 1 or (not same and higher)
        net = self._net(below, _FROM_PORT, a) if a in ports.bus_out else self._net(below, _INTO_LANE, e)
        net.near.append(out)
        (net.near if upward else net.far).append(legs[0].x)
        self.of_tail[e] = net
        net = self._net(above, _TO_PORT, b) if b in ports.bus_in else self._net(above, _FROM_LANE, e)
        net.far.append(into)
        (net.far if len(legs) == 1 and upward else net.near).append(legs[-1].x)
        self.of_head[e] = net
        self._in_gap(above).lines.append(into)
        if len(legs) > 1:
            net = self._net(BAND, _BAND, self._band_number(legs))
            net.far.extend((legs[0].x, legs[1].x))
            self.of_band[e] = net
        if graph.label_w[e] and e not in self._lanes.standing:
            self._in_gap(below).add(e, out, graph.label_w[e], graph.label_h[e])

    @staticmethod
    def _band_number(legs: list[Trunk]) -> int:
        """Edges that share a trunk share the band."""
        return legs[0].edges[0]


def _depths(column: list[int]) -> list[int]:
    """How far down its column each layer is."""
    depths: list[int] = []
    for layer, of in enumerate(column):
        depths.append(depths[-1] + 1 if layer and column[layer - 1] == of else 0)
    return depths


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
