"""Where a finding stands in a pass: its fields, and the marks on the canvas."""

from __future__ import annotations

from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Mark, Operand, ShapeOrWords
from gradviz.diagnose.naming import line_made, operand_name
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


def at_call(
    exam: Examination,
    op: model.Op | None,
    error: model.ExceptionInfo,
    blamed: int,
    expected: ShapeOrWords,
    received: ShapeOrWords,
) -> dict[str, Any]:
    """Fields of a finding at a forward call that raised: its operands, in the graph that stood when it did."""
    if op is None:
        return {}
    case = exam.case
    stood = next((p for p in case.passes if p.exception == error.id and p.entry == "engine"), None)
    nodes = {port.value: port.node for port in stood.roots} if stood is not None else {}
    operands = tuple(
        Operand(operand_name(case, op, i), v.spec.shape, nodes.get(v.number, -1), line_made(case, v.number, op.number))
        for i, v in enumerate(op.operands)
    )
    dims = shapes.differing(expected, received) if isinstance(expected, tuple) and isinstance(received, tuple) else ()
    node = operands[blamed].node if blamed < len(operands) else -1
    if node < 0:
        node = next((one.node for one in operands if one.node >= 0), -1)
    return {
        "operands": operands,
        "marks": (Mark("operand", node, blamed, -1, expected, received, dims),),
        "pass_id": stood.id if stood is not None else None,
    }
