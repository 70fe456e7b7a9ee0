"""Groups for what no module and no loop holds together: what one call of a function made, and sections of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.atoms import Atoms
from gradviz.scene.cards import entries_of
from gradviz.scene.code_rows import Cutter, Part, Piece
from gradviz.scene.groups import READABLE, Group, Tree
from gradviz.scene.loop_lines import LoopFinder
from gradviz.scene.loop_rows import Rows
from gradviz.scene.model import Ints
from gradviz.scene.tree_order import line_span, sorted_tree, with_leaves
from gradviz.scene.wording import Wording
from gradviz.scene.words import shape_text
from gradviz.trace.graph import PassGraph
from gradviz.trace.reader import Trace


def with_code_groups(trace: Trace, graph: PassGraph, atoms: Atoms, tree: Tree, wording: Wording) -> Tree:
    """The tree with calls and sections in it. What can be read as it is, or is of several threads, is left alone."""
    inner = np.flatnonzero(~atoms.leaf[: len(graph)])
    if len(atoms) <= READABLE or not len(inner) or len(np.unique(graph.thread[inner])) > 1:
        return tree
    order = inner[np.argsort(graph.seq[inner], kind="stable")].astype(np.int32)
    rows = Rows(trace, graph, tree, order, LoopFinder(trace))
    into = np.flatnonzero(atoms.leaf[atoms.head])
    consumers = np.unique(np.stack((atoms.tail[into], atoms.head[into])), axis=1)[0]
    planting = _Planting(rows, wording)
    cutter = Cutter(rows, np.bincount(consumers, minlength=len(graph)))
    for parent, things in rows.of.items():
        row = [thing for thing in things if isinstance(thing, int)]
        stack = parent >= 0 and bool(tree.groups[parent].children)
        planting.plant(cutter.in_sections(row) if stack else cutter.arranged(row), parent)
    if len(planting.groups) == len(tree.groups):
        return tree
    new = np.array([False] * len(tree.groups) + [True] * (len(planting.groups) - len(tree.groups)))
    groups = _with_shapes(trace, graph, planting, new)
    return sorted_tree(groups, with_leaves(planting.of_node, atoms, tree))


class _Planting:
    """The groups that are being made: the tree's own first."""

    def __init__(self, rows: Rows, wording: Wording) -> None:
        self.groups = list(rows.tree.groups)
        self.of_node: Ints = rows.tree.of_atom[: len(rows.graph)].copy()
        self._wording = wording
        self._count: dict[str, int] = {}
        self._in_stacks = {child for group in rows.tree.groups for child in group.children}

    def plant(self, pieces: Sequence[Piece], parent: int) -> None:
        for piece in pieces:
            if isinstance(piece, Part):
                self.groups.append(self._group(piece, parent))
                self.plant(piece.things, len(self.groups) - 1)
            elif piece >= 0:
                self.of_node[piece] = parent
            else:
                self.groups[~piece] = replace(self.groups[~piece], parent=parent)

    def _group(self, part: Part, parent: int) -> Group:
        if part.call is not None:
            key, title, more = f"call {part.call.line} {part.function}", part.function, self._at(part.call.line)
        else:
            key = f"section {self.groups[parent].key if parent >= 0 else ''} {part.number}"
            title, more = self._section(part)
        occurrence = self._count[key] = self._count.get(key, -1) + 1
        key = f"{key}#{occurrence}"
        return Group(key, key, title, more, parent, None, None, is_code=True)

    def _section(self, part: Part) -> tuple[str, str]:
        """Its rounds or blocks, where they are those of a stack; its lines, where they are known."""
        more = self._wording.part.format(number=part.number, count=part.of)
        ends = _first(part), _last(part)
        if all(end < 0 and ~end in self._in_stacks for end in ends):
            first, last = (self.groups[~end].title for end in ends)
            return f"{first} – {last}", more
        low, high = line_span(part.stacks)
        if not low:
            return more, ""
        return (self._wording.lines.format(first=low, last=high) if high > low else self._at(low)), more

    def _at(self, line: int) -> str:
        return self._wording.at_line(line)


def _first(piece: Piece) -> int:
    return _first(piece.things[0]) if isinstance(piece, Part) else piece


def _last(piece: Piece) -> int:
    return _last(piece.things[-1]) if isinstance(piece, Part) else piece


def _with_shapes(trace: Trace, graph: PassGraph, planting: _Planting, new: NDArray[np.bool_]) -> list[Group]:
    """What each new group takes over and hands on: of several tensors the largest, as in forward."""
    groups = list(planting.groups)
    parent = [group.parent for group in groups]
    depth = [0] * len(groups)
    for at in _downwards(parent):
        depth[at] = depth[parent[at]] + 1 if parent[at] >= 0 else 0
    label, level = planting.of_node.copy(), np.array(depth)
    up = np.array([*parent, -1], np.int32)
    sizes = _Sizes(trace, graph)
    for deep in range(max(depth), -1, -1):
        label = np.where((label >= 0) & (np.append(level, -1)[label] > deep), up[label], label)
        for at, words in sizes.ends(np.where(np.append(level, -1)[label] == deep, label, -1), new).items():
            groups[at] = replace(groups[at], shapes=words)
    return groups


def _downwards(parent: Sequence[int]) -> list[int]:
    """Every group after the one it lies in."""
    below: dict[int, list[int]] = {}
    for at, up in enumerate(parent):
        below.setdefault(up, []).append(at)
    order: list[int] = []
    waiting = below.get(-1, [])
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting += below.get(at, [])
    return order


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
        """The node with most entries of each group; of several the first."""
        order = np.lexsort((nodes, -self._entries[nodes], groups))
        groups, nodes = groups[order], nodes[order]
        first = np.flatnonzero(np.diff(groups, prepend=-2))  # no group is called -2
        return {at: node for at, node in zip(groups[first].tolist(), nodes[first].tolist()) if at >= 0}
