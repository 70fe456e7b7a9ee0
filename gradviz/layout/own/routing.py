"""From orders and places to coordinates: the height of every layer and gap, then each edge's polyline and label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.channels import Channels
from gradviz.layout.own.flat import ENTRY, EXIT, FlatGraph, FlatPlaces, Point, Routes, Style, beginnings
from gradviz.layout.own.labels import LaneLabel, stagger
from gradviz.layout.own.lanes import Lanes, gap_above, gap_below
from gradviz.layout.own.ports import Ports
from gradviz.layout.own.proper import LABEL_GAP, LOOP, Proper


class Router:
    def __init__(
        self, graph: FlatGraph, proper: Proper, ports: Ports, x: NDArray[np.float64], lanes: Lanes, style: Style
    ) -> None:
        self.graph, self.proper, self.ports, self.x, self.lanes, self.style = graph, proper, ports, x, lanes, style
        self.plan = Channels(graph, proper, ports, x, lanes, style)
        self._set_heights()
        self.y = self.middle[proper.arrays.layer]
        exits = np.flatnonzero(np.asarray(graph.pin) == EXIT)
        # the lower end of the frame, however short the last column is
        self.y[exits] = self.height - graph.sizes[1][exits] / 2
        self._half = graph.sizes[1] / 2

    def _set_heights(self) -> None:
        """`middle` of each layer, `gap_top` of each gap, and the height of the whole."""
        arrays, column = self.proper.arrays, np.asarray(self.proper.column)
        layers, plan = len(column), self.plan
        tall = np.zeros(layers)
        np.maximum.at(tall, arrays.layer, arrays.height)
        least = np.zeros(plan.gaps)
        least[:layers] = self._least(column)
        high = plan.heights(least)
        begin = float(high[plan.band]) if plan.tracks[plan.band] else 0.0
        step = tall + high[:layers]
        first = beginnings(column)
        step[first] += high[-1 - column[first]]
        bottom = np.cumsum(step)
        bottom += begin - (bottom - step)[first][column]
        self.gap_top = np.zeros(plan.gaps)
        self.gap_top[:layers] = bottom - high[:layers]
        self.gap_top[-1 - column[first]] = begin
        self.middle = self.gap_top[:layers] - tall / 2
        self.height = float(bottom.max())

    def _least(self, column: NDArray[np.int64]) -> NDArray[np.float64]:
        """The least height of the gap below each layer: none below a column, little to the terminals on a frame."""
        least = np.full(len(column), self.style.layer_gap)
        if ENTRY in self.graph.pin:
            least[0] /= 3
        if EXIT in self.graph.pin and len(column) > 1 and not (len(column) == 2 and ENTRY in self.graph.pin):
            least[-2] /= 3
        least[np.append(column[:-1] != column[1:], True)] = 0.0
        return least

    def places(self) -> FlatPlaces:
        graph, boxes = self.graph, self.proper.boxes
        others: dict[int, list[Point]] = {}
        labels = self._labels()
        loops: dict[int, float] = {}
        for e in np.flatnonzero(graph.ends[0] == graph.ends[1]).tolist():
            others[e], label = self._loop(e, loops)
            if graph.label_w[e] > 0:
                labels[e] = label
        in_lane: dict[int, list[LaneLabel]] = {}
        for e in self.proper.lanes:
            others[e] = self._lane_route(e)
            if e in self.lanes.standing:
                in_lane.setdefault(self.lanes.legs[e][0].lane, []).append(self._lane_label(e, others[e]))
        for wanted in in_lane.values():
            for e, label in stagger(wanted).items():
                labels[e] = label
        routes = self._routes(others)
        return FlatPlaces(self.x[:boxes], self.y[:boxes], routes, labels, self.lanes.width, self.height)

    def _routes(self, others: dict[int, list[Point]]) -> Routes:
        """Those of chains all at once, among the `others`."""
        arrays, plan, graph = self.proper.arrays, self.plan, self.graph
        first, span = arrays.first, arrays.span
        chained = np.flatnonzero(first >= 0)
        edge = arrays.edge[plan.bent]
        bends = np.bincount(edge, minlength=len(first))
        lengths = 2 + 2 * bends
        for e, route in others.items():
            lengths[e] = len(route)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        points = np.empty((int(offsets[-1]), 2))
        tail, head = graph.ends[0][chained], graph.ends[1][chained]
        begin, last = first[chained], first[chained] + span[chained] - 1
        start = plan.top[begin]
        at = offsets[chained]
        points[at, 0], points[at, 1] = start, self.y[tail] + self._half[tail]
        at = offsets[chained + 1] - 1
        points[at, 0], points[at, 1] = plan.bottom[last], self.y[head] - self._half[head]
        gap = arrays.layer[arrays.upper[plan.bent]]
        turn = self.gap_top[gap] + plan.first[gap] + plan.track[plan.bent] * self.style.track
        spot = offsets[edge] + 1 + 2 * (np.arange(len(edge)) - (np.cumsum(bends) - bends)[edge])
        points[spot + 1, 0], points[spot + 1, 1] = plan.bottom[plan.bent], turn
        points[spot, 0], points[spot, 1] = points[spot - 1, 0], turn
        for e, route in others.items():
            points[offsets[e] : offsets[e + 1]] = route
        return Routes(points, offsets)

    def _labels(self) -> NDArray[np.float64]:
        """Of edges from one layer to the next, and of chains: these stand beside the middle dummy."""
        proper, names, width = self.proper, self.plan.names, self.graph.label_sizes[0]
        labels = np.full((len(width), 2), np.nan)
        named = np.flatnonzero(names.gap >= 0)
        gap = names.gap[named]
        labels[named, 0] = names.x[named]
        labels[named, 1] = self.gap_top[gap] + self.plan.start[gap] + names.y[named]
        first, span = proper.arrays.first, proper.arrays.span
        long = np.flatnonzero((width > 0) & (span > 1) & (first >= 0))
        dummy = proper.arrays.lower[first[long] + (span[long] - 1) // 2]
        labels[long, 0] = self.x[dummy] + self.style.label_side * (LABEL_GAP + width[long] / 2)
        labels[long, 1] = self.y[dummy]
        return labels

    def _turn(self, gap: int, track: int) -> float:
        return float(self.gap_top[gap] + self.plan.first[gap]) + track * self.style.track

    def _lane_route(self, e: int) -> list[Point]:
        graph, proper, ports, plan = self.graph, self.proper, self.ports, self.plan
        a, b = graph.tail[e], graph.head[e]
        below, above = gap_below(proper.layer[a]), gap_above(proper.layer[b], proper.column)
        out, into = float(self.x[a]) + ports.lane_tail[e], float(self.x[b]) + ports.lane_head[e]
        start, end = self._turn(below, plan.of_tail[e].track), self._turn(above, plan.of_head[e].track)
        legs = self.lanes.legs[e]
        route = [(out, float(self.y[a] + self._half[a])), (out, start), (legs[0].x, start)]
        if len(legs) > 1:
            turn = self._turn(plan.band, plan.of_band[e].track)
            route += [(legs[0].x, turn), (legs[1].x, turn)]
        return [*route, (legs[-1].x, end), (into, end), (into, float(self.y[b] - self._half[b]))]

    def _lane_label(self, e: int, route: list[Point]) -> LaneLabel:
        """On the edge's first stretch along a lane."""
        (x, start), (_, end) = route[2:4]
        return LaneLabel(e, x, min(start, end), max(start, end), self.graph.label_w[e], self.graph.label_h[e])

    def _loop(self, e: int, out: dict[int, float]) -> tuple[list[Point], Point]:
        """From the right border out and back to it; `out` is how far the loops before this one reach."""
        v, label = self.graph.tail[e], self.graph.label_w[e]
        y, border = float(self.y[v]), float(self.x[v]) + self.graph.widths[v] / 2
        turn = out.get(v, border) + LOOP
        out[v] = turn + (label + 2 * LABEL_GAP if label else 0.0)
        up, down = y - self.graph.heights[v] / 6, y + self.graph.heights[v] / 6
        return [(border, down), (turn, down), (turn, up), (border, up)], (turn + LABEL_GAP + label / 2, y)
