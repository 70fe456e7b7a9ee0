"""The recording as the rules read it: indexes over its ops and values, the sources parsed, short ways to ask."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from gradviz.diagnose.links import Links
from gradviz.diagnose.source import Code, Place
from gradviz.diagnose.vocabulary import last_word
from gradviz.diagnose.words.fragments import FRAGMENTS
from gradviz.trace import model
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.packing import OP_FACTORY, OP_RAISED


def is_step(op: model.Op) -> bool:
    """Whether it is an optimiser's step, told as one call: it changes each of its tensors by itself, so that none comes
    of another.
    """
    return op.name.endswith(".step")


def sources(op: model.Op, value: int) -> list[model.Value]:
    """The operands that the result `value` was computed from."""
    return [v for v in op.operands if not is_step(op) or v.number == value]


class TraceView(Protocol):
    """What the rules ask of a recording; gradviz.trace.reader.Trace answers."""

    def run(self) -> model.RunInfo: ...
    def source(self, path: str) -> model.Source | None: ...
    def passes(self) -> tuple[model.Backward, ...]: ...
    def exceptions(self) -> tuple[model.ExceptionInfo, ...]: ...
    def leaves(self) -> tuple[model.Leaf, ...]: ...
    def notes(self) -> tuple[model.Note, ...]: ...
    def modules(self) -> tuple[model.Module, ...]: ...
    def output(self, after: int = -1) -> tuple[tuple[int, model.OutputChunk], ...]: ...
    def ops(self) -> tuple[model.Op, ...]: ...
    def call(self, number: int) -> model.ModuleCall | None: ...
    def graph(self, pass_id: int) -> PassGraph: ...
    def steps(self, pass_id: int) -> PassSteps: ...
    def node(self, pass_id: int, index: int) -> model.Node: ...
    def step(self, pass_id: int, number: int) -> model.Step: ...
    def returned(self, pass_id: int) -> tuple[model.Returned, ...]: ...
    def string(self, number: int) -> str: ...


class Case:
    """One recording under examination."""

    def __init__(self, trace: TraceView, fragments: Mapping[str, str] = FRAGMENTS) -> None:
        self.trace = trace
        self._fragments = fragments
        self.run = trace.run()
        self.passes = trace.passes()
        self.exceptions = trace.exceptions()
        self.leaves = trace.leaves()
        self.ops: Sequence[model.Op] = trace.ops()
        self.code = lru_cache(maxsize=None)(self._code)
        self.node = lru_cache(maxsize=4096)(trace.node)
        self.links = lru_cache(maxsize=4)(lambda pass_id: Links(trace.graph(pass_id)))

    def words(self, key: str, **parts: object) -> str:
        """A fragment of the catalogue with its parts: what stands inside a phrase and is no code of the person's."""
        return self._fragments[key].format_map(parts)

    # -- ops and values
    @cached_property
    def op_by_number(self) -> dict[int, model.Op]:
        return {op.number: op for op in self.ops}

    @cached_property
    def _made_by(self) -> dict[int, list[model.Op]]:
        made: dict[int, list[model.Op]] = {}
        for op in self.ops:
            for value in op.results:
                if value.number >= 0:
                    made.setdefault(value.number, []).append(op)
        return made

    @cached_property
    def _used_by(self) -> dict[int, list[model.Op]]:
        used: dict[int, list[model.Op]] = {}
        for op in self.ops:
            for number in {value.number for value in op.operands}:
                if number >= 0:
                    used.setdefault(number, []).append(op)
        return used

    def producer(self, value: int, before: int | None = None) -> model.Op | None:
        """The newest op, numbered below `before`, that made this value or wrote into it."""
        made = self._made_by.get(value, [])
        if before is None:
            return made[-1] if made else None
        position = bisect_left(made, before, key=lambda op: op.number)
        return made[position - 1] if position else None

    def origin(self, value: int) -> model.Op | None:
        """The first op that made this value, before anything wrote into it."""
        made = self._made_by.get(value)
        return made[0] if made else None

    def users(self, value: int, after: int = -1) -> list[model.Op]:
        return [op for op in self._used_by.get(value, []) if op.number > after]

    @cached_property
    def leaf_by_value(self) -> dict[int, model.Leaf]:
        return {leaf.value: leaf for leaf in self.leaves if leaf.value >= 0}

    def is_factory(self, op: model.Op) -> bool:
        return bool(op.flags & OP_FACTORY)

    @cached_property
    def raised_ops(self) -> list[model.Op]:
        return [op for op in self.ops if op.flags & OP_RAISED]

    # -- sources
    def _code(self, path: str) -> Code | None:
        source = self.trace.source(path)
        return Code(path, source.text) if source is not None and source.text is not None else None

    def expression(self, frame: model.Frame, name: str = "") -> ast.expr | ast.stmt | None:
        code = self.code(frame.file)
        return code.expression(frame, name) if code is not None else None

    def op_expression(self, op: model.Op) -> ast.expr | ast.stmt | None:
        return self.expression(op.stack[0], last_word(op.name)) if op.stack else None

    def place(self, stack: model.Stack) -> Place:
        """Where the innermost frame of the user's points; the script's first line where nothing is known."""
        if not stack:
            return Place(self.run.script or self.run.target, 1)
        frame = stack[0]
        return Place(frame.file, frame.line, frame.column, frame.end_line, frame.end_column)

    # -- passes
    def backward(self, pass_id: int | None) -> model.Backward | None:
        return next((p for p in self.passes if p.id == pass_id), None)

    def node_op(self, node: model.Node) -> model.Op | None:
        return self.op_by_number.get(node.op)

    def steps_of(self, pass_id: int) -> dict[int, int]:
        """Step number by node of a pass."""
        return {int(node): number for number, node in enumerate(self.trace.steps(pass_id).node)}

    def expected_of(self, pass_id: int, node: int, index: int) -> model.Spec | None:
        """What the gradient `index` that a node hands on has to be; None where it goes nowhere."""
        for edge in self.links(pass_id).out(node):
            if edge.index == index:
                expected = self.node(pass_id, edge.head).expected
                return expected[edge.slot] if edge.slot < len(expected) else None
        return None

    def exception(self, exception_id: int | None) -> model.ExceptionInfo | None:
        return next((e for e in self.exceptions if e.id == exception_id), None)
