"""What a person wants to stand out of a graph, and which nodes that are: all that leads to a node, all that follows.

Gradients flow along the edges, from tail to head: what leads to a leaf is every way from the loss to it. Ways are
looked for between the nodes of the pass, not between boxes: a folded group joins what has nothing to do with another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.model import NO_EDGE, Draft
from gradviz.trace.graph import PassGraph

BEFORE, AFTER, BOTH, AROUND = "before", "after", "both", "around"
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Focus:
    """`kind`: before | after | both: all ways to `node` and from it; around: what lies within `hops` edges of it.

    `card`: the key of a folded group in place of a node. `follows`: the node is the current step's.
    """

    kind: str
    node: int = -1
    card: str = ""
    hops: int = 1
    follows: bool = False


@dataclass(frozen=True)
class Part:
    """Boxes and edges of a draft, rising."""

    boxes: Numbers
    edges: Numbers


def part_in_focus(draft: Draft, graph: PassGraph, focus: Focus) -> Part:
    """What stands out; nothing where the node isn't there."""
    nodes = _begin(draft, focus)
    if focus.kind == AROUND:
        return _around(draft, np.unique(draft.box_of[nodes]), focus.hops)
    used = np.zeros(len(graph.tail), bool)  # edges of the graph
    reached = np.zeros(len(graph), bool)
    if focus.kind in (BEFORE, BOTH):
        above = closure(graph.head, graph.tail, len(graph), nodes)
        used |= above[graph.head]
        reached |= above
    if focus.kind in (AFTER, BOTH):
        below = closure(graph.tail, graph.head, len(graph), nodes)
        used |= below[graph.tail]
        reached |= below
    return _drawn(draft, graph, reached, used)


def closure(start: NDArray[np.int32], end: NDArray[np.int32], count: int, nodes: Iterable[int]) -> Flags:
    """(count,) which nodes are reached from `nodes` along edges that lead from `start` to `end`, these included."""
    order = np.argsort(start, kind="stable")
    ends = end[order].tolist()
    first = np.searchsorted(start[order], np.arange(count + 1)).tolist()
    seen = bytearray(count)
    waiting = [int(node) for node in nodes]
    for node in waiting:
        seen[node] = 1
    while waiting:
        node = waiting.pop()
        for other in ends[first[node] : first[node + 1]]:
            if not seen[other]:
                seen[other] = 1
                waiting.append(other)
    return np.frombuffer(seen, np.uint8).astype(bool)


def _begin(draft: Draft, focus: Focus) -> Numbers:
    """The nodes of the pass that a focus is on."""
    if focus.card:
        inside = np.zeros(len(draft.cards) + 1, bool)
        for at, card in enumerate(draft.cards):  # parents come before their children
            inside[at] = card.key == focus.card or (card.parent >= 0 and inside[card.parent])
        return np.flatnonzero(inside[draft.card_of])
    return np.array([focus.node] if 0 <= focus.node < len(draft.box_of) else [], np.int64)


def _around(draft: Draft, boxes: NDArray[np.int32], hops: int) -> Part:
    """As far as one sees it: a folded group is one hop, however much is in it."""
    near = np.zeros(len(draft), bool)
    near[boxes] = True
    for _ in range(hops):
        reached = near.copy()
        reached[draft.head[near[draft.tail]]] = True
        reached[draft.tail[near[draft.head]]] = True
        if (reached == near).all():
            break
        near = reached
    return Part(np.flatnonzero(near), np.flatnonzero(near[draft.tail] & near[draft.head]))


def _drawn(draft: Draft, graph: PassGraph, reached: Flags, used: Flags) -> Part:
    """Boxes that hold a node that was reached, and the edges that stand for one that was used."""
    count = len(draft)
    boxes = np.zeros(count, bool)
    boxes[draft.box_of[reached]] = True
    pair = draft.tail.astype(np.int64) * max(count, 1) + draft.head
    ways = draft.box_of[graph.tail[used]].astype(np.int64) * max(count, 1) + draft.box_of[graph.head[used]]
    real = draft.edge >= 0
    edges = np.isin(pair, ways)  # folded groups have one edge for many
    edges[real] |= used[draft.edge[real]]
    # Seeds stand above their root, constants above what they are an operand of; a shared leaf has many boxes.
    added = ~real & boxes[draft.head] & ((draft.edge == NO_EDGE) | reached.any())
    edges |= added
    boxes[draft.head[edges]] = True
    boxes[draft.tail[edges]] = True
    return Part(np.flatnonzero(boxes), np.flatnonzero(edges))
