"""The drawn pieces of a pass's graph before any folding: its nodes, and each shared leaf once per consumer.

A leaf that a whole network shares would tie the drawing into a knot (and cost a layered layout millions of dummy
nodes), so every consumer gets a leaf box of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.scene.model import Ints
from gradviz.trace.graph import PassGraph
from gradviz.trace.packing import NODE_LEAF


@dataclass(frozen=True)
class Atoms:
    """The first n atoms are the nodes themselves, the rest further appearances of leaves. `tail`, `head` are atoms."""

    node: Ints  # (a,)
    call: Ints  # (a,) module call that it is drawn in: a leaf in its consumer's
    leaf: np.ndarray[tuple[int], np.dtype[np.bool_]]
    tail: Ints  # (m,) one per edge of the graph
    head: Ints

    def __len__(self) -> int:
        return len(self.node)


def split_leaves(graph: PassGraph) -> Atoms:
    """Atoms of a graph. Edges keep their numbers."""
    count = len(graph)
    is_leaf = (graph.leaf >= 0) | ((graph.flags & NODE_LEAF) != 0)
    node = np.arange(count, dtype=np.int32)
    call = graph.call.astype(np.int32, copy=True)
    head = graph.head.astype(np.int32, copy=True)
    into_leaf = np.flatnonzero(is_leaf[head]) if len(head) else np.empty(0, np.int64)
    if len(into_leaf):
        pairs = head[into_leaf].astype(np.int64) * count + graph.tail[into_leaf]
        pair, where = np.unique(pairs, return_inverse=True)
        leaf, consumer = (pair // count).astype(np.int32), (pair % count).astype(np.int32)
        first = np.concatenate(([True], leaf[1:] != leaf[:-1]))
        atom = np.where(first, leaf, count + np.cumsum(~first) - 1).astype(np.int32)
        head[into_leaf] = atom[where.reshape(-1)]
        node = np.concatenate((node, leaf[~first]))
        call = np.concatenate((call, graph.call[consumer[~first]].astype(np.int32)))
        call[leaf[first]] = graph.call[consumer[first]]
    return Atoms(node, call, is_leaf[node], graph.tail.astype(np.int32, copy=False), head)
