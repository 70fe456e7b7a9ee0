"""checkpoint-mismatch and sparse-gradient: faults between a right gradient and those who use it."""

from __future__ import annotations

import ast
import re
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, raised_at_call
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import inside
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.modules import user_codes
from gradviz.diagnose.source import Place, as_call, called_name, targets
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

CHECKPOINT = re.compile(
    r"Recomputed values|different number of tensors was saved during the original forward|CheckpointError"
)
SPARSE = re.compile(r"does not support sparse gradients|sparse gradients", re.I)
_META = re.compile(r"metadata: \{'shape': torch\.Size\(\[([\d, ]*)\]\)")
_OPTIMIZER = re.compile(r"(\w+) does not support sparse")


def checkpoint(exam: Examination, backward: model.Backward | None, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    found = [tuple(int(d) for d in m.split(",") if d.strip()) for m in _META.findall(error.message)]
    expected = found[0] if len(found) >= 2 else None
    received = found[1] if len(found) >= 2 else None
    place, function = _checkpointed(case, error)
    fields: dict[str, Any] = {}
    if backward is not None:
        node = case.node(backward.id, backward.failed_node) if backward.failed_node is not None else None
        fields = {"pass_id": backward.id, "symptom_line": backward.stack[0].line if backward.stack else None}
        if node is not None:
            op = case.node_op(node)
            fields |= {
                "node": node.name,
                "op": plain(op.name) if op is not None else "",
                "marks": (Mark("node", node.index),),
            }
        fields |= raised_at_call(error, backward.stack)
    return exam.writer.write(
        "checkpoint-mismatch",
        "error",
        place,
        "checkpoint-mismatch",
        {
            "expected": shapes.text(expected) if expected is not None else exam.case.words("as-many-as-before"),
            "received": shapes.text(received) if received is not None else exam.case.words("another-number"),
            "function": function,
        },
        expected_shape=expected,
        received_shape=received,
        **(fields or raised(error)),
    )


def _checkpointed(case: Case, error: model.ExceptionInfo) -> tuple[Place, str]:
    """The line inside the checkpointed function that depends on changing state, else the call of checkpoint."""
    for code in user_codes(case):
        calls = [
            n for n in ast.walk(code.tree) if isinstance(n, ast.Call) and called_name(n) == "checkpoint" and n.args
        ]
        for call in calls:
            first = call.args[0]
            function = code.function_named(first.id) if isinstance(first, ast.Name) else None
            if function is None:
                return code.place(call), code.text(first)
            conditional = [s for s in inside(code, function) if isinstance(s, (ast.If, ast.While))]
            for statement in conditional:
                if isinstance(statement, ast.If) and statement.body:
                    return code.place(statement.body[0]), function.name
            return code.place(call), function.name
    return case.place(error.stack), case.words("the-function")


def sparse(exam: Examination, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    place, new = case.place(error.stack), case.words("sparse-optimiser")
    match = _OPTIMIZER.search(error.message)
    optimizer = match.group(1) if match is not None else case.words("the-optimiser-first")
    for code in user_codes(case):
        for node in ast.walk(code.tree):
            call = as_call(node) if isinstance(node, ast.Call) else None
            value = call.keywords.get("sparse") if call is not None else None
            if isinstance(value, ast.Constant) and value.value is True:
                place = code.place(node)
                holder = _name(code.statement_of(node)) or "embedding"
                new = case.words("sparse-adam", holder=holder, line=place.line)
    node_name = _sparse_node(case)
    return exam.writer.write(
        "sparse-gradient",
        "error",
        place,
        "sparse-gradient",
        {"optimizer": optimizer, "line": place.line, "new": new},
        node=node_name,
        op="embedding",
        symptom_line=error.stack[0].line if error.stack else None,
        **raised(error),
    )


def _name(statement: ast.stmt | None) -> str:
    found = [t for t in targets(statement) if isinstance(t, (ast.Name, ast.Attribute))]
    return getattr(found[0], "id", "") or getattr(found[0], "attr", "") if found else ""


def _sparse_node(case: Case) -> str:
    for backward in case.passes:
        graph = case.trace.graph(backward.id)
        for index in range(min(len(graph), 5000)):
            name = case.trace.string(int(graph.name[index]))
            if name.startswith(("EmbeddingBackward", "EmbeddingBagBackward")):
                return name
    return ""
