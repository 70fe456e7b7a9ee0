"""Walks the graph of a backward pass: nodes, edges, what shape each expects. Never reads a saved tensor.

Once Python has touched the nodes of a chain, freeing it recurses in C, about 205 bytes of stack a node: where the stack
can't hold that many, the walk stops. Deep graphs may be freed by another thread, whose stack is smaller: see `anchors`.
"""

from __future__ import annotations

import hashlib
import operator
import sys
from collections.abc import Iterable, Iterator, Sequence
from struct import pack as pack_bytes
from threading import get_ident, main_thread, stack_size
from typing import Any

import torch

from gradviz.record.pytorch.anchors import hold
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.trace.packing import NODE_CPP, NODE_CUSTOM, NODE_LEAF

STACK_PER_NODE = 250  # bytes
SHARE_OF_STACK = 0.75
UNKNOWN_STACK = 1 << 20  # what Windows gives a thread
NO_SEQUENCE = 1 << 63  # leaves have 2**64 - 1
BackwardCFunction = torch.autograd.function.BackwardCFunction


class Graph:
    """Nodes and edges as columns. `nodes` holds the wrappers while the pass runs: their ids are the keys of `index`."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.index: dict[int, int] = {}
        self.name: list[int] = []
        self.sequence: list[int] = []
        self.flags: list[int] = []
        self.expected: list[int] = []  # specs, flat
        self.expected_end: list[int] = []
        self.tail: list[int] = []
        self.position: list[int] = []
        self.head: list[int] = []
        self.slot: list[int] = []
        self.leaves: dict[int, int] = {}  # node index -> value number of the leaf
        self.leaf_entries: dict[int, Any] = {}  # value number -> values.Known
        self.thread: list[int] = []
        self.op: list[int] = []
        self.call: list[int] = []
        self.truncated: str | None = None

    def structure(self, more: str) -> str:
        """A hash of names, expected shapes, edges and `more`."""
        edges = [*self.tail, *self.position, *self.head, *self.slot]
        numbers = [*self.name, *self.expected, *self.expected_end, *edges]
        digest = hashlib.blake2b(more.encode(), digest_size=16)
        digest.update(pack_bytes(f"{len(numbers)}i", *numbers))
        return digest.hexdigest()

    def let_go(self) -> None:
        """Drop the wrappers, roots first: the other way round each would free its whole rest by recursion."""
        self.index.clear()
        nodes = self.nodes
        nodes.reverse()
        while nodes:
            nodes.pop()


class Walker:
    """Makes Graphs."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._kinds: dict[type, tuple[int, int]] = {}  # type of node -> name, flags

    def walk(self, roots: Iterable[Any], state: ThreadState) -> Graph:
        """The graph reachable from these nodes."""
        graph = Graph()
        limit = self._limit(state)
        nodes, found = graph.nodes, set()
        for root in roots:
            if id(root) not in found:
                found.add(id(root))
                nodes.append(root)
        following = []
        for node in nodes:  # which grows meanwhile
            functions = node.next_functions
            following.append(functions)
            for each, _ in functions:
                if each is None or id(each) in found:
                    continue
                if len(nodes) >= limit:
                    graph.truncated = f"the C stack holds {limit:,} nodes: what lies behind them was left out"
                    continue
                found.add(id(each))
                nodes.append(each)
        self._sort(graph, following)
        hold(nodes, graph.tail, graph.head)
        self._describe(graph, state)
        return graph

    def _limit(self, state: ThreadState) -> int:
        if get_ident() == main_thread().ident:
            size = self._recorder.session.stack_bytes or _stack_limit()
        else:
            size = stack_size() or _stack_limit()
            size = min(size, 8 << 20) if not stack_size() else size
        return max(int(size * SHARE_OF_STACK / STACK_PER_NODE), 1)

    def _sort(self, graph: Graph, following: Sequence[Sequence[tuple[Any, int]]]) -> None:
        """Newest first, so that every edge runs from an earlier node to a later one; leaves come last."""
        sequences = [node._sequence_nr() for node in graph.nodes]
        keys = [-1 if sequence >= NO_SEQUENCE else sequence for sequence in sequences]
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
        nodes = graph.nodes[:] = [graph.nodes[at] for at in order]
        graph.sequence = [keys[at] for at in order]
        index = graph.index = {id(node): at for at, node in enumerate(nodes)}
        tails, positions, heads, slots = graph.tail, graph.position, graph.head, graph.slot
        for tail, at in enumerate(order):
            for position, (each, slot) in enumerate(following[at]):
                if each is not None:
                    head = index.get(id(each))
                    if head is not None:  # else it was left out
                        tails.append(tail)
                        positions.append(position)
                        heads.append(head)
                        slots.append(slot)
        if not all(map(operator.lt, tails, heads)):  # nodes of several threads: their numbers say nothing
            order = _topological(len(keys), tails, heads)
            _reorder(graph, order)
            graph.sequence = [graph.sequence[at] for at in order]

    def _describe(self, graph: Graph, state: ThreadState) -> None:
        """Names, the ops that made the nodes, and what gradients they expect."""
        kinds, values = self._kinds, self._recorder.values
        found = [kinds.get(type(node)) or self._kind(node) for node in graph.nodes]
        graph.name = [name for name, _ in found]
        graph.flags = [flags for _, flags in found]
        owner = self._owner(state)
        specs = self._attribute(graph, owner) if owner is not None else None
        if owner is None:
            _attribute_over_threads(graph, state, list(self._recorder.threads.values()))
        if specs is None or owner is not state:
            specs = [-1] * len(found)
        expected, ends, measurable = graph.expected, graph.expected_end, values.measurable
        at = -1
        for node, spec, flags in zip(graph.nodes, specs, graph.flags):
            at += 1
            if flags & NODE_LEAF:
                entry = values.lookup(node.variable)
                graph.leaves[at] = entry.number
                graph.leaf_entries[entry.number] = entry
                spec = entry.spec if entry.spec in measurable else -1
            if spec >= 0:
                expected.append(spec)
            else:
                expected += self._metadata_specs(node)
            ends.append(len(expected))

    def _metadata_specs(self, node: Any) -> Iterator[int]:
        """What the node itself says that it expects."""
        specs, metadata_spec, strided = self._recorder.values.specs, self._recorder.values.metadata_spec, torch.strided
        for metadata in node._input_metadata:
            try:
                known = specs.get((tuple(metadata.shape), metadata.dtype, metadata.device, strided))
            except (RuntimeError, TypeError):  # nested, symbolic
                known = None
            yield metadata_spec(metadata) if known is None else known

    def _kind(self, node: Any) -> tuple[int, int]:
        kind = type(node)
        name = kind.__name__
        flags = 0
        if name == "AccumulateGrad":
            flags = NODE_LEAF
        elif isinstance(node, BackwardCFunction):
            flags = NODE_CUSTOM
        elif name == "CppFunction":  # all kinds of C++ functions share this type, so it is asked each time
            return self._recorder.writer.string(node.name()), NODE_CPP
        found = self._kinds[kind] = (self._recorder.writer.string(name), flags)
        return found

    def _attribute(self, graph: Graph, owner: ThreadState) -> list[int]:
        """Find the op that made each node, by sequence number; what each node's one output looks like, -1 unknown."""
        first, ops, calls, specs = owner.first_sequence, owner.sequences, owner.sequence_calls, owner.sequence_specs
        count = len(ops)
        places = [sequence - first for sequence in graph.sequence]
        graph.thread = [owner.number] * len(places)
        graph.op = [ops[at] if 0 <= at < count else -1 for at in places]
        graph.call = [calls[at] if 0 <= at < count else -1 for at in places]
        return [specs[at] if 0 <= at < count else -1 for at in places]

    def _owner(self, state: ThreadState) -> ThreadState | None:
        """The thread that made all nodes, where only one has made any."""
        threads = self._recorder.threads
        if len(threads) == 1:
            return state
        makers = [each for each in list(threads.values()) if len(each.sequences)]
        return (makers or [state])[0] if len(makers) < 2 else None


