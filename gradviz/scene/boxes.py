"""From atoms and groups to boxes and edges: what folding leaves to be drawn, with names and sizes. Columns only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.atoms import Atoms
from gradviz.scene.groups import Tree, folded_into
from gradviz.scene.model import Bytes, Floats, Ints, Kind
from gradviz.scene.plain import Plain, slot_specs
from gradviz.scene.sizes import (
    GROUP_HEIGHT,
    GROUP_MAX_WIDTH,
    GROUP_MIN_WIDTH,
    LEAF_HEIGHT,
    NODE_HEIGHT,
    NODE_MAX_WIDTH,
    NODE_MIN_WIDTH,
    STACK_ROOM,
    TEXT_RIGHT,
    TEXT_X,
    Measure,
)
from gradviz.scene.wording import Wording
from gradviz.trace.graph import PassGraph
from gradviz.trace.packing import NODE_CPP, NODE_CUSTOM
from gradviz.trace.reader import Trace


@dataclass(frozen=True)
class Boxes:
    """The boxes of nodes and folded groups, in the gradient's order; which box each atom and node is in."""

    kind: Bytes
    node: Ints
    card: Ints
    inside: Ints
    name: Ints
    names: tuple[str, ...]
    width: Floats
    height: Floats
    of_atom: Ints
    of_node: Ints

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class Edges:
    """Edges between boxes, and the edge of the graph that each stands for."""

    tail: Ints
    head: Ints
    edge: Ints
    spec: Ints  # of the gradient on it, -1 unknown
    net: Ints  # what becomes of it on the way over hidden nodes; -1 where there are none


def make_boxes(
    trace: Trace,
    graph: PassGraph,
    atoms: Atoms,
    plain: Plain,
    tree: Tree,
    opened: frozenset[str],
    wording: Wording,
    measure: Measure,
) -> Boxes:
    """One box per atom that lies in open groups only, one per folded group that lies in open groups only.

    A hidden atom is in its host's box, or in the folded group that it or its host lies in.
    """
    fold = folded_into(tree, opened)
    atom_fold = np.where(tree.of_atom >= 0, np.append(fold, -1)[tree.of_atom], -1)
    # A folded group stands where the first of its atoms stood.
    slot = np.where(atom_fold >= 0, len(atoms) + atom_fold, np.arange(len(atoms)))
    slot = np.where(atom_fold >= 0, slot, slot[plain.host])
    unique, first, where = np.unique(slot, return_index=True, return_inverse=True)
    single = unique < len(atoms)
    first[single] = unique[single]  # a box stands where its own node stood, whatever is drawn in it
    rank = np.empty(len(unique), np.int64)
    order = np.argsort(first, kind="stable")
    rank[order] = np.arange(len(unique))
    of_atom = rank[where.reshape(-1)].astype(np.int32)
    box_slot = unique[order]
    grouped = box_slot >= len(atoms)
    card = np.where(grouped, box_slot - len(atoms), -1).astype(np.int32)
    atom = np.where(grouped, 0, box_slot)
    node = np.where(grouped, -1, atoms.node[atom] if len(atoms) else 0).astype(np.int32)
    parent = np.array([group.parent for group in tree.groups] or [-1], np.int32)
    own = tree.of_atom[atom] if len(atoms) else np.empty(0, np.int32)
    inside = np.where(grouped, parent[np.maximum(card, 0)], own).astype(np.int32)
    kind = _kinds(graph, atoms, atom, grouped)
    name, names = _names(trace, graph, node, card, kind, tree, wording)
    text = np.array([measure(each, "name") for each in names] or [0.0], np.float32)
    width, height = _sizes(kind, text[name] if len(name) else np.empty(0, np.float32))
    stacked = np.array([group.copies > 0 for group in tree.groups] or [False])[np.maximum(card, 0)] & grouped
    width, height = width + STACK_ROOM * stacked, height + STACK_ROOM * stacked
    return Boxes(
        kind,
        node,
        card,
        inside,
        name,
        names,
        width.astype(np.float32),
        height.astype(np.float32),
        of_atom,
        of_atom[: len(graph)].copy(),
    )


