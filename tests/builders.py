"""Makes trace files for tests without running anything: say what the recording holds, then `save`.

`TraceBuilder` writes the run, `PassBuilder` one backward pass; whole recordings stand in tests/recordings.py.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace import packing
from gradviz.trace.model import Dim
from gradviz.trace.writer import TraceWriter

Shape = Sequence[Dim]
NO_STATS = (-1, -1, -1, float("nan"), float("nan"), float("nan"), float("nan"))
RUN: dict[str, Any] = {
    "gradviz": "0.1.0",
    "function": None,
    "arguments": "[]",
    "cwd": "/home/me",
    "interpreter": "/usr/bin/python3",
    "python": "3.12.4",
    "framework": "torch 2.13.0",
    "platform": "linux x86_64",
    "level": "summaries",
    "started": 1_780_000_000.0,
    "seconds": 0.5,
    "status": "ok",
    "exit_code": 0,
}
Stats = tuple[int, int, int, float, float, float, float]


class TraceBuilder:
    """A recording in the making. Numbers that it hands out (values, stacks, ops, leaves) are those of the trace."""

    def __init__(self, path: Path, script: str = "/home/me/script.py", text: str = "", **run: Any) -> None:
        self.path = Path(path)
        self.writer = TraceWriter(self.path)
        self.script = script
        self._values = 0
        self._columns = {kind: packing.new_columns(kind) for kind in ("op", "operand", "result", "call")}
        self._passes = 0
        self.run = {**RUN, "target": script, "script": script, **run}
        self.writer.thread("MainThread")
        self.writer.source(script, text.encode())

    def save(self) -> Path:
        """Write all and fold the log in: the file is whole."""
        self.commit()
        self.writer.finish()
        return self.path

    def commit(self) -> None:
        """Write what there is so far, as a recorder that goes on does."""
        self.writer.add("run", id=0, **self.run)
        for kind, columns in self._columns.items():
            if len(columns[0]):
                self.writer.segment(kind, None, 0, columns)
        self._columns = {}
        self.writer.commit()

    # -- what repeats

    def value(self) -> int:
        self._values += 1
        return self._values

    def spec(self, shape: Shape, dtype: str = "float32", device: str = "cpu", layout: str = "strided") -> int:
        return self.writer.spec(list(shape), dtype, device, layout)

    def at(
        self, line: int, columns: tuple[int, int] = (-1, -1), file: str | None = None, function: str = "<module>"
    ) -> int:
        """A stack of one frame."""
        source = self.writer.source(file or self.script)
        return self.writer.stack([self.writer.frame(source, line, line, *columns, function)])

    def stack(self, *places: tuple[str, int, str]) -> int:
        """A stack of (file, line, function), innermost first."""
        frames = [
            self.writer.frame(self.writer.source(file), line, line, -1, -1, name) for file, line, name in places
        ]
        return self.writer.stack(frames)

    # -- forward

    def op(
        self,
        name: str,
        stack: int,
        operands: Sequence[tuple[int, Shape, str]] = (),
        results: Sequence[tuple[int, Shape]] = (),
        *,
        call: int = -1,
        flags: int = 0,
        arguments: dict[str, Any] | None = None,
        grads: bool = True,
        seq: tuple[int, int] = (-1, -1),
    ) -> int:
        """A forward call; operands are (value, shape, parameter name), results (value, shape)."""
        own, operand, result = (self._columns[kind] for kind in ("op", "operand", "result"))
        needs = packing.VALUE_REQUIRES_GRAD if grads else 0
        for value, shape, parameter in operands:
            extend(operand, (value, self.spec(shape), 0, needs, self.writer.string(parameter)))
        for value, shape in results:
            extend(result, (value, self.spec(shape), 0, needs))
        number = len(own[0])
        words = -1 if arguments is None else self.writer.string(json.dumps(arguments))
        ends = (len(operand[0]), len(result[0]))
        extend(own, (number, self.writer.string(name), stack, call, 0, *seq, flags, words, *ends))
        return number

    def module(
        self, path: str, class_name: str, parameters: int, parent: int | None = None, root: str | None = None
    ) -> int:
        row = {"path": path, "class": class_name, "parent": parent, "root_name": root}
        return self.writer.add("module", **row, parameters=parameters, training=1)

    def call(self, module: int, stack: int, given: Shape, returned: Shape, parent: int = -1) -> int:
        columns = self._columns["call"]
        number = len(columns[0])
        extend(columns, (number, module, parent, stack, 0, self.spec(given), self.spec(returned), 1))
        return number

    def leaf(
        self,
        name: str,
        shape: Shape,
        stack: int | None = None,
        *,
        value: int | None = None,
        module: int | None = None,
        dtype: str = "float32",
        stats: Stats | None = None,
        grad: NDArray[Any] | None = None,
    ) -> int:
        """A parameter (with a module) or variable; `stats` are of its .grad, which is missing without."""
        number = self.writer.add(
            "leaf",
            value=self.value() if value is None else value,
            name=name,
            kind="variable" if module is None else "parameter",
            module=module,
            spec=self.spec(shape, dtype),
            requires_grad=1,
            stack=stack,
            grad_spec=None if stats is None else self.spec(shape, dtype),
            grad_stats=None if stats is None else packing.STATS.pack(*stats),
            in_graph=1,
        )
        if grad is not None:
            self.sample(grad, None, None, number, "leaf-grad")
        return number

    # -- what else a recording holds

    def sample(
        self,
        data: NDArray[Any],
        pass_id: int | None,
        step: int | None,
        slot: int = 0,
        role: str = "received",
        whole: Shape | None = None,
        strides: Sequence[int] | None = None,
    ) -> None:
        self.writer.add(
            "sample",
            **{"pass": pass_id},
            step=step,
            slot=slot,
            role=role,
            spec=self.spec(data.shape if whole is None else whole, str(data.dtype)),
            strides=json.dumps(list(strides or [1] * data.ndim)),
            shape=json.dumps(list(data.shape)),
            dtype=str(data.dtype),
            version=0,
            data=np.ascontiguousarray(data).tobytes(),
        )

    def exception(self, kind: str, message: str, stack: int | None, phase: str, **fields: Any) -> int:
        detail = json.dumps(fields.pop("detail", {}))
        row = {"type": kind, "message": message, "text": f"{kind}: {message}", "stack": stack, "thread": 0, **fields}
        return self.writer.add("exception", phase=phase, caught=0, detail=detail, **row)

    def note(self, kind: str, text: str) -> None:
        self.writer.add("note", kind=kind, text=text)

    def output(self, text: str, stream: str = "stdout") -> None:
        self.writer.add("output", stream=stream, time=1_780_000_000.1, data=text.encode())

    def backward(self, stack: int, **columns: Any) -> PassBuilder:
        """Begin a pass; `columns` are those of the table `backward`."""
        number = columns.pop("id", self._passes)
        self._passes = number + 1
        return PassBuilder(self, number, stack, columns)


class PassBuilder:
    """One backward pass in the making; ends with `end`."""

    def __init__(self, trace: TraceBuilder, number: int, stack: int, columns: dict[str, Any]) -> None:
        self.trace = trace
        self.id = number
        self._stack = stack
        self._columns = columns
        kinds = ("node", "expected", "edge", "step", "received", "returned")
        self._packed = {kind: packing.new_columns(kind) for kind in kinds}
        self._expected: list[list[int]] = []
        self._names: list[str] = []
        self._shapes: list[list[tuple[int, ...]]] = []
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
        writer, index = self.trace.writer, len(self._expected)
        specs = [self.trace.spec(shape, dtype) for shape in expected]
        self._expected.append(specs)
        self._names.append(name)
        self._shapes.append([tuple(int(dim) for dim in shape) for shape in expected])
        for spec in specs:
            extend(self._packed["expected"], (spec,))
        flags |= packing.NODE_LEAF if leaf >= 0 else 0
        row = (writer.string(name), seq, 0, op, call, leaf, flags, len(self._packed["expected"][0]))
        extend(self._packed["node"], row)
        for at, target in enumerate(to):
            head, slot = target if isinstance(target, tuple) else (target, 0)
            self.edge(index, head, at, slot)
        return index

    def name(self, node: int) -> str:
        return self._names[node]

    def expected_shape(self, node: int, slot: int = 0) -> tuple[int, ...]:
        return self._shapes[node][slot]

    def edge(self, tail: int, head: int, index: int = 0, slot: int = 0) -> PassBuilder:
        extend(self._packed["edge"], (tail, index, head, slot))
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
        specs = [-1 if shape is None else self.trace.spec(shape, dtype) for shape in received] or self._expected[node]
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
        row = {"pass": self.id, "node": node, "name": name, "spec": spec}
        self.trace.writer.add("saved", **row, version=version, saved_version=saved_version)
        return self

    def end(self, outcome: str = "completed", **columns: Any) -> TraceBuilder:
        """Hand the pass to the writer."""
        writer = self.trace.writer
        steps = len(self._packed["step"][0])
        row: dict[str, Any] = {"id": self.id, "thread": 0, "entry": "backward", "stack": self._stack, "retain_graph": 0}
        row.update(create_graph=0, batched=0, roots=json.dumps(self._roots), seeds=json.dumps(self._seeds), inputs="[]")
        row.update(outcome=outcome, nodes=len(self._expected), edges=len(self._packed["edge"][0]), steps=steps)
        row.update(duration=steps * 4e-5, structure=f"structure-{self.id}")
        writer.add("backward", **{**row, **self._columns, **columns})
        for kind, packed in self._packed.items():
            writer.segment(kind, self.id, 0, packed)
        return self.trace


def extend(columns: Sequence[array[Any]], row: Sequence[Any]) -> None:
    """One more row of packed columns."""
    assert len(columns) == len(row)
    for column, item in zip(columns, row, strict=True):
        column.append(item)
