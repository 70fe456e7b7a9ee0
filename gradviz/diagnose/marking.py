"""Where a finding stands in a pass: its fields, and the marks on the canvas."""

from __future__ import annotations

from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Mark
from gradviz.trace import model


def at_node(exam: Examination, backward: model.Backward, node: model.Node) -> dict[str, Any]:
    """Fields that every finding at a node of a pass carries."""
    steps = exam.case.steps_of(backward.id)
    op = exam.case.node_op(node)
    return {
        "pass_id": backward.id,
        "step": steps.get(node.index),
        "node": node.name,
        "op": op.name if op is not None else "",
        "symptom_line": backward.stack[0].line if backward.stack else None,
    }


def edge_mark(
    exam: Examination, backward: model.Backward, node: model.Node, index: int, expected: Any, received: Any
) -> tuple[Mark, ...]:
    """Marks the gradient `index` that a node hands on."""
    dims = shapes.differing(expected, received) if isinstance(expected, tuple) and isinstance(received, tuple) else ()
    for edge in exam.case.links(backward.id).out(node.index):
        if edge.index == index:
            return (Mark("edge", edge.head, edge.slot, node.index, expected, received, dims),)
    return (Mark("node", node.index, index, -1, expected, received, dims),)
