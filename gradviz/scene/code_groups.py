"""Groups for what no module and no loop holds together: what one call of a function made, and sections of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gradviz.scene.atoms import Atoms
from gradviz.scene.code_rows import Cutter, Part, Piece
from gradviz.scene.groups import Group, Tree
from gradviz.scene.loop_lines import LoopFinder
from gradviz.scene.loop_rows import Rows
from gradviz.scene.model import Ints
from gradviz.scene.tree_order import forward_order, line_span, sorted_tree, with_leaves
from gradviz.scene.wording import Wording
from gradviz.trace.graph import PassGraph
from gradviz.trace.reader import Trace


def with_code_groups(trace: Trace, graph: PassGraph, atoms: Atoms, tree: Tree, wording: Wording) -> Tree:
    """The tree with calls and sections in it. What can be read as it is, or is of several threads, is left alone."""
    order = forward_order(graph, atoms)
    if order is None:
        return tree
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
    return sorted_tree(planting.groups, with_leaves(planting.of_node, atoms, tree))


class _Planting:
    """The groups that are being made: the tree's own first."""

    def __init__(self, rows: Rows, wording: Wording) -> None:
        self.groups = list(rows.tree.groups)
        self.of_node: Ints = rows.tree.of_atom[: len(rows.graph)].copy()
        self._wording = wording
        self._count: dict[str, int] = {}
        self._in_stacks = {child: at for group in rows.tree.groups for at, child in enumerate(group.children, 1)}

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
            if first != last:
                return f"{first} – {last}", more
            return f"{first} {self._in_stacks[~ends[0]]} – {self._in_stacks[~ends[1]]}", more
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
