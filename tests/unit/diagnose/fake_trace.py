"""A recording made by hand of model objects, for the rules: nothing is run and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace import model
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.packing import NODE_LEAF, VALUE_REQUIRES_GRAD

SCRIPT = "/home/me/script.py"
Shape = tuple[model.Dim, ...]
NO_STATS = model.Stats(0, 0, 0, 0.0, 0.0, 0.0, 1.0)


def spec(shape: Shape = (), dtype: str = "float32", device: str = "cpu") -> model.Spec:
    return model.Spec(tuple(shape), dtype, device, "strided")


@dataclass
class FakePass:
    """One backward pass: nodes from the root down, edges as (tail, index, head, slot), steps in order."""

    row: model.Backward
    nodes: list[model.Node] = field(default_factory=list)
    edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    steps: list[tuple[int, list[model.Stats]]] = field(default_factory=list)
    returned: list[model.Returned] = field(default_factory=list)


def ints(values: Iterable[int]) -> NDArray[np.int32]:
    return np.array(list(values), dtype=np.int32)


class FakeTrace:
    """Answers what gradviz.diagnose.case.TraceView asks. Lines of `text` are found by what stands in them."""

    def __init__(self, text: str, **run: Any) -> None:
        self.text = text
        fields: dict[str, Any] = {
            "gradviz": "0", "target": SCRIPT, "script": SCRIPT, "function": None, "arguments": (), "cwd": "/home/me",
            "interpreter": "/usr/bin/python3", "python": "3.12", "framework": "torch 2.13.0", "platform": "linux",
            "level": "summaries", "seed_expression": None, "started": 0.0, "seconds": 1.0, "status": "ok",
            "exit_code": 0, "signal": None, "dropped_output": 0,
        }  # fmt: skip
        self._run = model.RunInfo(**{**fields, **run})
        self._ops: list[model.Op] = []
        self._passes: list[FakePass] = []
        self._exceptions: list[model.ExceptionInfo] = []
        self._leaves: list[model.Leaf] = []
        self._values = 0
        self._skipped = 0
        self.stderr = ""
        self.noted: list[model.Note] = []
        self._names: list[str] = []

    # -- making

    def at(self, part: str) -> model.Stack:
        """The place of the only stretch of text that reads `part`."""
        rows = self.text.splitlines()
        line = next(i for i, row in enumerate(rows, 1) if part in row)
        column = rows[line - 1].index(part)
        return (model.Frame(SCRIPT, line, line, column, column + len(part), "<module>"),)

    def tensor(
        self, shape: Shape, *, grad: bool = False, dtype: str = "float32", flags: int = 0, name: str = ""
    ) -> model.Value:
        """A tensor with a number of its own."""
        self._values += 1
        return model.Value(self._values, spec(shape, dtype), 0, flags | (VALUE_REQUIRES_GRAD if grad else 0), name)

    def op(
        self,
        name: str,
        part: str,
        operands: Sequence[model.Value] = (),
        result: model.Value | Sequence[model.Value] = (),
        *,
        flags: int = 0,
        **arguments: Any,
    ) -> model.Op:
        results = (result,) if isinstance(result, model.Value) else tuple(result)
        number = len(self._ops) + self._skipped
        stack = self.at(part) if part else ()
        made = model.Op(number, name, stack, -1, 0, number, number + 1, flags, arguments, tuple(operands), results)
        self._ops.append(made)
        return made

    def replace_stack(self, op: model.Op, stack: model.Stack) -> None:
        """The call was made in a function: `stack` tells its callers too."""
        self._ops[self._ops.index(op)] = replace(op, stack=stack)

    def skip(self, count: int) -> None:
        """That many calls belong to passes that were only counted."""
        self._skipped += count

    def leaf(
        self, value: model.Value, name: str, kind: str = "variable", *, in_graph: bool = True, **fields: Any
    ) -> model.Leaf:
        row: dict[str, Any] = {
            "module": None, "spec": value.spec, "requires_grad": True, "stack": (), "grad_spec": None,
            "grad_stats": None, "in_graph": in_graph,
        }  # fmt: skip
        made = model.Leaf(len(self._leaves), value.number, name, kind, **{**row, **fields})
        self._leaves.append(made)
        return made

    def error(self, kind: str, message: str, part: str, phase: str = "forward", **fields: Any) -> model.ExceptionInfo:
        row: dict[str, Any] = {
            "raised_file": SCRIPT, "raised_line": None, "thread": 0, "caught": False, "pass_id": None, "op": None,
            "detail": {},
        }  # fmt: skip
        stack = self.at(part) if part else ()
        made = model.ExceptionInfo(len(self._exceptions), kind, message, "", stack, phase=phase, **{**row, **fields})
        self._exceptions.append(made)
        return made

    def backward(self, part: str, root: model.Value | Sequence[model.Value], **fields: Any) -> FakePass:
        roots = (root,) if isinstance(root, model.Value) else tuple(root)
        ports = tuple(
            model.Port(
                i if r.flags & VALUE_REQUIRES_GRAD else -1, 0, r.number, r.spec, bool(r.flags & VALUE_REQUIRES_GRAD)
            )
            for i, r in enumerate(roots)
        )
        row: dict[str, Any] = {
            "parent": None, "thread": 0, "entry": "backward", "retain_graph": False, "create_graph": False,
            "batched": False, "allow_unused": False, "seeds": (), "inputs": (), "outcome": "completed",
            "exception": None, "failed_node": None, "running_node": None, "nodes": 0, "edges": 0, "steps": 0,
            "duration": 0.1, "structure": "", "repeats": 1, "phase": "run", "truncated": None,
        }  # fmt: skip
        made = model.Backward(len(self._passes), stack=self.at(part), roots=ports, **{**row, **fields})
        one = FakePass(made)
        self._passes.append(one)
        return one

    def add_node(
        self,
        one: FakePass,
        name: str,
        *expected: Shape,
        op: model.Op | None = None,
        to: Sequence[int] = (),
        **fields: Any,
    ) -> int:
        """A node that sends its gradients to the nodes of these numbers, which are made later."""
        index = len(one.nodes)
        row: dict[str, Any] = {"seq": op.seq_before if op else -1, "thread": 0, "call": -1, "leaf": -1, "flags": 0}
        number = op.number if op is not None else -1
        one.nodes.append(model.Node(index, name, op=number, expected=tuple(map(spec, expected)), **{**row, **fields}))
        one.edges += [(index, at, head, 0) for at, head in enumerate(to)]
        one.row = replace(one.row, nodes=len(one.nodes), edges=len(one.edges))
        return index

    def accumulate(self, one: FakePass, leaf: model.Leaf) -> int:
        return self.add_node(one, "AccumulateGrad", leaf.spec.shape, leaf=leaf.id, flags=NODE_LEAF)

    def add_step(self, one: FakePass, node: int, *stats: model.Stats) -> None:
        one.steps.append((node, list(stats or (NO_STATS,))))
        one.row = replace(one.row, steps=len(one.steps))

    # -- what the rules ask

    def run(self) -> model.RunInfo:
        return self._run

    def source(self, path: str) -> model.Source | None:
        return model.Source(SCRIPT, self.text, "utf-8") if path == SCRIPT else None

    def passes(self) -> tuple[model.Backward, ...]:
        return tuple(one.row for one in self._passes)

    def exceptions(self) -> tuple[model.ExceptionInfo, ...]:
        return tuple(self._exceptions)

    def notes(self) -> tuple[model.Note, ...]:
        return tuple(self.noted)

    def leaves(self) -> tuple[model.Leaf, ...]:
        return tuple(self._leaves)

    def modules(self) -> tuple[model.Module, ...]:
        return ()

    def output(self, after: int = -1) -> tuple[tuple[int, model.OutputChunk], ...]:
        return ((0, model.OutputChunk("stderr", 0.0, self.stderr.encode())),)

    def ops(self) -> tuple[model.Op, ...]:
        return tuple(self._ops)

    def call(self, number: int) -> model.ModuleCall | None:
        return None

    def graph(self, pass_id: int) -> PassGraph:
        one = self._passes[pass_id]
        ends = np.cumsum([len(n.expected) for n in one.nodes], dtype=np.int32) if one.nodes else ints(())
        return PassGraph(
            name=ints(self._name(n.name) for n in one.nodes),
            seq=np.array([n.seq for n in one.nodes], dtype=np.int64),
            thread=ints(n.thread for n in one.nodes),
            op=ints(n.op for n in one.nodes),
            call=ints(n.call for n in one.nodes),
            leaf=ints(n.leaf for n in one.nodes),
            flags=ints(n.flags for n in one.nodes),
            expected_start=ints((0, *ends[:-1].tolist()) if one.nodes else ()),
            expected_end=ends,
            expected_spec=ints(range(int(ends[-1]) if len(ends) else 0)),
            tail=ints(e[0] for e in one.edges),
            index=ints(e[1] for e in one.edges),
            head=ints(e[2] for e in one.edges),
            slot=ints(e[3] for e in one.edges),
        )

    def steps(self, pass_id: int) -> PassSteps:
        one = self._passes[pass_id]
        received = [stats for _, each in one.steps for stats in each]
        ends = np.cumsum([len(each) for _, each in one.steps], dtype=np.int32) if one.steps else np.zeros(0, np.int32)
        figures: dict[str, Any] = {}
        for name in ("nans", "infs", "zeros", "min", "max", "mean", "norm"):
            kind = np.int64 if name in ("nans", "infs", "zeros") else np.float64
            figures[name] = np.array([getattr(stats, name) for stats in received], dtype=kind)
        count = len(one.steps)
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int32) if count else ends
        return PassSteps(
            node=np.array([node for node, _ in one.steps], dtype=np.int32),
            start=np.zeros(count, np.int64),
            duration=np.zeros(count, np.int64),
            received_start=starts,
            received_end=ends,
            spec=np.zeros(len(received), np.int32),
            **figures,
        )

    def step(self, pass_id: int, number: int) -> model.Step:
        node, stats = self._passes[pass_id].steps[number]
        return model.Step(number, node, 0, 0, tuple(model.Received(None, 0, each) for each in stats))

    def node(self, pass_id: int, index: int) -> model.Node:
        return self._passes[pass_id].nodes[index]

    def returned(self, pass_id: int) -> tuple[model.Returned, ...]:
        return tuple(self._passes[pass_id].returned)

    def string(self, number: int) -> str:
        return self._names[number] if number >= 0 else ""

    def _name(self, text: str) -> int:
        if text not in self._names:
            self._names.append(text)
        return self._names.index(text)
