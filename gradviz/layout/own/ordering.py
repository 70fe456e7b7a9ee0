"""Crossing reduction: the order of the vertices within each layer.

A depth-first order to start with (a tree has no crossings in it), then barycentre sweeps that keep the best order
seen, then, in small graphs, exchanges of neighbours.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from gradviz.layout.own.proper import Proper

_STARTS = ((True, False), (False, False), (True, True), (False, True))  # downwards, mirrored
_SMALL = 1500  # vertices up to which all starts are tried
_MIDDLE = 4000  # vertices up to which exchanges are tried
MOST_EFFORT = 2
_WIDE = 600  # a layer that exchanges leave alone


class Order:
    """Layers as lists of vertices, and where each vertex stands while boxes are packed side by side."""

    def __init__(self, graph: Proper, hint: list[int], gap: float) -> None:
        self.graph = graph
        self.gap = gap
        count = len(graph.layer)
        self.up: list[list[int]] = [[] for _ in range(count)]  # segments
        self.down: list[list[int]] = [[] for _ in range(count)]
        for s, (a, b) in enumerate(zip(graph.upper, graph.lower, strict=True)):
            self.down[a].append(s)
            self.up[b].append(s)
        self.gaps: list[list[int]] = [[] for _ in range(max(graph.layer, default=-1) + 1)]  # segments below each layer
        for s, a in enumerate(graph.upper):
            self.gaps[graph.layer[a]].append(s)
        self._hint = hint
        self.layers: list[list[int]] = []
        self.place = [0.0] * count

    def start(self, downwards: bool, mirrored: bool) -> None:
        """The order in which a depth-first search comes by, from the top down or from the bottom up."""
        graph, hint = self.graph, self._hint
        back, ahead, end = (self.up, self.down, graph.lower) if downwards else (self.down, self.up, graph.upper)
        self.layers = [[] for _ in self.gaps]
        seen = [False] * len(graph.layer)
        stack = [v for v in range(len(graph.layer)) if not back[v]]
        sign = 1 if downwards else -1
        stack.sort(key=lambda v: (sign * graph.layer[v], hint[v] if v < graph.boxes else -1, v), reverse=True)
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = True
            self.layers[graph.layer[v]].append(v)
            stack.extend([end[s] for s in (ahead[v] if mirrored else reversed(ahead[v]))])
        self.settle()

    def settle(self) -> None:
        for layer in self.layers:
            self.spread(layer)

    def spread(self, layer: list[int]) -> None:
        """Places for a layer packed around 0."""
        left, right, place, gap = self.graph.left, self.graph.right, self.place, self.gap
        x = 0.0
        for v in layer:
            x += left[v]
            place[v] = x
            x += right[v] + gap
        half = (x - gap) / 2
        for v in layer:
            place[v] -= half

    def sweep(self, downwards: bool, median: bool = False) -> None:
        """Sort each layer by the barycentre, or the median, of its neighbours in the one before."""
        graph, place = self.graph, self.place
        if downwards:
            around, other, other_port, own_port = self.up, graph.upper, graph.upper_port, graph.lower_port
        else:
            around, other, other_port, own_port = self.down, graph.lower, graph.lower_port, graph.upper_port
        key = [0.0] * len(place)
        layers = self.layers if downwards else reversed(self.layers)
        for layer in layers:
            if len(layer) > 1:
                for v in layer:
                    segments = around[v]
                    if segments:
                        at = [place[other[s]] + other_port[s] - own_port[s] for s in segments]
                        if median and len(at) > 2:
                            at.sort()
                            key[v] = at[len(at) // 2] if len(at) % 2 else (at[len(at) // 2 - 1] + at[len(at) // 2]) / 2
                        else:
                            key[v] = sum(at) / len(at)
                    else:
                        key[v] = place[v]
                layer.sort(key=key.__getitem__)
                self.spread(layer)

    def crossings(self) -> int:
        return sum(self.gap_crossings(gap) for gap in self.gaps if len(gap) > 1)

    def gap_crossings(self, gap: list[int]) -> int:
        graph, place = self.graph, self.place
        upper, lower, upper_port, lower_port = graph.upper, graph.lower, graph.upper_port, graph.lower_port
        ends = [(place[upper[s]] + upper_port[s], place[lower[s]] + lower_port[s]) for s in gap]
        ends.sort()
        return inversions([end for _, end in ends])

    def transpose(self, loose: bool) -> bool:
        """Exchange neighbours where that crosses less, or, if `loose`, as much; True where something got better."""
        better = False
        for layer in self.layers:
            if 1 < len(layer) <= _WIDE:
                for i in range(len(layer) - 1):
                    a, b = layer[i], layer[i + 1]
                    now, then = self._pair(a, b)
                    if then < now or (loose and then == now):
                        layer[i], layer[i + 1] = b, a
                        better = better or then < now
                self.spread(layer)
        return better

    def _pair(self, a: int, b: int) -> tuple[int, int]:
        """Crossings between the segments of a and b where a stands left of b, and where it stands right."""
        graph, place = self.graph, self.place
        now = then = 0
        for segments, other, port in (
            (self.up, graph.upper, graph.upper_port),
            (self.down, graph.lower, graph.lower_port),
        ):
            if segments[a] and segments[b]:
                mine = [place[other[s]] + port[s] for s in segments[a]]
                if len(mine) > 1:
                    mine.sort()
                for s in segments[b]:
                    at = place[other[s]] + port[s]
                    now += len(mine) - bisect_right(mine, at)
                    then += bisect_left(mine, at)
        return now, then


def inversions(values: list[float]) -> int:
    """Pairs that stand in the wrong order; merge sort, so that 50,000 edges between two layers are no problem."""
    if values == sorted(values):
        return 0
    total = 0
    runs = [[value] for value in values]
    while len(runs) > 1:
        merged = []
        for i in range(0, len(runs) - 1, 2):
            a, b = runs[i], runs[i + 1]
            if a[-1] > b[0]:
                total += sum([len(a) - bisect_right(a, value) for value in b])
                a = sorted(a + b)
            else:
                a += b
            merged.append(a)
        if len(runs) % 2:
            merged.append(runs[-1])
        runs = merged
    return total


def ordered(graph: Proper, hint: list[int], gap: float, effort: int = MOST_EFFORT) -> Order:
    """`effort` is 0 where this is a small part of a large graph."""
    order = Order(graph, hint, gap)
    size = len(graph.layer)
    starts = 4 if size <= _SMALL else 2 if size <= _MIDDLE else 1
    best, kept = -1, order.layers
    for downwards, mirrored in _STARTS[: min(starts, 1 << effort)]:
        order.start(downwards, mirrored)
        found, layers = _improve(order, _limits(size, effort))
        if best < 0 or found < best:
            best, kept = found, layers
        if not best:
            break
    order.layers = kept
    order.settle()
    return order


@dataclass(frozen=True)
class _Limits:
    sweeps: int
    patience: int  # sweeps without gain
    exchanges: int  # rounds of them after a sweep


def _limits(size: int, effort: int) -> _Limits:
    if size > _MIDDLE:
        return _Limits(8 if size <= 20_000 else 3, 3, 0)
    if not effort:
        return _Limits(6, 2, 2)
    return _Limits(24, 7 if size <= _SMALL else 3, 12)


def _improve(order: Order, limits: _Limits) -> tuple[int, list[list[int]]]:
    """Sweeps, and in small graphs exchanges; the fewest crossings and the order that has them."""
    best = order.crossings()
    kept = [list(layer) for layer in order.layers]
    stale = 0
    for turn in range(limits.sweeps):
        if not best or stale > limits.patience:
            break
        order.sweep(downwards=turn % 2 == 0, median=turn % 4 >= 2)
        for again in range(limits.exchanges):
            if not order.transpose(loose=turn % 4 == 1 and again == 0):
                break
        now = order.crossings()
        stale += 1
        if now < best:
            best, stale = now, 0
            kept = [list(layer) for layer in order.layers]
    return best, kept
