"""What groups of the script's code take over and hand on: "[2, 4] → [2, 8]", as in forward; all in one go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.cards import entries_of
from gradviz.scene.groups import Tree
from gradviz.scene.model import Ints
from gradviz.scene.words import shape_text
from gradviz.trace.graph import PassGraph
from gradviz.trace.reader import Trace


def with_ends(trace: Trace, graph: PassGraph, tree: Tree) -> Tree:
    """The tree with the shapes of what no module's call tells; a stack of rounds has those of its first and last."""
    wanted = np.array([group.is_code and not group.children for group in tree.groups], bool)
    if not wanted.any():
        return tree
    groups, sizes = list(tree.groups), _Sizes(trace, graph)
    level = np.array([*tree.depths(), -1])
    up = np.array([*(group.parent for group in groups), -1], np.int32)
    label: Ints = tree.of_atom[: len(graph)].astype(np.int32)
    for deep in range(int(level.max()), -1, -1):
        label = np.where(level[label] > deep, up[label], label)
        for at, words in sizes.ends(np.where(level[label] == deep, label, -1), wanted).items():
            groups[at] = replace(groups[at], shapes=words)
    return replace(tree, groups=tuple(groups))


class _Sizes:
    """The gradients' shapes of one graph, and how large each is."""

    def __init__(self, trace: Trace, graph: PassGraph) -> None:
        self._graph = graph
        first = np.minimum(graph.expected_start, len(graph.expected_spec))
        known = graph.expected_end > graph.expected_start
        self._spec = np.where(known, np.append(graph.expected_spec, -1)[first], -1)
        unique, where = np.unique(self._spec, return_inverse=True)
        specs = [trace.spec(number) if number >= 0 else None for number in unique.tolist()]
        self._words = [shape_text(spec.shape) if spec is not None else "" for spec in specs]
        self._which = where.reshape(-1)
        entries = [entries_of(spec) if spec is not None else -1 for spec in specs]
        self._entries = np.array(entries, np.int64)[self._which]

    def ends(self, label: Ints, wanted: NDArray[np.bool_]) -> dict[int, str]:
        """'[2, 4] → [2, 8]' of each wanted group, `label` being the group of each node, -1 none."""
        graph = self._graph
        one, other = label[graph.tail], label[graph.head]
        over = (one != other) & (graph.seq[graph.head] >= 0)
        taken = self._largest(one[over], graph.head[over])
        handed = self._largest(other[over], graph.head[over])
        inside = np.flatnonzero((label >= 0) & (graph.seq >= 0))
        inside = inside[np.argsort(graph.seq[inside], kind="stable")]
        last: dict[int, int] = dict(zip(label[inside].tolist(), inside.tolist()))
        found: dict[int, str] = {}
        for at in last:
            if wanted[at]:
                ends: list[int] = [taken.get(at, -1), handed.get(at, last[at])]
                words = [self._words[self._which[node]] for node in ends if node >= 0]
                found[at] = " → ".join(word for word in words if word)
        return found

    def _largest(self, groups: Ints, nodes: Ints) -> dict[int, int]:
        """The node with most entries of each group; of several the one that was made first."""
        order = np.lexsort((-nodes, -self._entries[nodes], groups))
        groups, nodes = groups[order], nodes[order]
        first = np.flatnonzero(np.diff(groups, prepend=-2))  # no group is called -2
        return {at: node for at, node in zip(groups[first].tolist(), nodes[first].tolist()) if at >= 0}
