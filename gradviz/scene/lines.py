"""Which nodes each line of the user's files made. Told per op and leaf, not per node: many nodes come from one op."""

from __future__ import annotations

import numpy as np

from gradviz.scene.texts import Texts
from gradviz.trace.graph import PassGraph

Place = tuple[str, int]  # file and line
Lines = dict[Place, tuple[int, ...]]


def lines_of(graph: PassGraph, texts: Texts) -> Lines:
    """(file, line) -> its nodes, rising. Nodes of unknown origin are left out."""
    if not len(graph):
        return {}
    made_by = np.where(graph.leaf >= 0, -2 - graph.leaf.astype(np.int64), graph.op)
    _, first, which = np.unique(made_by, return_index=True, return_inverse=True)
    places = [texts.line(node) for node in first.tolist()]
    number: dict[Place, int] = {}
    numbered = np.array([number.setdefault(place, len(number)) for place in places], np.int64)
    of_node = numbered[which.reshape(-1)]
    order = np.argsort(of_node, kind="stable")
    ends = np.cumsum(np.bincount(of_node, minlength=len(number))).tolist()
    nodes = order.tolist()
    parts = zip(number, [0, *ends], ends)
    return {place: tuple(nodes[start:end]) for place, start, end in parts if place[1]}
