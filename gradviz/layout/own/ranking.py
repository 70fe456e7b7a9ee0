"""Which edges point upwards, and the layer of each box. Iterative: a graph may be 25,000 layers deep."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import ENTRY, EXIT, FlatGraph, grouped


def neighbours(count: int, start: NDArray[np.int64], end: NDArray[np.int64]) -> list[list[int]]:
    """Where the edges from each box end, loops left out, in the order of the edges."""
    proper = start != end
    return grouped(start[proper], count, end[proper])


def topological(count: int, outs: list[list[int]]) -> list[int]:
    """An order in which every edge points forwards; shorter than `count` where there is a cycle."""
    missing = [0] * count
    for targets in outs:
        for b in targets:
            missing[b] += 1
    order = [v for v in range(count) if not missing[v]]
    for a in order:  # grows while it is read
        for b in outs[a]:
            missing[b] -= 1
            if not missing[b]:
                order.append(b)
    return order


def upward_edges(count: int, tail: list[int], head: list[int], hint: list[int]) -> list[bool]:
    """Edges to turn round so that no cycle is left: those that a depth-first search finds leading back on its path."""
    start, end, when = np.asarray(tail, np.int64), np.asarray(head, np.int64), np.asarray(hint)
    if ((when[start] < when[end]) | (start == end)).all():  # the usual case: the hints are an order of steps
        return [False] * len(tail)
    outs = neighbours(count, start, end)
    if len(topological(count, outs)) == count:
        return [False] * len(tail)
    edges: list[list[int]] = [[] for _ in range(count)]
    fed = [False] * count
    for e, (a, b) in enumerate(zip(tail, head, strict=True)):
        if a != b:
            edges[a].append(e)
            fed[b] = True
    turned = [False] * len(tail)
    state = [0] * count  # 0 unseen, 1 on the path, 2 done
    for root in sorted(range(count), key=lambda v: (fed[v], hint[v], v)):
        if state[root]:
            continue
        state[root] = 1
        path = [(root, iter(edges[root]))]
        while path:
            v, rest = path[-1]
            for e in rest:
                w = head[e]
                if state[w] == 1:
                    turned[e] = True
                elif state[w] == 0:
                    state[w] = 1
                    path.append((w, iter(edges[w])))
                    break
            else:
                state[v] = 2
                path.pop()
    return turned


def layers(graph: FlatGraph) -> list[int]:
    """Longest path from the top, then boxes with more edges below than above sink, and those with more above rise.

    Entries are alone in the first layer and exits in the last.
    """
    count = len(graph.widths)
    outs = neighbours(count, *graph.ends)
    ins = neighbours(count, *graph.ends[::-1])
    pin = graph.pin
    first = 1 if ENTRY in pin else 0
    layer = [first if pinned != ENTRY else 0 for pinned in pin]
    more = [len(below) - len(above) for below, above in zip(outs, ins, strict=True)]
    missing = [len(above) for above in ins]
    order = [v for v, above in enumerate(missing) if not above]
    for a in order:  # grows while it is read
        below = layer[a] + 1
        for b in outs[a]:
            if layer[b] < below:
                layer[b] = below
            missing[b] -= 1
            if not missing[b]:
                order.append(b)
    for v in reversed(order):
        if more[v] > 0 and pin[v] != ENTRY:
            lowest = min([layer[b] for b in outs[v] if pin[b] != EXIT], default=layer[v] + 1) - 1
            if lowest > layer[v]:
                layer[v] = lowest
    for v in order:
        if more[v] < 0 and pin[v] != EXIT:
            layer[v] = max(first, max([layer[a] for a in ins[v]]) + 1)
    if EXIT in pin:
        last = max([layer[v] for v in range(count) if pin[v] != EXIT], default=-1) + 1
        for v in range(count):
            if pin[v] == EXIT:
                layer[v] = last
    return layer
