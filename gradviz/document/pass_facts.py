"""What panes say of the nodes of one pass: names, lines, shapes in and out, in the order of the steps. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.snippets import first_argument, source_piece
from gradviz.scene.words import shape_text
from gradviz.trace.model import Backward, Leaf, Op, Spec, Stack
from gradviz.trace.reader import Trace
from gradviz.trace.replay import ENDED, failed_node, first_steps

NONE = "None"
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Name:
    """How a node is called: a leaf by its parameter or variable, with the node's own name behind."""

    strong: str
    rest: str = ""

    def __str__(self) -> str:
        return f"{self.strong} {self.rest}".strip()


@dataclass(frozen=True)
class Handed:
    """A gradient that a node hands on: to which node and slot, and its description as it arrived or is expected."""

    head: int
    slot: int
    spec: Spec | None
    arrived: bool
    summed: bool  # other edges lead to the same slot: what arrives is a sum


class PassFacts:
    """One pass of an open trace. Raises TraceError where the file is damaged."""

    def __init__(self, trace: Trace, pass_id: int) -> None:
        self.trace = trace
        self.pass_id = pass_id
        self.graph = trace.graph(pass_id)  # first: it refuses a pass that isn't there
        self.backward: Backward = next(one for one in trace.passes() if one.id == pass_id)
        self.steps = trace.steps(pass_id)
        self.leaves = trace.leaves()
        self.failed = failed_node(self.backward)
        self.step_of: Longs = first_steps(len(self.graph), self.steps.node)
        never = np.flatnonzero(self.step_of < 0)
        self.order: Longs = np.concatenate((self.steps.node, never))  # nodes as Steps lists them
        self.row_of: Longs = np.empty(len(self.graph), np.int64)
        self.row_of[self.order[::-1]] = np.arange(len(self.order) - 1, -1, -1)

    # -- a graph without a backward pass: a forward call raised, and this is what led to it
    @property
    def forward_only(self) -> bool:
        return self.backward.phase == "forward"

    @property
    def ended(self) -> bool:
        """Whether a node that hasn't run never will."""
        return self.backward.outcome in ENDED and not self.forward_only

    def raised_op(self) -> Op | None:
        """The forward call that raised."""
        for raised in self.trace.exceptions():
            if raised.id == self.backward.exception and raised.op is not None:
                return self.trace.op(raised.op)
        return None

    def continues(self, before: PassFacts | None) -> bool:
        """The same graph of the same recording, of which more may have run since."""
        return before is not None and before.trace is self.trace and before.graph is self.graph

    @cached_property
    def _out(self) -> tuple[Longs, Longs]:
        """Edges by their tail: those of node i are edges[first[i]:first[i + 1]]."""
        edges = np.argsort(self.graph.tail, kind="stable")
        return edges, np.searchsorted(self.graph.tail[edges], np.arange(len(self.graph) + 1))

    # -- names and places
    def name(self, node: int) -> Name:
        leaf = self.leaf(node)
        own = self.trace.string(int(self.graph.name[node]))
        return Name(leaf.name, own) if leaf is not None and leaf.name else Name(own)

    def leaf(self, node: int) -> Leaf | None:
        number = int(self.graph.leaf[node])
        return self.leaves[number] if 0 <= number < len(self.leaves) else None

    def op(self, node: int) -> Op | None:
        number = int(self.graph.op[node])
        return self.trace.op(number) if number >= 0 else None

    def stack(self, node: int) -> Stack:
        """The user frames that made the node, innermost first."""
        leaf, op = self.leaf(node), self.op(node)
        if op is None and leaf is not None:
            return leaf.stack
        return op.stack if op is not None else ()

    def line(self, node: int) -> int:
        stack = self.stack(node)
        return stack[0].line if stack else 0

    # -- shapes
    def expected(self, node: int) -> tuple[Spec, ...]:
        return self.trace.node(self.pass_id, node).expected

    def received(self, node: int) -> tuple[Spec | None, ...] | None:
        """What arrived in each slot; None where the node didn't run."""
        number = int(self.step_of[node])
        if number < 0:
            return None
        return tuple(one.spec for one in self.trace.step(self.pass_id, number).received)

    def out_edges(self, node: int) -> list[int]:
        """Edges that the node hands its gradients on by, in the order of its inputs."""
        order, first = self._out
        edges = order[first[node] : first[node + 1]]
        return sorted(edges.tolist(), key=lambda edge: int(self.graph.index[edge]))

    def handed(self, node: int) -> tuple[Handed, ...]:
        found = []
        for edge in self.out_edges(node):
            head, slot = int(self.graph.head[edge]), int(self.graph.slot[edge])
            arrived = self.received(head)
            if arrived is not None and slot < len(arrived):
                found.append(Handed(head, slot, arrived[slot], True, bool(self._fan_in[edge] > 1)))
                continue
            expected = self.expected(head)
            spec = expected[slot] if slot < len(expected) else None
            found.append(Handed(head, slot, spec, False, bool(self._fan_in[edge] > 1)))
        return tuple(found)

    def in_to_out(self, node: int) -> str:
        """'[79] → [164]', '[32, 10] → 3 out', '[164]' where nothing changes or nothing is handed on."""
        given = self.received(node)
        specs: tuple[Spec | None, ...] = given if given is not None else self.expected(node)
        left = self._together([spec_text(spec) for spec in specs], "in")
        out = self.handed(node)
        right = self._together([spec_text(one.spec) for one in out], "out")
        if not right or right == left:
            return left
        return f"{left} → {right}" if left else right

    def _together(self, texts: list[str], word: str) -> str:
        if len(texts) > 1 and len(set(texts)) > 1:
            return f"{len(texts)} {word}"
        return texts[0] if texts else ""

    @cached_property
    def _fan_in(self) -> Longs:
        """(m,) how many edges enter where this one does."""
        entry = self.graph.head.astype(np.int64) * (int(self.graph.slot.max(initial=0)) + 1) + self.graph.slot
        return np.bincount(entry)[entry] if len(entry) else np.zeros(0, np.int64)

    # -- seeds
    def seed_spec(self, at: int) -> Spec | None:
        """As it was given; None where it was left out."""
        seeds = self.backward.seeds
        seed = seeds[at] if at < len(seeds) else None
        return seed.spec if seed is not None else None

    def seed_name(self, at: int) -> str:
        """The leaf or the variable that was passed; "" unknown."""
        seeds = self.backward.seeds
        seed = seeds[at] if at < len(seeds) else None
        leaf = self.seed_leaf(at)
        if seed is None or leaf is not None:
            return leaf.name if leaf is not None else ""
        if len(seeds) == 1 and self.backward.stack:
            source = self.trace.source(self.backward.stack[0].file)
            if source is not None:
                return first_argument(source_piece(source.text, self.backward.stack[0]))
        return ""

    def seed_leaf(self, at: int) -> Leaf | None:
        seeds = self.backward.seeds
        seed = seeds[at] if at < len(seeds) else None
        if seed is None or seed.value < 0:
            return None
        return next((leaf for leaf in self.leaves if leaf.value == seed.value), None)

    def seed_text(self, at: int) -> str:
        """'[164] ≠ [ ]', or the shape alone where it fits."""
        root = shape_text(self.backward.roots[at].spec.shape)
        given = self.seed_spec(at)
        if given is None or shape_text(given.shape) == root:
            return root
        return f"{shape_text(given.shape)} ≠ {root}"


def spec_text(spec: Spec | None) -> str:
    return NONE if spec is None else shape_text(spec.shape)