def _kinds(graph: PassGraph, atoms: Atoms, atom: NDArray[np.int64], grouped: NDArray[np.bool_]) -> Bytes:
    flags = graph.flags[atoms.node[atom]] if len(atoms) else np.empty(0, np.int32)
    leaf = atoms.leaf[atom] if len(atoms) else np.empty(0, bool)
    kind = np.where((flags & (NODE_CUSTOM | NODE_CPP)) != 0, Kind.CUSTOM, Kind.BUILTIN)
    kind = np.where(leaf, Kind.LEAF, kind)
    return np.where(grouped, Kind.GROUP, kind).astype(np.int8)


def _names(
    trace: Trace, graph: PassGraph, node: Ints, card: Ints, kind: Bytes, tree: Tree, wording: Wording
) -> tuple[Ints, tuple[str, ...]]:
    """Ids are spread out (strings, leaves, groups) and then counted through, so that each name stands once."""
    leaves = trace.leaves()
    plain = np.where(node >= 0, graph.name[np.maximum(node, 0)] if len(graph) else 0, 0).astype(np.int64)
    high = int(plain.max(initial=0)) + 1
    leaf = np.where(node >= 0, graph.leaf[np.maximum(node, 0)] if len(graph) else -1, -1).astype(np.int64)
    key = np.where((kind == Kind.LEAF) & (leaf >= 0), high + leaf, plain)
    base = high + max(len(leaves), int(leaf.max(initial=0)) + 1)
    key = np.where(kind == Kind.GROUP, base + card, key)
    unique, name = np.unique(key, return_inverse=True)

    def text(number: int) -> str:
        if number >= base:
            return tree.groups[number - base].title
        if number >= high:
            at = number - high
            return (leaves[at].name if at < len(leaves) else "") or wording.accumulate
        return trace.string(number)

    return name.reshape(-1).astype(np.int32), tuple(text(number) for number in unique.tolist())


def _sizes(kind: Bytes, text: Floats) -> tuple[Floats, Floats]:
    wide = np.clip(text + TEXT_X + TEXT_RIGHT, NODE_MIN_WIDTH, NODE_MAX_WIDTH)
    width = np.where(kind == Kind.GROUP, np.clip(text + 190, GROUP_MIN_WIDTH, GROUP_MAX_WIDTH), wide)
    height = np.where(kind == Kind.GROUP, GROUP_HEIGHT, np.where(kind == Kind.LEAF, LEAF_HEIGHT, NODE_HEIGHT))
    return np.ceil(width / 2).astype(np.float32) * 2, height.astype(np.float32)


def make_edges(graph: PassGraph, atoms: Atoms, plain: Plain, boxes: Boxes) -> Edges:
    """Edges that folding leaves: none inside one box, one between two boxes of which one is a folded group."""
    tail, head = boxes.of_atom[atoms.tail], boxes.of_atom[atoms.head]
    in_group = boxes.kind[head] == Kind.GROUP
    edge = np.flatnonzero((tail != head) & (in_group | ~plain.dropped[atoms.head])).astype(np.int32)
    tail, head = tail[edge], head[edge]
    folded = (boxes.kind[tail] == Kind.GROUP) | (boxes.kind[head] == Kind.GROUP)
    pair = tail.astype(np.int64) * max(len(boxes), 1) + head
    key = np.where(folded, pair, -1 - np.arange(len(edge)))
    _, first = np.unique(key, return_index=True)
    kept = np.sort(first)
    edge, tail, head = edge[kept], tail[kept], head[kept]
    net = np.where(boxes.kind[head] == Kind.GROUP, -1, plain.spec[atoms.head[edge]]).astype(np.int32)
    return Edges(tail, head, edge, slot_specs(graph)[edge], net)
