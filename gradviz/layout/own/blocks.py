"""Coordinates along the layers: straight runs first.

Vertices joined by the weightiest edges form vertical blocks (as Brandes and Köpf do it, but the edges of the longest
paths win, not the leftmost ones, so that the spine of a network stays one line). Blocks are packed to the left and
then move towards their neighbours as far as those beside them let them.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import ENTRY, EXIT, Style, beginnings
from gradviz.layout.own.ordering import Order
from gradviz.layout.own.packing import Walls, move_left, move_right, walls

_DUMMY_WEIGHT = 1 << 40  # a bend in the middle of a long edge is worse than any other
_SPINE_WEIGHT = 1 << 50
_BEYOND = 1 << 20  # what lies beyond a frame counts as longer than any way within it


class Firmness(IntEnum):
    """What gives way so that a drawing doesn't drift to one side; each also does what those before it do."""

    FAIR = 0  # nothing: a box with two equal neighbours stands between them, and all long edges are straight
    SPINE = 1  # branches: one longest path is straight from end to end, and nothing stands between two equals
    # long edges: they may bend where what stands at their left ends, and so push less to the right; and edges between
    # frames, which needn't be straight from port to port: frames stand below each other instead
    BENT = 2


class Blocks:
    """`block` of each vertex and its `offset` from the block's x; `x` of each block."""

    def __init__(self, order: Order, style: Style, firm: Firmness = Firmness.FAIR) -> None:
        self._firm = firm
        self.order = order
        self.graph = order.graph
        self._style = style
        self.aligned = np.zeros(len(self.graph.upper), np.bool_)  # segments that are straight
        self._sequence = order.sequence()
        layer = self.graph.arrays.layer[self._sequence]
        self._rank = np.empty(len(layer), np.int64)  # place in its layer of each vertex
        self._rank[self._sequence] = np.arange(len(layer)) - np.searchsorted(layer, layer)
        self._align()
        self._upper_port, self._lower_port = self.graph.arrays.upper_port, self.graph.arrays.lower_port
        if firm >= Firmness.BENT:
            self._cut()
            self._upper_port = self._lower_port = np.zeros(len(self.graph.upper))
        self._gather()
        self._constrain()
        self._pack()

    def places(self) -> NDArray[np.float64]:
        return np.asarray(self.x)[self.block] + self.offset

    def _align(self) -> None:
        """The weightiest segments that don't cross each other, one above and one below each vertex."""
        arrays, rank = self.graph.arrays, self._rank
        weights = self._weights()
        chosen = np.flatnonzero(weights > 0)
        upper, lower = arrays.upper[chosen], arrays.lower[chosen]
        gap = arrays.layer[upper]
        # where all segments of a gap stand side by side, each with ends of its own, there is nothing to choose
        order = np.lexsort((rank[lower], rank[upper], gap))
        here, left, right = gap[order], rank[upper[order]], rank[lower[order]]
        meet = (here[1:] == here[:-1]) & ((left[1:] <= left[:-1]) | (right[1:] <= right[:-1]))
        contested = np.zeros(len(self.order.layers), np.bool_)
        contested[here[1:][meet]] = True
        self.aligned[chosen[~contested[gap]]] = True
        if not contested.any():
            return
        order = np.lexsort((rank[lower], rank[upper], -weights[chosen], gap))
        order = order[contested[gap[order]]]
        self._choose(chosen[order], gap[order])

    def _choose(self, segments: NDArray[np.int64], gaps: NDArray[np.int64]) -> None:
        """Align the segments one after the other, those of one gap following each other, where none hinders it."""
        arrays = self.graph.arrays
        upper, lower = self._rank[arrays.upper[segments]].tolist(), self._rank[arrays.lower[segments]].tolist()
        here = -1
        tops: list[int] = []
        bottoms: list[int] = []
        found = []
        for s, gap, a, b in zip(segments.tolist(), gaps.tolist(), upper, lower, strict=True):
            if gap != here:
                here = gap
                tops, bottoms = [a], [b]
                found.append(s)
                continue
            at = bisect_left(tops, a)
            if (at and bottoms[at - 1] >= b) or (at < len(tops) and (tops[at] == a or bottoms[at] <= b)):
                continue  # would cross a straight line, or begin or end where one does
            tops.insert(at, a)
            bottoms.insert(at, b)
            found.append(s)
        self.aligned[found] = True

    def _cut(self) -> None:
        """Take long edges apart where what stands at their left isn't the same any more in the next layer."""
        arrays, boxes = self.graph.arrays, self.graph.boxes
        count = len(arrays.layer)
        straight = np.flatnonzero(self.aligned)
        below = np.full(count + 1, -1)  # one more for what has nothing at its left
        below[arrays.upper[straight]] = arrays.lower[straight]
        left = np.full(count, count)
        inner = np.flatnonzero(self._rank[self._sequence] > 0)
        left[self._sequence[inner]] = self._sequence[inner - 1]
        long = straight[(arrays.upper[straight] >= boxes) & (arrays.lower[straight] >= boxes)]
        now_left = left[arrays.lower[long]]
        now_left[now_left == count] = -1
        self.aligned[long] = below[left[arrays.upper[long]]] == now_left

    def _weights(self) -> NDArray[np.int64]:
        """Length of the longest path through each segment; 0 where a vertex had better stand between two equals."""
        graph, arrays = self.graph, self.graph.arrays
        above, below = self._depths()
        upper, lower, boxes = arrays.upper, arrays.lower, graph.boxes
        long = arrays.span[arrays.edge] > 1
        weights: NDArray[np.int64] = 2 * (np.asarray(above)[upper] + np.asarray(below)[lower]) + 2 - long
        weights[(upper >= boxes) & (lower >= boxes)] = _DUMMY_WEIGHT
        if self._firm >= Firmness.SPINE:
            weights[self._longest_path(above, below)] = _SPINE_WEIGHT
            return weights
        return self._fair(weights)

    def _fair(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Without those of an even number of equals at one border of a box; of an odd one, the middle weighs more."""
        arrays, boxes = self.graph.arrays, self.graph.boxes
        even = np.zeros(len(weights), np.bool_)
        for own, other in ((arrays.lower, arrays.upper), (arrays.upper, arrays.lower)):
            if np.bincount(own, minlength=1).max() < 2:
                continue
            best = np.zeros(len(arrays.layer), np.int64)
            np.maximum.at(best, own, weights)
            equal = np.flatnonzero((weights == best[own]) & (own < boxes))
            order = equal[np.lexsort((self._rank[other[equal]], own[equal]))]
            mine, its = own[order], other[order]
            again = np.zeros(len(order), np.bool_)  # a parallel edge
            again[1:] = (mine[1:] == mine[:-1]) & (its[1:] == its[:-1])
            different = np.bincount(mine[~again], minlength=boxes)
            number = np.bincount(mine, minlength=boxes)
            even[order[different[mine] % 2 == 0]] = True
            begin = np.cumsum(number) - number
            odd = np.flatnonzero((number > 1) & (different % 2 == 1))
            weights[order[begin[odd] + number[odd] // 2]] += 1
        weights[even] = 0
        return weights

    def _depths(self) -> tuple[list[int], list[int]]:
        """Edges on the longest way from the top to each vertex, and from it to the bottom."""
        graph, arrays = self.graph, self.graph.arrays
        above, below = [0] * len(graph.layer), [0] * len(graph.layer)
        for v, pin in enumerate(graph.pin):
            if pin == ENTRY:
                above[v] = _BEYOND
            elif pin == EXIT:
                below[v] = _BEYOND
        order = np.argsort(arrays.layer[arrays.upper], kind="stable")
        upper, lower = arrays.upper[order], arrays.lower[order]
        steps = list(zip(upper.tolist(), lower.tolist(), (lower < graph.boxes).tolist(), strict=True))
        for a, b, step in steps:
            way = above[a] + step
            if way > above[b]:
                above[b] = way
        steps.reverse()
        for a, b, step in steps:
            way = below[b] + step
            if way > below[a]:
                below[a] = way
        return above, below

    def _longest_path(self, above: list[int], below: list[int]) -> list[int]:
        graph, order = self.graph, self.order
        v = max(range(len(below)), key=lambda v: (below[v] if not above[v] else -1, -v))
        path = []
        while order.down[v]:
            s = max(order.down[v], key=lambda s: (below[graph.lower[s]] + (graph.lower[s] < graph.boxes), -s))
            path.append(s)
            v = graph.lower[s]
        return path

    def _gather(self) -> None:
        """Blocks are numbered by the places of their uppermost vertices."""
        arrays = self.graph.arrays
        count = len(arrays.layer)
        straight = np.flatnonzero(self.aligned)
        above, self.offset = np.arange(count), np.zeros(count)
        above[arrays.lower[straight]] = arrays.upper[straight]
        self.offset[arrays.lower[straight]] = self._upper_port[straight] - self._lower_port[straight]
        while True:  # each turn sees twice as far up
            further = above[above]
            if np.array_equal(further, above):
                break
            self.offset += self.offset[above]
            above = further
        tops = self._sequence[above[self._sequence] == self._sequence]
        number = np.empty(count, np.int64)
        number[tops] = np.arange(len(tops))
        self.block = number[above]
        self._blocks = len(tops)

    def _constrain(self) -> None:
        """Distances to the blocks right and left of each block."""
        arrays, style = self.graph.arrays, self._style
        neighbour = self._rank[self._sequence[1:]] > 0
        a, b = self._sequence[:-1][neighbour], self._sequence[1:][neighbour]
        thin = (arrays.left == 0) & (arrays.right == 0)
        thin[self.graph.boxes :] = True
        room = np.where(thin[a] | thin[b], style.line_gap, style.node_gap)
        need = arrays.right[a] + room + arrays.left[b] + self.offset[a] - self.offset[b]
        pair = self.block[a] * self._blocks + self.block[b]
        order = np.argsort(pair, kind="stable")
        begin = beginnings(pair[order])
        most = np.maximum.reduceat(need[order], begin) if len(begin) else need
        left, right = self.block[a][order[begin]], self.block[b][order[begin]]
        met = np.lexsort((order[begin], left))  # the nearer to the top two blocks meet, the earlier
        self._rightwards = walls(left[met], right[met], most[met], self._blocks)
        self._leftwards = walls(right, left, most, self._blocks)

    def _pack(self) -> None:
        """As far left as can be, and then towards the neighbours."""
        sequence = self._from_left()
        pulls = self._pulls()
        moving = [b for b in sequence if pulls[b]]
        back = moving[::-1]
        turns = 10 if self._blocks <= 3000 else 3
        for _ in range(turns):
            moved = move_right(self.x, back, pulls, self._rightwards)
            if not (move_left(self.x, moving, pulls, self._leftwards) or moved):
                break

    def _from_left(self) -> list[int]:
        """Sets the least x of each block; returns the blocks so that each comes after those at its left."""
        missing = [len(its) for its in self._leftwards]
        sequence = [b for b, waiting in enumerate(missing) if not waiting]
        x = self.x = [-1e18 if waiting else 0.0 for waiting in missing]
        for a in sequence:  # grows while it is read
            here = x[a]
            for b, need in self._rightwards[a]:
                if here + need > x[b]:
                    x[b] = here + need
                missing[b] -= 1
                if not missing[b]:
                    sequence.append(b)
        return sequence

    def _pulls(self) -> list[Walls]:
        """For each block: (other block, distance wished) per edge that leaves it, on the side where there are more.

        So a box stands above the middle of its two children, wherever the one parent is.
        """
        arrays, block, offset = self.graph.arrays, self.block, self.offset
        bent = np.flatnonzero(~self.aligned & (block[arrays.upper] != block[arrays.lower]))
        if not len(bent):
            return [[]] * self._blocks
        a, b = arrays.upper[bent], arrays.lower[bent]
        shift = offset[a] + self._upper_port[bent] - offset[b] - self._lower_port[bent]
        above, below = block[a], block[b]
        up, down = np.bincount(below, minlength=self._blocks), np.bincount(above, minlength=self._blocks)
        upwards, downwards = up[below] >= down[below], down[above] >= up[above]
        return walls(
            np.concatenate([below[upwards], above[downwards]]),
            np.concatenate([above[upwards], below[downwards]]),
            np.concatenate([shift[upwards], -shift[downwards]]),
            self._blocks,
        )