def _reorder(graph: Graph, order: Sequence[int]) -> None:
    rank = [0] * len(order)
    for new, old in enumerate(order):
        rank[old] = new
    graph.nodes[:] = [graph.nodes[old] for old in order]
    for new, node in enumerate(graph.nodes):
        graph.index[id(node)] = new
    graph.tail[:] = [rank[at] for at in graph.tail]
    graph.head[:] = [rank[at] for at in graph.head]


def _topological(count: int, tails: Sequence[int], heads: Sequence[int]) -> list[int]:
    """Kahn's order; what lies on a cycle, which can't be, would come last."""
    waiting = [0] * count
    following: list[list[int]] = [[] for _ in range(count)]
    for tail, head in zip(tails, heads):
        waiting[head] += 1
        following[tail].append(head)
    order = [at for at in range(count) if not waiting[at]]
    for at in order:
        for head in following[at]:
            waiting[head] -= 1
            if not waiting[head]:
                order.append(head)
    return order if len(order) == count else list(range(count))


def _attribute_over_threads(graph: Graph, state: ThreadState, threads: Sequence[ThreadState]) -> None:
    """Each thread numbers from 0: a node is its consumer's thread's, else that of whoever knows its number."""
    above: dict[int, int] = {}
    for tail, head in zip(graph.tail, graph.head):
        above.setdefault(head, tail)
    by_number = {each.number: each for each in threads}
    for at, sequence in enumerate(graph.sequence):
        near = by_number[graph.thread[above[at]]] if at in above and above[at] < at else state
        found = (-1, -1)
        owner = near
        for each in (near, state, *threads):
            found = each.place_of(sequence)
            if found[0] >= 0:
                owner = each
                break
        graph.thread.append(owner.number)
        graph.op.append(found[0])
        graph.call.append(found[1])


def _stack_limit() -> int:
    """The soft limit of the stack, in bytes."""
    if sys.platform == "win32":
        return UNKNOWN_STACK
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return 1 << 40 if soft == resource.RLIM_INFINITY else int(soft)
