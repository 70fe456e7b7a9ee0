"""Keeps the freeing of a deep graph from recursing through all of it: the stack of a thread doesn't hold that.

A node that Python has touched keeps its wrapper, and then freeing a chain recurses in C, one level for each node. So a
deep graph is cut into bands: an edge from one band into the next is doubled by a reference in its node's `metadata`,
which goes after the node's edges do. There the recursion meets a nest of tuples, which Python frees without recursing:
the innermost goes when everything round it has unwound. No code of ours runs meanwhile, and no node lives longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DEEP = 1000  # nodes on a path; freeing fewer takes less than 256 KiB of stack
BAND = 64
NEST = 100  # tuples; Python puts off freeing what is nested deeper than 50
KEY = "gradviz"


def hold(nodes: Sequence[Any], tails: Sequence[int], heads: Sequence[int]) -> None:
    """Cut a graph into bands if it is deep. Every edge runs from an earlier node to a later one."""
    if len(nodes) <= DEEP:
        return
    edges = sorted(zip(tails, heads))
    depth = [0] * len(nodes)  # of the longest path to each: it grows along an edge, so no path in a band is longer
    for tail, head in edges:
        below = depth[tail] + 1
        if below > depth[head]:
            depth[head] = below
    if max(depth) <= DEEP:
        return
    crossing: dict[int, list[Any]] = {}
    for tail, head in edges:
        if depth[tail] // BAND != depth[head] // BAND:
            crossing.setdefault(tail, []).append(nodes[head])
    for tail, held in crossing.items():
        nest = tuple(held)
        for _ in range(NEST):
            nest = (nest,)
        nodes[tail].metadata[KEY] = nest
