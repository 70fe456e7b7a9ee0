"""Crossing reduction: the order of the vertices within each layer.

A depth-first order to start with (a tree has no crossings in it), then barycentre sweeps that keep the best order
seen, then, in small graphs, exchanges of neighbours. Only layers that can change are touched: numpy finds them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.crossings import gap_crossings, inversions
from gradviz.layout.own.flat import grouped
from gradviz.layout.own.proper import Proper

_STARTS = ((True, False), (False, False), (True, True), (False, True))  # downwards, mirrored
_SMALL = 1500  # vertices up to which all starts are tried
_MIDDLE = 4000  # vertices up to which exchanges are tried
MOST_EFFORT = 2
_WIDE = 600  # a layer that exchanges leave alone
_FEW = 24  # changed layers up to which the gaps beside them are counted one by one


class Order:
    """Layers as lists of vertices, and where each vertex stands while boxes are packed side by side."""

    def __init__(self, graph: Proper, hint: list[int], gap: float) -> None:
        self.graph = graph
        self.gap = gap
        count = len(graph.layer)
        arrays = graph.arrays
        self._gap_of = arrays.layer[arrays.upper]
        self._depth = max(graph.layer, default=-1) + 1
        self._above = grouped(arrays.lower, count, arrays.upper)
        self._below = grouped(arrays.upper, count, arrays.lower)
        self._ported = bool(arrays.upper_port.any() or arrays.lower_port.any())
        self._hint = hint
        self.layers: list[list[int]] = []
        self.place = [0.0] * count
        self._crossed: list[int] = []  # in the gap below each layer, as far as counted
        self._uncounted: set[int] | None = None  # layers changed since; None: all
        # how often the order of each layer has changed, nothing before the first and after the last
        self._version = [0] * (self._depth + 2)
        self._at_rest: list[list[int]] = [[]] * self._depth  # versions that no exchange gained anything from

    @cached_property
    def up(self) -> list[list[int]]:
        """The segments above each vertex."""
        return grouped(self.graph.arrays.lower, len(self.place))

    @cached_property
    def down(self) -> list[list[int]]:
        """The segments below each vertex."""
        return grouped(self.graph.arrays.upper, len(self.place))

    @cached_property
    def gaps(self) -> list[list[int]]:
        """The segments below each layer."""
        return grouped(self._gap_of, self._depth)

    def start(self, downwards: bool, mirrored: bool) -> None:
        """The order in which a depth-first search comes by, from the top down or from the bottom up."""
        graph, hint = self.graph, self._hint
        back, ahead = (self._above, self._below) if downwards else (self._below, self._above)
        layer = graph.layer
        self.layers = [[] for _ in range(self._depth)]
        seen = [False] * len(layer)
        stack = [v for v, near in enumerate(back) if not near]
        sign = 1 if downwards else -1
        stack.sort(key=lambda v: (sign * layer[v], hint[v] if v < graph.boxes else -1, v), reverse=True)
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = True
            self.layers[layer[v]].append(v)
            stack.extend(ahead[v] if mirrored else reversed(ahead[v]))
        self.settle()

    def settle(self) -> None:
        for layer in self.layers:
            self.spread(layer)
        self._version = [version + 1 for version in self._version]
        self._uncounted = None

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
        layers = self.layers
        unsorted = self._unsorted(downwards, median)
        changed = -2  # the last layer whose order changed
        for i in range(len(layers)) if downwards else range(len(layers) - 1, -1, -1):
            layer = layers[i]
            if len(layer) > 1 and (unsorted[i] or abs(i - changed) == 1):
                new = self._sorted(layer, downwards, median)
                if new != layer:
                    self._change(i, new)
                    changed = i

    def _sorted(self, layer: list[int], downwards: bool, median: bool) -> list[int]:
        if self._ported:
            return self._sorted_by_ports(layer, downwards, median)
        near, place = self._above if downwards else self._below, self.place
        key: dict[int, float] = {}
        for v in layer:
            its = near[v]
            if len(its) == 1:
                key[v] = place[its[0]]
            elif len(its) == 2:
                key[v] = (place[its[0]] + place[its[1]]) / 2
            elif its:
                key[v] = _middle([place[w] for w in its], median)
            else:
                key[v] = place[v]
        return sorted(layer, key=key.__getitem__)

    def _sorted_by_ports(self, layer: list[int], downwards: bool, median: bool) -> list[int]:
        graph, place = self.graph, self.place
        if downwards:
            around, other, other_port, own_port = self.up, graph.upper, graph.upper_port, graph.lower_port
        else:
            around, other, other_port, own_port = self.down, graph.lower, graph.lower_port, graph.upper_port
        key: dict[int, float] = {}
        for v in layer:
            segments = around[v]
            if segments:
                at = [place[other[s]] + other_port[s] - own_port[s] for s in segments]
                key[v] = _middle(at, median)
            else:
                key[v] = place[v]
        return sorted(layer, key=key.__getitem__)

    def _change(self, i: int, layer: list[int]) -> None:
        self.layers[i] = layer
        self._version[i + 1] += 1
        self.spread(layer)
        if self._uncounted is not None:
            self._uncounted.add(i)

    def _unsorted(self, downwards: bool, median: bool) -> list[bool]:
        """Of each layer, whether a sort by the neighbours' places of now would change it."""
        arrays, count = self.graph.arrays, len(self.place)
        place = np.asarray(self.place)
        if downwards:
            own, other, own_port, other_port = arrays.lower, arrays.upper, arrays.lower_port, arrays.upper_port
        else:
            own, other, own_port, other_port = arrays.upper, arrays.lower, arrays.upper_port, arrays.lower_port
        at = place[other] + other_port - own_port
        near = np.bincount(own, minlength=count)
        if median:
            inner = at[np.lexsort((at, own))]
            begin = np.cumsum(near) - near
            some = np.flatnonzero(near)
            first, n = begin[some], near[some]
            place[some] = (inner[first + (n - 1) // 2] + inner[first + n // 2]) / 2
        else:
            total = np.bincount(own, at, count)
            place = np.where(near > 0, total / np.maximum(near, 1), place)
        sequence = self.sequence()
        key, layer = place[sequence], arrays.layer[sequence]
        wrong = layer[1:][(key[:-1] > key[1:]) & (layer[:-1] == layer[1:])]
        unsorted = [False] * self._depth
        for i in wrong.tolist():
            unsorted[i] = True
        return unsorted

    def sequence(self) -> NDArray[np.int64]:
        """All vertices, layer by layer."""
        return np.fromiter(chain.from_iterable(self.layers), np.int64, len(self.place))

    def crossings(self) -> int:
        self._count()
        return sum(self._crossed)

    def _count(self) -> None:
        """Count anew in the gaps beside layers that have changed."""
        known = self._uncounted
        if known is None or len(known) > _FEW:
            arrays, place = self.graph.arrays, np.asarray(self.place)
            top, bottom = place[arrays.upper] + arrays.upper_port, place[arrays.lower] + arrays.lower_port
            self._crossed = gap_crossings(self._gap_of, top, bottom, self._depth).tolist()
        else:
            for gap in {gap for i in known for gap in (i - 1, i) if gap >= 0}:
                self._crossed[gap] = self._crossings_of(self.gaps[gap])
        self._uncounted = set()

    def _crossings_of(self, gap: list[int]) -> int:
        graph, place = self.graph, self.place
        upper, lower, upper_port, lower_port = graph.upper, graph.lower, graph.upper_port, graph.lower_port
        ends = [(place[upper[s]] + upper_port[s], place[lower[s]] + lower_port[s]) for s in gap]
        ends.sort()
        return inversions([end for _, end in ends])

    def transpose(self, loose: bool) -> bool:
        """Exchange neighbours where that crosses less, or, if `loose`, as much; True where something got better.

        Layers with no crossing above and below are passed by.
        """
        self._count()
        crossed = self._crossed
        better = False
        changed = -2  # the last layer that was
        for i, layer in enumerate(self.layers):
            if not 1 < len(layer) <= _WIDE:
                continue
            if not (crossed[i] or (i and crossed[i - 1]) or changed == i - 1):
                continue
            around = self._version[i : i + 3]
            if not loose and self._at_rest[i] == around:
                continue
            new, gained = self._exchanged(layer, loose)
            better = better or gained
            if new != layer:
                self._change(i, new)
                changed = i
            elif not loose:
                self._at_rest[i] = around
        return better

    def _exchanged(self, layer: list[int], loose: bool) -> tuple[list[int], bool]:
        """The layer after one round of exchanges, and whether it has fewer crossings."""
        graph, place, up, down = self.graph, self.place, self.up, self.down
        upper, lower, upper_port, lower_port = graph.upper, graph.lower, graph.upper_port, graph.lower_port
        above = [sorted([place[upper[s]] + upper_port[s] for s in up[v]]) for v in layer]
        below = [sorted([place[lower[s]] + lower_port[s] for s in down[v]]) for v in layer]
        new = list(layer)
        better = False
        for i in range(len(new) - 1):
            now, then = _cross(above[i], above[i + 1])
            now_below, then_below = _cross(below[i], below[i + 1])
            now, then = now + now_below, then + then_below
            if then < now or (loose and then == now):
                new[i], new[i + 1] = new[i + 1], new[i]
                above[i], above[i + 1] = above[i + 1], above[i]
                below[i], below[i + 1] = below[i + 1], below[i]
                better = better or then < now
        return new, better


def _middle(places: list[float], median: bool) -> float:
    if not median:
        return sum(places) / len(places)
    places.sort()
    return (places[(len(places) - 1) // 2] + places[len(places) // 2]) / 2


def _cross(a: list[float], b: list[float]) -> tuple[int, int]:
    """Crossings between lines to the places a and b where the box of a stands left of that of b, and where right."""
    if not a or not b:
        return 0, 0
    if len(a) == 1 == len(b):
        return int(a[0] > b[0]), int(a[0] < b[0])
    now = then = 0
    for at in b:
        now += len(a) - bisect_right(a, at)
        then += bisect_left(a, at)
    return now, then


def ordered(graph: Proper, hint: list[int], gap: float, effort: int = MOST_EFFORT) -> Order:
    """`effort` is 0 where this is a small part of a large graph."""
    order = Order(graph, hint, gap)
    size = len(graph.layer)
    starts = 4 if size <= _SMALL else 2 if size <= _MIDDLE else 1
    best, kept = -1, order.layers
    for downwards, mirrored in _STARTS[: min(starts, 1 << effort)]:
        order.start(downwards, mirrored)
        found, layers = _improve(order, _limits(size, effort))
        if found == best:
            break  # from two sides to the same number: hardly anything is left to be gained
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
    kept = list(order.layers)
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
            kept = list(order.layers)
    return best, kept
