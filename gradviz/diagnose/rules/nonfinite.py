"""non-finite-gradient: the first node that was given finite gradients and handed on NaN or infinity."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.frameworks import own_fix
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules.nonfinite_origin import Suspect, bad_nodes, first_bad, kind_of, others, unrelated
from gradviz.diagnose.rules.nonfinite_spread import Spread
from gradviz.diagnose.tape_roots import mended_root
from gradviz.diagnose.vocabulary import plain, shown
from gradviz.trace import model

_MOST_EFFECTS = 3


def find(exam: Examination) -> Iterator[Finding]:
    """One finding for each line at which it begins; the passes that it spread to are its effects."""
    case = exam.case
    if _scaled(case):
        return
    spread = Spread(case)
    told: list[Finding] = []
    for backward in case.passes:
        suspect = first_bad(case, backward)
        if suspect is None:
            continue
        found = _finding(exam, backward, suspect)
        lines = {(each.file, each.line) for each in told}
        reached = spread.reaches(backward)  # asked of every pass, in order
        if told and reached:
            if (found.file, found.line) not in lines:  # the same line once more is no news
                told[-1] = _with_effect(told[-1], found)
        else:
            for each in _of_pass(exam, backward, suspect, found):
                if (each.file, each.line) not in lines:
                    told.append(each)
        spread.add(backward, suspect.node, bad_nodes(case.trace.steps(backward.id)))
    yield from told


def _of_pass(exam: Examination, backward: model.Backward, first: Suspect, found: Finding) -> list[Finding]:
    """The findings of one pass: where NaN or infinity arose first, and where it arose without that."""
    origins, findings = [first], [found]
    for other in others(exam.case, backward, first):
        its_own = _finding(exam, backward, other)
        if all(unrelated(exam.case, each, other) for each in origins):
            origins.append(other)
            findings.append(its_own)
        elif (its_own.file, its_own.line) != (found.file, found.line):
            findings[0] = _with_effect(findings[0], its_own)
    return findings


def _with_effect(cause: Finding, effect: Finding) -> Finding:
    """The cause, with what shows further on at another line."""
    if effect.message in cause.effects or len(cause.effects) >= _MOST_EFFECTS:
        return cause
    return replace(cause, effects=(*cause.effects, effect.message))


def _scaled(case: Case) -> bool:
    """Gradient scaling looks for infinities itself and skips the step: they are part of its way of working."""
    return any(op.name.startswith("_amp_") for op in case.ops)


def _finding(exam: Examination, backward: model.Backward, found: Suspect) -> Finding:
    case, node = exam.case, found.node
    op = case.node_op(node)
    place = case.place(op.stack if op is not None else backward.stack)
    name = (operand_name(case, op, 0) if op is not None and op.operands else "") or case.words("its-input")
    code = case.code(place.file)
    expression = code.short(case.op_expression(op)) if code is not None and op is not None else ""
    mended = mended_root(case, node)
    kind = "norm" if mended else found.kind
    phrase = f"non-finite-{kind}" if kind else "non-finite"
    shown_by = found.shown_by or node
    if found.shown_by is not None:
        phrase = "non-finite-masked"
    what = "NaN" if found.nans > 0 else "infinity"
    second = (operand_name(case, op, 1) if op is not None and len(op.operands) > 1 else "") or case.words("the-divisor")
    if kind == "div" and op is not None:
        name, second = _quotient(case, op) or (name, second)
    target = case.node(backward.id, found.target)
    parts: dict[str, object] = {
        "node": node.name,
        "op": shown(op.name) if op is not None else node.name,
        "name": name,
        "second": second,
        "expression": expression or (shown(op.name) if op is not None else node.name),
        "what": what,
        "line": place.line,
        "target": target.name,
        "shown_by": shown_by.name,
    }
    return exam.writer.write(
        "non-finite-gradient",
        "error",
        place,
        phrase,
        parts,
        **({"fix": mended} if mended else own_fix(case, op, phrase, parts)),
        pass_id=backward.id,
        step=found.step,
        node=node.name,
        op=shown(op.name) if op is not None else "",
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("edge", found.target, found.slot, shown_by.index, "finite", what), Mark("node", node.index)),
    )


def _quotient(case: Case, op: model.Op) -> tuple[str, str] | None:
    """Dividend and divisor as they are written; of 1 / x and x.reciprocal() too, which are given x alone."""
    code, written = case.code(op.stack[0].file) if op.stack else None, case.op_expression(op)
    if code is None:
        return None
    if isinstance(written, ast.BinOp) and isinstance(written.op, ast.Div):
        parts = code.short(written.left), code.short(written.right)
        return parts if all(parts) else None
    return ("1", operand_name(case, op, 0)) if plain(op.name) == "reciprocal" and operand_name(case, op, 0) else None


def raised_by_anomaly(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo
) -> Finding:
    """Anomaly mode raised at this node."""
    op = exam.case.node_op(node)
    kind = kind_of(exam.case, node)
    step = exam.case.steps_of(backward.id).get(node.index, 0)
    suspect = Suspect(node, step, node.index, 0, 1, 0, kind if op is not None else "")
    return _finding(exam, backward, suspect)
