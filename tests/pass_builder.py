"""Makes one backward pass of a trace for tests: nodes, edges, steps. Begun by `TraceBuilder.backward`."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradviz.trace import packing
from gradviz.trace.model import Dim

if TYPE_CHECKING:
    from tests.builders import TraceBuilder

Shape = Sequence[Dim]
Stats = tuple[int, int, int, float, float, float, float]
NO_STATS = (-1, -1, -1, float("nan"), float("nan"), float("nan"), float("nan"))


class PassBuilder:
    """One backward pass in the making, from the leaves up; ends with `end`.

    Nodes are named by the numbers that `node` gives. In the file they stand the other way round, as a recorder that
    walks down from the root finds them: node k of n made here becomes n - 1 - k; edges run from lower to higher.
    """

    def __init__(self, trace: TraceBuilder, number: int, stack: int, columns: dict[str, Any]) -> None:
        self.trace = trace
        self.id = number
        self._stack = stack
        self._columns = columns
        kinds = ("step", "received", "returned")
        self._packed = {kind: packing.new_columns(kind) for kind in kinds}
        self._nodes: list[tuple[int, ...]] = []
        self._names: list[str] = []
        self._specs: list[list[int]] = []  # expected, per node and slot
        self._shapes: list[list[tuple[int, ...]]] = []
        self._edges: list[tuple[int, int, int, int]] = []
        self._saved: list[dict[str, Any]] = []
        self._roots: list[dict[str, Any]] = []
        self._seeds: list[dict[str, Any] | None] = []

    def node(
        self,
        name: str,
        *expected: Shape,
        op: int = -1,
        call: int = -1,
        leaf: int = -1,
        flags: int = 0,
        dtype: str = "float32",
        to: Sequence[int | tuple[int, int]] = (),
        seq: int = -1,
    ) -> int:
        """A node that expects these shapes in its slots; `to`: nodes, or (node, slot), already there, it sends to."""
        index = len(self._nodes)
        flags |= packing.NODE_LEAF if leaf >= 0 else 0
        self._nodes.append((self.trace.writer.string(name), seq, 0, op, call, leaf, flags))
        self._names.append(name)
        self._specs.append([self.trace.spec(shape, dtype) for shape in expected])
        self._shapes.append([tuple(int(dim) for dim in shape) for shape in expected])
        for at, target in enumerate(to):
            head, slot = target if isinstance(target, tuple) else (target, 0)
            self.edge(index, head, at, slot)
        return index

    def name(self, node: int) -> str:
        return self._names[node]

    def expected_shape(self, node: int, slot: int = 0) -> tuple[int, ...]:
        return self._shapes[node][slot]

    def edge(self, tail: int, head: int, index: int = 0, slot: int = 0) -> PassBuilder:
        self._edges.append((tail, index, head, slot))
        return self

    def root(
        self, node: int, shape: Shape, slot: int = 0, dtype: str = "float32", value: int | None = None
    ) -> PassBuilder:
        number = self.trace.value() if value is None else value
        spec = self.trace.spec(shape, dtype)
        self._roots.append({"node": node, "slot": slot, "value": number, "spec": spec, "requires_grad": True})
        return self

    def seed(self, shape: Shape | None, value: int = -1, dtype: str = "float32") -> PassBuilder:
        self._seeds.append(None if shape is None else {"value": value, "spec": self.trace.spec(shape, dtype)})
        return self

    def step(self, node: int, *received: Shape | None, stats: Sequence[Stats] = (), dtype: str = "float32") -> int:
        """A step that received these shapes (None: undefined); without any, what the node expects."""
        specs = [-1 if shape is None else self.trace.spec(shape, dtype) for shape in received] or self._specs[node]
        for slot, spec in enumerate(specs):
            figures = stats[slot] if slot < len(stats) else NO_STATS
            extend(self._packed["received"], (spec, 0, *figures))
        number = len(self._packed["step"][0])
        extend(self._packed["step"], (node, number * 40_000, 30_000, len(self._packed["received"][0])))
        return number

    def steps(self, nodes: Sequence[int]) -> PassBuilder:
        for node in nodes:
            self.step(node)
        return self

    def returned(self, step: int, index: int, shape: Shape | None, type_name: str = "") -> PassBuilder:
        spec = -1 if shape is None else self.trace.spec(shape)
        words = self.trace.writer.string(type_name) if type_name else -1
        extend(self._packed["returned"], (step, index, spec, words, *NO_STATS))
        return self

    def saved(self, node: int, name: str, shape: Shape | None, version: int = 0, saved_version: int = 0) -> PassBuilder:
        spec = None if shape is None else self.trace.spec(shape)
        self._saved.append(
            {"node": node, "name": name, "spec": spec, "version": version, "saved_version": saved_version}
        )
        return self

    def end(self, outcome: str = "completed", **columns: Any) -> TraceBuilder:
        """Hand the pass to the writer."""
        writer, count = self.trace.writer, len(self._nodes)
        steps = len(self._packed["step"][0])
        for root in self._roots:
            root["node"] = count - 1 - root["node"] if root["node"] >= 0 else -1
        row: dict[str, Any] = {"id": self.id, "thread": 0, "entry": "backward", "stack": self._stack}
        row.update(retain_graph=0, create_graph=0, batched=0, inputs="[]")
        row.update(roots=json.dumps(self._roots), seeds=json.dumps(self._seeds))
        row.update(outcome=outcome, nodes=count, edges=len(self._edges), steps=steps)
        row = {**row, "duration": steps * 4e-5, "structure": f"structure-{self.id}", **self._columns, **columns}
        for name in ("failed_node", "running_node"):
            if row.get(name) is not None:
                row[name] = count - 1 - row[name]
        writer.add("backward", **row)
        for saved in self._saved:
            writer.add("saved", **{**saved, "pass": self.id, "node": count - 1 - saved["node"]})
        for kind, packed in self._turned().items():
            writer.segment(kind, self.id, 0, packed)
        return self.trace

    def _turned(self) -> dict[str, list[array[Any]]]:
        """All columns, nodes from the root down."""
        last = len(self._nodes) - 1
        turned = {kind: packing.new_columns(kind) for kind in ("node", "expected", "edge")}
        turned.update(self._packed)
        for node in range(last, -1, -1):
            turned["expected"][0].extend(self._specs[node])
            extend(turned["node"], (*self._nodes[node], len(turned["expected"][0])))
        for tail, index, head, slot in sorted(self._edges, key=lambda edge: (-edge[0], edge[1])):
            extend(turned["edge"], (last - tail, index, last - head, slot))
        nodes = self._packed["step"][0]
        turned["step"] = [array("i", [last - node for node in nodes]), *self._packed["step"][1:]]
        return turned


def extend(columns: Sequence[array[Any]], row: Sequence[Any]) -> None:
    """One more row of packed columns."""
    assert len(columns) == len(row)
    for column, item in zip(columns, row, strict=True):
        column.append(item)
