"""The graph of a backward pass: the ops on a tape that lie behind its targets, newest first, and the leaves last."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence

from gradviz.record.tensorflow.leaves import Leaf
from gradviz.record.tensorflow.tapes import Entry, TapeRecord
from gradviz.trace.packing import NODE_CAPTURED, NODE_LEAF, NODE_ROOT

Port = tuple[int, int]  # node, slot


class Graph:
    """Nodes and edges as numbers; what passstore.py writes is made here."""

    truncated: str | None = None

    def __init__(self, entries: Sequence[Entry], leaves: Sequence[Leaf], leaf_name: int) -> None:
        self.entries = entries
        self.node_of = {id(entry): at for at, entry in enumerate(entries)}
        count = len(entries)
        self.leaf_of = {leaf.id: count + at for at, leaf in enumerate(leaves)}
        self.leaf_entries = {leaf.number: leaf for leaf in leaves}
        self.leaves = {count + at: leaf.number for at, leaf in enumerate(leaves)}
        blank = [-1] * len(leaves)
        self.name = array("i", [entry.name for entry in entries] + [leaf_name] * len(leaves))
        self.sequence = array("q", [entry.sequence for entry in entries] + blank)
        self.thread = array("i", [entry.thread for entry in entries] + [0] * len(leaves))
        self.op = array("i", [entry.op for entry in entries] + blank)
        self.call = array("i", [entry.call for entry in entries] + blank)
        self.flags = array("i", [entry.flags for entry in entries] + [NODE_LEAF] * len(leaves))
        self.expected = array("i", [])
        self.expected_end = array("i", [])
        for entry in entries:
            self.expected.extend(entry.out_specs)
            self.expected_end.append(len(self.expected))
        for leaf in leaves:
            self.expected.append(leaf.spec)
            self.expected_end.append(len(self.expected))
        self.ports: dict[int, Port] = {}  # id of a tensor -> where its gradient enters
        for at in range(count - 1, -1, -1):
            for slot, each in enumerate(entries[at].out_ids):
                self.ports[each] = (at, slot)
        for each, node in self.leaf_of.items():
            self.ports.setdefault(each, (node, 0))
        self._find_edges()

    def _find_edges(self) -> None:
        self.tail, self.position, self.head, self.slot = array("i"), array("i"), array("i"), array("i")
        self.heads: list[dict[int, Port]] = []  # of each node: position of an input -> where its gradient goes
        for at, entry in enumerate(self.entries):
            ways: dict[int, Port] = {}
            for position, each in enumerate(entry.in_ids):
                port = self.ports.get(each)
                if port is not None and port[0] > at:
                    ways[position] = port
                    self.tail.append(at)
                    self.position.append(position)
                    self.head.append(port[0])
                    self.slot.append(port[1])
            self.heads.append(ways)

    def slot_number(self, node: int, slot: int) -> int:
        """The number of a node's slot among all slots of the graph."""
        return (self.expected_end[node - 1] if node else 0) + slot

    def is_leaf(self, node: int) -> bool:
        return node >= len(self.entries)

    def mark(self, roots: Sequence[int], captured: Sequence[int]) -> None:
        """The nodes where the pass begins, and those it was asked for."""
        for node in roots:
            self.flags[node] |= NODE_ROOT
        for node in captured:
            self.flags[node] |= NODE_CAPTURED

    def structure(self, more: str) -> str:
        """A hash of names, expected shapes, edges and `more`."""
        digest = hashlib.blake2b(more.encode(), digest_size=16)
        for column in (self.name, self.expected, self.tail, self.position, self.head, self.slot):
            digest.update(column.tobytes())
        return digest.hexdigest()


def walk(tape: TapeRecord, targets: Sequence[int], leaf_name: int) -> Graph:
    """The graph behind the tensors with these ids; all that is on the tape where none of them is."""
    made, leaves, ids = tape.entries, tape.leaves, tape.ids
    if ids.isdisjoint(targets):
        targets = tape.ends()
    entries: dict[int, Entry] = {}
    reached: dict[int, Leaf] = {}
    waiting, seen = list(targets), set(targets)
    while waiting:
        each = waiting.pop()
        if each in leaves:
            reached[each] = leaves[each]
        entry = made.get(each)
        if entry is None or each not in ids:
            continue
        if id(entry) not in entries:
            entries[id(entry)] = entry
            for below in entry.in_ids:
                if below not in seen and below in ids:
                    seen.add(below)
                    waiting.append(below)
    in_order = sorted(entries.values(), key=lambda entry: -entry.sequence)
    return Graph(in_order, [leaf for each, leaf in reached.items() if each not in made], leaf_name)
