"""A forward call in the Inspector: its operands and results, its formula backward; and the page of one that raised."""

from __future__ import annotations

import json
import math

from gradviz.document.formulas import formula_of
from gradviz.document.hub import View
from gradviz.document.pass_facts import PassFacts
from gradviz.document.variable_names import VariableNames
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_parts import rule_words, show_marks
from gradviz.gui.panes.inspector_section import Chip, Row
from gradviz.gui.panes.inspector_words import place_row, spec_words, stack_rows, translate
from gradviz.scene.words import shape_text
from gradviz.trace.model import Op
from gradviz.trace.packing import OP_RAISED

RELU = "ReluBackward0"


def build_raised(page: Page, facts: PassFacts, view: View, names: VariableNames) -> None:
    """A graph without a backward pass: the forward call that raised, and why."""
    op = facts.raised_op()
    findings = [finding for finding in view.findings if finding.pass_id == facts.pass_id]
    chips = [Chip(rule_words(finding.rule), finding.severity, finding.severity) for finding in findings]
    title = op.name if op is not None else translate("Inspector", "A forward call")
    kicker = translate("Inspector", "Forward call · raised")
    page.heading(kicker, title, chips=chips or [Chip(translate("Inspector", "Raised"), "error", "error")])
    show_marks(page, findings)
    if op is not None:
        call_rows(page, facts, op, names)
    raised = next((each for each in facts.trace.exceptions() if each.id == facts.backward.exception), None)
    if raised is not None:
        words = f"{raised.type}: {raised.message}"
        page.rows("raised", translate("Inspector", "What Python said"), [], words=words)
        page.rows("stack", translate("Inspector", "Called at"), stack_rows(raised.stack))


def call_rows(page: Page, facts: PassFacts, op: Op, names: VariableNames) -> None:
    """The section of a forward call."""
    rows = [Row(translate("Inspector", "Call"), op.name)]
    rows += place_row(translate("Inspector", "Line"), op.stack)
    call = facts.trace.call(op.call) if op.call >= 0 else None
    if call is not None:
        module = facts.trace.modules()[call.module]
        path = module.path or module.root_name or module.class_name
        rest = module.class_name if path != module.class_name else ""
        rows.append(Row(translate("Inspector", "Module"), path, rest=rest))
    for at, operand in enumerate(op.operands):
        label = operand.name or translate("Inspector", "operand {number}").format(number=at)
        rows.append(Row(label, spec_words(operand.spec)))
    for name, value in op.arguments.items():
        rows.append(Row(str(name), json.dumps(value, ensure_ascii=False)))
    called = names.at(op.stack[0]) if op.stack else ()
    for at, result in enumerate(op.results):
        name = called[at] if len(called) == len(op.results) else ""
        rows.append(Row(translate("Inspector", "Result"), spec_words(result.spec), rest=name))
    words = translate("Inspector", "This call raised.") if op.flags & OP_RAISED else ""
    page.rows("forward", translate("Inspector", "Forward call"), rows, words=words)


def formula_rows(page: Page, facts: PassFacts, node: int) -> None:
    """How a node makes its gradients out of the one it receives, where the catalogue knows."""
    if node < 0:
        return
    name, op = facts.trace.string(int(facts.graph.name[node])), facts.op(node)
    operands = [operand.name for operand in op.operands] if op is not None else ()
    lines = formula_of(name, op.arguments if op is not None else None, operands)
    title = translate("Inspector", "Formula of {node}").format(node=name)
    shape = _input_shape(facts, node)
    rows = [Row(line.label, line.formula.replace("input.shape", shape)) for line in lines]
    page.rows("formula", title, rows, words=_stopped(facts, node) if name == RELU else "")


def _stopped(facts: PassFacts, node: int) -> str:
    """How much of the gradient ends at a ReLU: the zeros that it adds to those it received."""
    handed = facts.handed(node)
    if len(handed) != 1 or handed[0].summed or not handed[0].arrived:
        return ""
    before, after = (facts.trace.step(facts.pass_id, int(facts.step_of[at])) for at in (node, handed[0].head))
    spec = before.received[0].spec
    zeros, more = before.received[0].stats.zeros, after.received[handed[0].slot].stats.zeros
    count = math.prod(dim for dim in spec.shape if isinstance(dim, int)) if spec is not None else 0
    if zeros < 0 or more <= zeros or more > count:
        return ""
    words = translate("Inspector", "{part} of the entries are stopped here: the unit was off in forward.")
    return words.format(part=f"{(more - zeros) / count:.0%}".replace("%", " %"))


def _input_shape(facts: PassFacts, node: int) -> str:
    """The shape of the node's first input, as the node that made it has it; 'input.shape' where that isn't known."""
    for edge, handed in zip(facts.out_edges(node), facts.handed(node)):
        if int(facts.graph.index[edge]) == 0 and handed.spec is not None:
            return shape_text(handed.spec.shape)
    return "input.shape"
