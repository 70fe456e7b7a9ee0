"""From orders and places to coordinates: the height of every layer and gap, then each edge's polyline and label."""

from __future__ import annotations

from gradviz.layout.own.channels import BAND, Channels, gap_height
from gradviz.layout.own.flat import ENTRY, EXIT, FlatGraph, FlatPlaces, Style
from gradviz.layout.own.labels import LaneLabel, stagger
from gradviz.layout.own.lanes import Lanes, gap_above, gap_below
from gradviz.layout.own.ports import Ports
from gradviz.layout.own.proper import LABEL_GAP, LOOP, Proper

Point = tuple[float, float]


class Router:
    def __init__(
        self, graph: FlatGraph, proper: Proper, ports: Ports, x: list[float], lanes: Lanes, style: Style
    ) -> None:
        self.graph, self.proper, self.ports, self.x, self.lanes, self.style = graph, proper, ports, x, lanes, style
        self.entries, self.exits = ENTRY in graph.pin, EXIT in graph.pin
        self.plan = Channels(graph, proper, ports, x, lanes)
        self._set_heights()

    def _set_heights(self) -> None:
        """`top` and `middle` of each layer, `gap_top` of each gap, and the height of the whole."""
        proper, plan, style = self.proper, self.plan, self.style
        tall = [0.0] * len(proper.column)
        for v, layer in enumerate(proper.layer):
            if proper.height[v] > tall[layer]:
                tall[layer] = proper.height[v]
        self.gap_top: dict[int, float] = {BAND: 0.0}
        self.middle = [0.0] * len(tall)
        begin = gap_height(plan, BAND, style, 0.0) if BAND in plan.nets else 0.0
        self.height = y = begin
        for layer, column in enumerate(proper.column):
            if layer == 0 or column != proper.column[layer - 1]:
                y = begin
                self.gap_top[-1 - column] = y
                y += gap_height(plan, -1 - column, style, 0.0)
            self.middle[layer] = y + tall[layer] / 2
            y += tall[layer]
            self.gap_top[layer] = y
            y += gap_height(plan, layer, style, self._least(layer))
            self.height = max(self.height, y)

    def _least(self, layer: int) -> float:
        """The least height of the gap below a layer: none below a column, little to the terminals on a frame."""
        column = self.proper.column
        if layer + 1 == len(column) or column[layer] != column[layer + 1]:
            return 0.0
        bare = (layer == 0 and self.entries) or (layer + 2 == len(column) and self.exits)
        return self.style.layer_gap / 3 if bare else self.style.layer_gap

    def places(self) -> FlatPlaces:
        graph, proper = self.graph, self.proper
        y = [self.middle[layer] for layer in proper.layer]
        for v in range(proper.boxes):
            if graph.pin[v] == EXIT:  # the lower end of the frame, however short the last column is
                y[v] = self.height - graph.heights[v] / 2
        routes: list[list[Point]] = []
        labels: list[Point | None] = []
        lanes = set(proper.lanes)
        loops: dict[int, float] = {}
        in_lane: dict[int, list[LaneLabel]] = {}
        for e, (a, b) in enumerate(zip(graph.tail, graph.head, strict=True)):
            named = graph.label_w[e] > 0
            label: Point | None = None
            if a == b:
                route, label = self._loop(e, y[a], loops)
            elif e in lanes:
                route = self._lane_route(e, y)
                if e in self.lanes.standing:
                    in_lane.setdefault(self.lanes.legs[e][0].lane, []).append(self._lane_label(e, route))
                elif named:
                    label = self._gap_label(e, gap_below(proper.layer[a]))
            else:
                route = self._chain_route(e, y)
                label = self._chain_label(e, y) if named else None
            routes.append(route)
            labels.append(label if named else None)
        for wanted in in_lane.values():
            for e, label in stagger(wanted).items():
                labels[e] = label
        boxes = proper.boxes
        return FlatPlaces(self.x[:boxes], y[:boxes], routes, labels, self.lanes.width, self.height)

    def _chain_route(self, e: int, y: list[float]) -> list[Point]:
        graph, proper, x, ports = self.graph, self.proper, self.x, self.ports
        a, b = graph.tail[e], graph.head[e]
        first = proper.first[e]
        at = x[a] + ports.upper[first]
        route = [(at, y[a] + graph.heights[a] / 2)]
        layer = proper.layer[a]
        for s in range(first, first + proper.span[e]):
            net = self.plan.of_segment.get(s)
            if net is not None:
                bend = self.gap_top[layer] + net.at
                route.append((at, bend))
                at = x[proper.lower[s]] + ports.lower[s]
                route.append((at, bend))
            layer += 1
        end = y[b] - graph.heights[b] / 2
        route.append((x[b] + ports.lower[first + proper.span[e] - 1], end))
        return route

    def _chain_label(self, e: int, y: list[float]) -> Point:
        graph, proper = self.graph, self.proper
        span = proper.span[e]
        if span == 1:
            return self._gap_label(e, proper.layer[graph.tail[e]])
        dummy = proper.lower[proper.first[e] + (span - 1) // 2]
        return (self.x[dummy] + self.style.label_side * (LABEL_GAP + graph.label_w[e] / 2), y[dummy])

    def _gap_label(self, e: int, gap: int) -> Point:
        labels = self.plan.labels[gap]
        x, below = labels.placed[e]
        return (x, self.gap_top[gap] + labels.begin + below)

    def _lane_route(self, e: int, y: list[float]) -> list[Point]:
        graph, proper, x, ports, plan = self.graph, self.proper, self.x, self.ports, self.plan
        a, b = graph.tail[e], graph.head[e]
        below, above = gap_below(proper.layer[a]), gap_above(proper.layer[b], proper.column)
        out, into = x[a] + ports.lane_tail[e], x[b] + ports.lane_head[e]
        start, end = self.gap_top[below] + plan.of_tail[e].at, self.gap_top[above] + plan.of_head[e].at
        legs = self.lanes.legs[e]
        route = [(out, y[a] + graph.heights[a] / 2), (out, start), (legs[0].x, start)]
        if len(legs) > 1:
            turn = self.gap_top[BAND] + plan.of_band[e].at
            route += [(legs[0].x, turn), (legs[1].x, turn)]
        return [*route, (legs[-1].x, end), (into, end), (into, y[b] - graph.heights[b] / 2)]

    def _lane_label(self, e: int, route: list[Point]) -> LaneLabel:
        """On the edge's first stretch along a lane."""
        (x, start), (_, end) = route[2:4]
        return LaneLabel(e, x, min(start, end), max(start, end), self.graph.label_w[e], self.graph.label_h[e])

    def _loop(self, e: int, y: float, out: dict[int, float]) -> tuple[list[Point], Point]:
        """From the right border out and back to it; `out` is how far the loops before this one reach."""
        v, label = self.graph.tail[e], self.graph.label_w[e]
        border = self.x[v] + self.graph.widths[v] / 2
        turn = out.get(v, border) + LOOP
        out[v] = turn + (label + 2 * LABEL_GAP if label else 0.0)
        up, down = y - self.graph.heights[v] / 6, y + self.graph.heights[v] / 6
        return [(border, down), (turn, down), (turn, up), (border, up)], (turn + LABEL_GAP + label / 2, y)
