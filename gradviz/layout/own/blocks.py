"""Coordinates along the layers: straight runs first.

Vertices joined by the weightiest edges form vertical blocks (as Brandes and Köpf do it, but the edges of the longest
paths win, not the leftmost ones, so that the spine of a network stays one line). Blocks are packed to the left and
then move towards their neighbours as far as those beside them let them.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import IntEnum

from gradviz.layout.own.flat import ENTRY, EXIT, Style
from gradviz.layout.own.ordering import Order

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
        self.aligned = [False] * len(self.graph.upper)  # segments that are straight
        self._rank = [0] * len(self.graph.layer)
        for layer in order.layers:
            for i, v in enumerate(layer):
                self._rank[v] = i
        self._align()
        self._upper_port, self._lower_port = self.graph.upper_port, self.graph.lower_port
        if firm >= Firmness.BENT:
            self._cut()
            self._upper_port = self._lower_port = [0.0] * len(self.graph.upper)
        self._gather()
        self._constrain()
        self._pack()

    def places(self) -> list[float]:
        return [self.x[b] + offset for b, offset in zip(self.block, self.offset, strict=True)]

    def _align(self) -> None:
        graph, rank = self.graph, self._rank
        weights = self._weights()
        count = len(graph.layer)
        taken_up, taken_down = [False] * count, [False] * count
        for gap in self.order.gaps:
            chosen = [s for s in gap if weights[s] > 0]
            chosen.sort(key=lambda s: (-weights[s], rank[graph.upper[s]], rank[graph.lower[s]]))
            tops: list[int] = []
            bottoms: list[int] = []
            for s in chosen:
                a, b = graph.upper[s], graph.lower[s]
                if taken_down[a] or taken_up[b]:
                    continue
                at = bisect_left(tops, rank[a])
                if (at and bottoms[at - 1] > rank[b]) or (at < len(tops) and bottoms[at] < rank[b]):
                    continue  # would cross a straight line
                tops.insert(at, rank[a])
                bottoms.insert(at, rank[b])
                taken_down[a] = taken_up[b] = True
                self.aligned[s] = True

    def _cut(self) -> None:
        """Take long edges apart where what stands at their left isn't the same any more in the next layer."""
        graph, rank, layers = self.graph, self._rank, self.order.layers
        below = {graph.upper[s]: graph.lower[s] for s, straight in enumerate(self.aligned) if straight}
        for s, straight in enumerate(self.aligned):
            a, b = graph.upper[s], graph.lower[s]
            if straight and a >= graph.boxes and b >= graph.boxes:
                left = layers[graph.layer[a]][rank[a] - 1] if rank[a] else -1
                now_left = layers[graph.layer[b]][rank[b] - 1] if rank[b] else -1
                self.aligned[s] = below.get(left, -1) == now_left

    def _weights(self) -> list[int]:
        """Length of the longest path through each segment; 0 where a vertex had better stand between two equals."""
        graph, order = self.graph, self.order
        above, below = self._depths()
        boxes = graph.boxes
        weights = []
        for s, (a, b) in enumerate(zip(graph.upper, graph.lower, strict=True)):
            if a >= boxes and b >= boxes:
                weights.append(_DUMMY_WEIGHT)
            else:
                through = 2 * (above[a] + below[b]) + 2
                weights.append(through - (graph.span[graph.edge[s]] > 1))
        if self._firm >= Firmness.SPINE:
            for s in self._longest_path(above, below):
                weights[s] = _SPINE_WEIGHT
            return weights
        even = [False] * len(weights)
        for v in range(boxes):
            for segments, other in ((order.up[v], graph.upper), (order.down[v], graph.lower)):
                if len(segments) > 1:
                    best = max([weights[s] for s in segments])
                    equal = [s for s in segments if weights[s] == best]
                    if len({other[s] for s in equal}) % 2 == 0:
                        for s in equal:
                            even[s] = True
                    elif len(equal) > 1:
                        equal.sort(key=lambda s: self._rank[other[s]])
                        weights[equal[len(equal) // 2]] += 1
        return [0 if skip else weight for skip, weight in zip(even, weights, strict=True)]

    def _depths(self) -> tuple[list[int], list[int]]:
        """Edges on the longest way from the top to each vertex, and from it to the bottom."""
        graph, order = self.graph, self.order
        above, below = [0] * len(graph.layer), [0] * len(graph.layer)
        for v, pin in enumerate(graph.pin):
            if pin == ENTRY:
                above[v] = _BEYOND
            elif pin == EXIT:
                below[v] = _BEYOND
        for gap in order.gaps:
            for s in gap:
                a, b = graph.upper[s], graph.lower[s]
                above[b] = max(above[b], above[a] + (b < graph.boxes))
        for gap in reversed(order.gaps):
            for s in gap:
                a, b = graph.upper[s], graph.lower[s]
                below[a] = max(below[a], below[b] + (b < graph.boxes))
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
        graph = self.graph
        self.block = [-1] * len(graph.layer)
        self.offset = [0.0] * len(graph.layer)
        above = [-1] * len(graph.layer)
        for s, straight in enumerate(self.aligned):
            if straight:
                above[graph.lower[s]] = s
        self.members: list[list[int]] = []
        for layer in self.order.layers:
            for v in layer:
                s = above[v]
                if s < 0:
                    self.block[v] = len(self.members)
                    self.members.append([v])
                else:
                    a = graph.upper[s]
                    self.block[v] = self.block[a]
                    self.offset[v] = self.offset[a] + self._upper_port[s] - self._lower_port[s]
                    self.members[self.block[a]].append(v)

    def _constrain(self) -> None:
        """Distances to the blocks right and left of each block, and an order from left to right."""
        graph, style, block, offset = self.graph, self._style, self.block, self.offset
        right: list[dict[int, float]] = [{} for _ in self.members]
        size = zip(graph.left, graph.right, strict=True)
        thin = [v >= graph.boxes or not (reach[0] or reach[1]) for v, reach in enumerate(size)]
        for layer in self.order.layers:
            for a, b in zip(layer, layer[1:], strict=False):
                room = style.line_gap if thin[a] or thin[b] else style.node_gap
                need = graph.right[a] + room + graph.left[b] + offset[a] - offset[b]
                known = right[block[a]]
                if need > known.get(block[b], -1e18):
                    known[block[b]] = need
        self._rightwards = [list(known.items()) for known in right]
        self._leftwards: list[list[tuple[int, float]]] = [[] for _ in right]
        for a, known in enumerate(right):
            for b, need in known.items():
                self._leftwards[b].append((a, need))
        missing = [len(known) for known in self._leftwards]
        self._sequence = [b for b in range(len(right)) if not missing[b]]
        for a in self._sequence:
            for b, _ in self._rightwards[a]:
                missing[b] -= 1
                if not missing[b]:
                    self._sequence.append(b)

    def _pack(self) -> None:
        self.x = [0.0] * len(self.members)
        for b in self._sequence:
            self.x[b] = max([self.x[a] + need for a, need in self._leftwards[b]], default=0.0)
        pulls = self._pulls()
        turns = 10 if len(self.members) <= 3000 else 3
        for _ in range(turns):
            for b in reversed(self._sequence):
                self._move(b, pulls[b], self._rightwards[b], 1.0)
            for b in self._sequence:
                self._move(b, pulls[b], self._leftwards[b], -1.0)

    def _move(self, b: int, pulls: list[tuple[int, float]], walls: list[tuple[int, float]], way: float) -> None:
        """Move towards the median of the neighbours, but one way only and up to the next block only."""
        if not pulls:
            return
        x = self.x
        if len(pulls) == 1:
            goal = x[pulls[0][0]] + pulls[0][1]
        else:
            wished = sorted([x[other] + shift for other, shift in pulls])
            middle = len(wished) // 2
            goal = wished[middle] if len(wished) % 2 else (wished[middle - 1] + wished[middle]) / 2
        if way * (goal - x[b]) > 0:
            if walls:
                if way > 0:
                    goal = min(goal, min([x[other] - need for other, need in walls]))
                else:
                    goal = max(goal, max([x[other] + need for other, need in walls]))
            if way * (goal - x[b]) > 0:
                x[b] = goal

    def _pulls(self) -> list[list[tuple[int, float]]]:
        """For each block: (other block, distance wished) per edge that leaves it, on the side where there are more.

        So a box stands above the middle of its two children, wherever the one parent is.
        """
        graph, block, offset = self.graph, self.block, self.offset
        above: list[list[tuple[int, float]]] = [[] for _ in self.members]
        below: list[list[tuple[int, float]]] = [[] for _ in self.members]
        for s, straight in enumerate(self.aligned):
            a, b = graph.upper[s], graph.lower[s]
            if not straight and block[a] != block[b]:
                shift = offset[a] + self._upper_port[s] - offset[b] - self._lower_port[s]
                above[block[b]].append((block[a], shift))
                below[block[a]].append((block[b], -shift))
        return [
            up if len(up) > len(down) else down if len(down) > len(up) else up + down
            for up, down in zip(above, below, strict=True)
        ]
