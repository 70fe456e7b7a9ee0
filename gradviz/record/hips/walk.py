"""The graph of a backward pass: the nodes that lie behind its output, newest first, as plain numbers.

A node is made after its parents, so the order of the numbers is one in which every edge runs from an earlier node to a
later one. Nothing of autograd's is kept: passes wait in memory when their nodes are long gone.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from typing import Any

from gradviz.record.hips.nodes import Keys, Recorded
from gradviz.trace.packing import NODE_CUSTOM, NODE_ROOT

MOST_SHAPES = 1_000


class UnrecordedNode(Exception):  # no error of the script's: such a graph is left alone
    """A node was made before the recording began, or by a class of the person's own."""


class Shape:
    """What passes of equal structure have in common."""

    def __init__(
        self, keys: Sequence[tuple[int, ...]], edges: Sequence[tuple[int, int, int]], wanted: list[Any]
    ) -> None:
        self.name = array("i", [key[0] for key in keys])
        self.expected = array("i", [key[1] for key in keys])  # one slot for each node
        self.flags = array("i", [key[2] for key in keys])
        self.has_custom = any(key[2] & NODE_CUSTOM for key in keys)
        self.thread = array("i", [key[3] for key in keys])
        self.expected_end = array("i", range(1, len(keys) + 1))
        self.tail, self.position, self.head = ([edge[at] for edge in edges] for at in range(3))
        self.slot = [0] * len(edges)
        self.call = array("i", [-1]) * len(keys)
        self.wanted = wanted  # for each node the specs of its arguments, NO_SHAPE for containers


class Graph:
    """Nodes and edges, as passstore.py writes them."""

    truncated: str | None = None

    def __init__(self, shape: Shape, kind: tuple[int, ...], order: list[int], records: Sequence[Recorded]) -> None:
        self.kind = kind  # equal in passes of equal structure
        self.index = dict(zip(order, range(len(order))))
        self.order = order
        self.ops = [record.op for record in records]
        self.leaf_nodes = {at: record.leaf for at, record in enumerate(records) if record.leaf is not None}
        self.roots: Sequence[int] = ()  # nodes that the seed enters by
        self.wanted, self.has_custom = shape.wanted, shape.has_custom
        self._shape = shape
        self.expected, self.expected_end = shape.expected, shape.expected_end
        self.name, self.thread, self.call = shape.name, shape.thread, shape.call
        self.tail, self.position, self.head, self.slot = shape.tail, shape.position, shape.head, shape.slot

    # -- columns
    @property
    def sequence(self) -> array[int]:
        return array("q", [-1 if at in self.leaf_nodes else number for at, number in enumerate(self.order)])

    @property
    def op(self) -> array[int]:
        return array("i", self.ops)

    @property
    def flags(self) -> array[int]:
        flags = array("i", self._shape.flags)
        for at in self.roots:
            flags[at] |= NODE_ROOT
        return flags

    @property
    def leaves(self) -> dict[int, int]:
        """Node index -> value number of the leaf."""
        return {at: leaf.number for at, leaf in self.leaf_nodes.items()}

    @property
    def leaf_entries(self) -> dict[int, Any]:
        """Value number -> leaves.Leaf."""
        return {leaf.number: leaf for leaf in self.leaf_nodes.values()}

    def structure(self, more: str) -> str:
        """A hash of names, expected shapes, edges and `more`."""
        digest = hashlib.blake2b(more.encode(), digest_size=16)
        digest.update(self.name.tobytes())
        digest.update(self.expected.tobytes())
        for edges in (self.tail, self.position, self.head):
            digest.update(array("i", edges).tobytes())
        return digest.hexdigest()


class Walker:
    """Makes Graphs."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._shapes: dict[tuple[int, ...], Shape] = {}

    def walk(self, ends: Sequence[Any]) -> Graph:
        """The graph behind these nodes. Raises UnrecordedNode."""
        seen: dict[int, Any] = {record_of(end).sequence: end for end in ends}
        waiting = list(seen.values())
        while waiting:
            for parent in waiting.pop().parents:
                record = parent.vjp
                if type(record) is not Recorded:
                    raise UnrecordedNode
                if record.sequence not in seen:
                    seen[record.sequence] = parent
                    waiting.append(parent)
        order = sorted(seen, reverse=True)
        records = [seen[number].vjp for number in order]
        kind = tuple([record.key for record in records])
        shape = self._shapes.get(kind)
        if shape is None:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            shape = self._shapes[kind] = self._shape_of(order, seen)
        return Graph(shape, kind, order, records)

    def _shape_of(self, order: Sequence[int], seen: dict[int, Any]) -> Shape:
        index = {number: at for at, number in enumerate(order)}
        edges, wanted = [], []
        for tail, number in enumerate(order):
            parents = [parent.vjp for parent in seen[number].parents]
            edges += [(tail, position, index[parent.sequence]) for position, parent in enumerate(parents)]
            wanted.append([parent.shape_spec for parent in parents])
        return Shape([self._keys.known[seen[number].vjp.key] for number in order], edges, wanted)


def record_of(node: Any) -> Recorded:
    """What was recorded of a node. Raises UnrecordedNode."""
    record = node.vjp
    if type(record) is not Recorded:
        raise UnrecordedNode
    return record
