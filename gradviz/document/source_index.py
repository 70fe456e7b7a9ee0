"""Lines and nodes of one pass, both ways; what a line made, for the words after its code. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.diagnose.finding import Finding
from gradviz.document.pass_facts import PassFacts
from gradviz.document.variable_names import Span, VariableNames, span_of
from gradviz.scene.words import said, shape_text
from gradviz.trace.model import Frame, Op, Source, Spec
from gradviz.trace.packing import OP_IN_PLACE, VALUE_PARAMETER

Nodes = NDArray[np.int64]
Place = tuple[str, int]  # file, line


@dataclass(frozen=True)
class Mark:
    """A finding's mark on a line. `kind`: cause | symptom | raised. Columns are UTF-8 byte offsets, -1 none."""

    line: int
    severity: str
    kind: str
    note: str
    column: int = -1
    end_column: int = -1


class SourceIndex:
    """Built once for a pass."""

    def __init__(self, facts: PassFacts) -> None:
        self._facts = facts
        self._nodes: dict[Place, Nodes] = {}
        self._last_op: dict[Span, int] = {}  # the newest forward call of an expression
        self._returned: dict[Span, Spec] = {}
        self._names = VariableNames(facts.trace)
        self._shapes: dict[str, dict[int, str]] = {}
        self._index()

    def follow(self, facts: PassFacts) -> None:
        """More of the same graph ran."""
        self._facts = facts

    def nodes(self, file: str, line: int) -> Nodes:
        """The nodes that this line made, by index."""
        return self._nodes.get((file, line), np.empty(0, np.int64))

    def counts(self, file: str) -> dict[int, int]:
        """How many nodes each line of a file made."""
        return {line: len(nodes) for (path, line), nodes in self._nodes.items() if path == file}

    def first_step(self, file: str, line: int) -> int:
        """The first step that executed a node of this line, -1 if none did."""
        ran = self._facts.step_of[self.nodes(file, line)]
        ran = ran[ran >= 0]
        return int(ran.min()) if len(ran) else -1

    def shapes(self, source: Source) -> dict[int, str]:
        """For lines that assign names: 'e [164], v [164, 164]', of the newest run of the line."""
        found = self._shapes.get(source.path)
        if found is None:
            found = self._shapes[source.path] = self._read_shapes(source)
        return found

    # -- building
    def _index(self) -> None:
        facts = self._facts
        numbers, stacks = facts.trace.op_stacks()
        if len(numbers):
            self._index_ops(numbers, stacks)
        self._index_calls()
        for leaf in np.unique(facts.graph.leaf).tolist():
            stack = facts.leaves[leaf].stack if 0 <= leaf < len(facts.leaves) else ()
            if stack:
                self._add((stack[0].file, stack[0].line), np.flatnonzero(facts.graph.leaf == leaf))

    def _index_ops(self, numbers: NDArray[np.int32], stacks: NDArray[np.int32]) -> None:
        facts = self._facts
        row = np.searchsorted(numbers, facts.graph.op).clip(0, len(numbers) - 1)
        known = (facts.graph.op >= 0) & (numbers[row] == facts.graph.op)
        own = np.where(known, stacks[row], -1)
        order = np.argsort(own, kind="stable")
        first = np.searchsorted(own[order], np.unique(own))
        for group in np.split(order, first[1:]):
            frame = self._frame(int(own[group[0]])) if len(group) else None
            if frame is not None:
                self._add((frame.file, frame.line), group)
        newest = int(facts.graph.op.max()) if len(facts.graph) else -1
        seen = numbers <= newest if newest >= 0 else np.ones(len(numbers), bool)
        last: dict[int, int] = dict(zip(stacks[seen].tolist(), numbers[seen].tolist()))
        for stack, number in last.items():
            frame = self._frame(stack)
            if frame is not None:
                span = span_of(frame)
                self._last_op[span] = max(number, self._last_op.get(span, -1))

    def _index_calls(self) -> None:
        """What module calls of the pass returned, by the expression that called; of modules that call modules in
        library code, by one and the same, the outermost.
        """
        waiting = np.unique(self._facts.graph.call).tolist()
        seen: set[int] = {-1}
        while waiting:
            number = waiting.pop()
            call = None if number in seen else self._facts.trace.call(number)
            seen.add(number)
            if call is not None:
                waiting.append(call.parent)
                outer = self._facts.trace.call(call.parent) if call.parent >= 0 else None
                inner = outer is not None and bool(outer.stack) and outer.stack == call.stack
                if call.stack and call.out_spec is not None and not inner:
                    self._returned[span_of(call.stack[0])] = call.out_spec

    def _frame(self, stack: int) -> Frame | None:
        frames = self._facts.trace.stack(stack)
        return frames[0] if frames else None

    def _add(self, place: Place, nodes: Nodes) -> None:
        before = self._nodes.get(place)
        self._nodes[place] = nodes if before is None else np.union1d(before, nodes)

    def _read_shapes(self, source: Source) -> dict[int, str]:
        found = {}
        for span, names in self._names.of_source(source).items():
            shapes = self._shapes_of(span)
            if len(names) == len(shapes):
                found[span[2]] = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes))
        return found

    def _shapes_of(self, span: Span) -> list[str]:
        """Shapes of what this very expression returned; where columns are unknown, of the last call of its line."""
        returned = self._returned.get(span)
        if returned is not None:
            return [shape_text(returned.shape)]
        number = self._last_op.get(span, self._last_op.get((span[0], span[1], span[1], -1, -1), -1))
        op = self._facts.trace.op(number) if number >= 0 else None
        return [] if op is None or fills_parameters(op) else [shape_text(one.spec.shape) for one in op.results]


def index_of(facts: PassFacts) -> SourceIndex:
    """The one of this pass: made once, by whoever asks first."""
    return facts.trace.kept(f"lines of pass {facts.pass_id}", lambda: SourceIndex(facts))


def fills_parameters(op: Op) -> bool:
    """The last call of `model = nn.Linear(1, 1)` initialises a parameter: its result isn't what the name stands for."""
    return bool(op.flags & OP_IN_PLACE) or any(value.flags & VALUE_PARAMETER for value in op.results)


def marks_of(findings: tuple[Finding, ...], file: str, words: dict[str, str]) -> list[Mark]:
    """All marks of the findings on a file; `words` gives 'expected', 'received', 'cause', 'symptom', translated."""
    marks = []
    for finding in findings:
        shapes = ""
        if finding.expected_shape is not None and finding.received_shape is not None:
            shapes = words["expected"].format(shape=said(finding.expected_shape)) + ", "
            shapes += words["received"].format(shape=said(finding.received_shape))
        apart = finding.symptom_line is not None and finding.symptom_line != finding.line
        if finding.file == file:
            note = shapes or finding.title or finding.message
            if apart:
                note = words["cause"].format(note=finding.title or note)
            span = (finding.column, finding.end_column if finding.end_line in (0, finding.line) else 1_000_000)
            marks.append(Mark(finding.line, finding.severity, "cause", note, *span))
        raised, raised_file = finding.raised_line, finding.raised_file or finding.file
        shows_where_raised = (finding.symptom_line, finding.file) == (raised, raised_file)
        if apart and finding.file == file and finding.symptom_line is not None and not shows_where_raised:
            note = words["symptom"].format(note=shapes or finding.title or finding.rule)
            marks.append(Mark(finding.symptom_line, finding.severity, "symptom", note))
        if raised is not None and raised_file == file and (raised_file, raised) != (finding.file, finding.line):
            marks.append(Mark(raised, finding.severity, "raised", words["raised"]))
    return marks
