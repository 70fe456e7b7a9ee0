"""What all groups that are made of the script's code need: an order, lines, leaves, parents before children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gradviz.scene.atoms import Atoms
from gradviz.scene.groups import READABLE, Group, Tree
from gradviz.scene.model import Ints
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Stack


def forward_order(graph: PassGraph, atoms: Atoms) -> Ints | None:
    """The nodes, without leaves, as forward made them; None for what can be read as it is, or is of several threads."""
    inner = np.flatnonzero(~atoms.leaf[: len(graph)])
    if len(atoms) <= READABLE or not len(inner) or len(np.unique(graph.thread[inner])) > 1:
        return None
    return inner[np.argsort(graph.seq[inner], kind="stable")].astype(np.int32)


def line_span(stacks: Sequence[Stack]) -> tuple[int, int]:
    """First and last line of an iteration, in the outermost frame in which its places differ."""
    outside_in = [stack[::-1] for stack in stacks if stack]
    if not outside_in:
        return 0, 0
    depth = 0
    shortest = min(map(len, outside_in))
    while depth < shortest - 1 and len({stack[depth] for stack in outside_in}) == 1:
        depth += 1
    return min(stack[depth].line for stack in outside_in), max(stack[depth].end_line for stack in outside_in)


def with_leaves(of_node: Ints, atoms: Atoms, tree: Tree) -> Ints:
    """Leaves stand where their consumers do, as before."""
    of_atom: Ints = tree.of_atom.copy()
    inner = ~atoms.leaf[: len(of_node)]
    of_atom[: len(of_node)][inner] = of_node[inner]
    into = np.flatnonzero(atoms.leaf[atoms.head])
    leaf, consumer = atoms.head[into], atoms.tail[into]
    together = tree.of_atom[leaf] == tree.of_atom[consumer]
    of_atom[leaf[together]] = of_atom[consumer[together]]
    return of_atom


def sorted_tree(groups: list[Group], of_atom: Ints) -> Tree:
    """Parents before children again."""
    below: dict[int, list[int]] = {}
    for at, group in enumerate(groups):
        below.setdefault(group.parent, []).append(at)
    order: list[int] = []
    waiting = below.get(-1, [])[::-1]
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting += below.get(at, [])[::-1]
    if order == list(range(len(groups))):
        return Tree(tuple(groups), of_atom)
    rank = np.full(len(groups) + 1, -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    moved = tuple(
        replace(
            groups[at],
            parent=int(rank[groups[at].parent]),
            children=tuple(int(rank[child]) for child in groups[at].children),
        )
        for at in order
    )
    return Tree(moved, rank[of_atom])
