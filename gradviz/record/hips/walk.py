"""The graph of a backward pass: the nodes that lie behind its output, newest first, as plain numbers.

A node is made after its parents, so the order of the numbers is one in which every edge runs from an earlier node to a
later one. Nothing of autograd's is kept: passes wait in memory when their nodes are long gone.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from typing import Any

from gradviz.record.hips.nodes import FLAGS, KEY, LEAF, NAME, OP, PARENTS, SEQUENCE, SPEC, THREAD, Recorded
from gradviz.trace.packing import NODE_ROOT

Row = tuple[Any, ...]


class UnrecordedNode(Exception):  # no error of the script's: such a graph is left alone
    """A node was made before the recording began, or by a class of the person's own."""


class Graph:
    """Nodes and edges; what passstore.py writes is made when it is asked for."""

    truncated: str | None = None

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.index: dict[int, int] = {row[SEQUENCE]: at for at, row in enumerate(rows)}
        self.expected = array("i", [row[SPEC] for row in rows])  # one slot for each node
        self.expected_end = array("i", range(1, len(rows) + 1))
        self.key = hash(tuple([row[KEY] for row in rows]))
        self.roots: set[int] = set()  # nodes that the seed enters by
        self._edges: list[tuple[int, int, int]] | None = None

    # -- columns
    @property
    def name(self) -> array[int]:
        return array("i", [row[NAME] for row in self.rows])

    @property
    def sequence(self) -> array[int]:
        return array("q", [-1 if row[LEAF] is not None else row[SEQUENCE] for row in self.rows])

    @property
    def thread(self) -> array[int]:
        return array("i", [row[THREAD] for row in self.rows])

    @property
    def op(self) -> array[int]:
        return array("i", [row[OP] for row in self.rows])

    @property
    def call(self) -> array[int]:
        return array("i", [-1]) * len(self.rows)

    @property
    def flags(self) -> array[int]:
        root = NODE_ROOT
        return array("i", [row[FLAGS] | (root if at in self.roots else 0) for at, row in enumerate(self.rows)])

    @property
    def leaves(self) -> dict[int, int]:
        """Node index -> value number of the leaf."""
        return {at: row[SEQUENCE] for at, row in enumerate(self.rows) if row[LEAF] is not None}

    @property
    def leaf_entries(self) -> dict[int, Any]:
        """Value number -> leaves.Leaf."""
        return {row[SEQUENCE]: row[LEAF] for row in self.rows if row[LEAF] is not None}

    @property
    def tail(self) -> list[int]:
        return [edge[0] for edge in self._all_edges()]

    @property
    def position(self) -> list[int]:
        return [edge[1] for edge in self._all_edges()]

    @property
    def head(self) -> list[int]:
        return [edge[2] for edge in self._all_edges()]

    @property
    def slot(self) -> list[int]:
        return [0] * len(self._all_edges())

    def _all_edges(self) -> list[tuple[int, int, int]]:
        if self._edges is None:
            index = self.index
            self._edges = [
                (tail, position, index[parent])
                for tail, row in enumerate(self.rows)
                for position, parent in enumerate(row[PARENTS])
            ]
        return self._edges

    def structure(self, more: str) -> str:
        """A hash of names, expected shapes, edges and `more`."""
        digest = hashlib.blake2b(more.encode(), digest_size=16)
        digest.update(self.name.tobytes())
        digest.update(self.expected.tobytes())
        for edges in (self.tail, self.position, self.head):
            digest.update(array("i", edges).tobytes())
        return digest.hexdigest()


def walk(ends: Sequence[Any]) -> Graph:
    """The graph behind these nodes. Raises UnrecordedNode."""
    seen: dict[int, Row] = {}
    waiting = list(ends)
    for end in ends:
        _add(end, seen)
    while waiting:
        for parent in waiting.pop().parents:
            record = parent.vjp
            if type(record) is not Recorded:
                raise UnrecordedNode
            sequence = record.sequence
            if sequence not in seen:
                seen[sequence] = record.row
                waiting.append(parent)
    return Graph([seen[sequence] for sequence in sorted(seen, reverse=True)])


def _add(node: Any, seen: dict[int, Row]) -> None:
    record = node.vjp
    if type(record) is not Recorded:
        raise UnrecordedNode
    seen[record.sequence] = record.row
