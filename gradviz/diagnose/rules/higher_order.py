"""missing-create-graph and constant-derivative: gradients of gradients that have no graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call, replacement
from gradviz.diagnose.calls import pass_call, rewritten, root_text
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import OP_NO_GRAD, VALUE_PARAMETER, VALUE_REQUIRES_GRAD

_LETS_GO = frozenset({"detach", "data", "item", "numpy", "sign"})
_ARITHMETIC = frozenset({"add", "sub", "mul", "div", "rsub", "true_divide"})


def is_gradient_call(op: model.Op) -> bool:
    """torch.autograd.grad recorded as a call; reading x.grad has one operand and no list."""
    return op.name == "grad" and bool(op.results) and len(op.operands) >= 2


def pass_of(case: Case, gradient: model.Op) -> model.Backward | None:
    """The pass that a recorded call of autograd.grad ran."""
    same = [p for p in case.passes if p.stack[:1] == gradient.stack[:1] and p.inputs]
    values = {v.number for v in gradient.operands}
    exact = [
        p for p in same if values & {port.value for port in p.inputs} and values & {port.value for port in p.roots}
    ]
    chosen = exact or same
    return chosen[-1] if chosen else None


def fields_of(exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None) -> dict[str, Any]:
    more = {} if backward.outcome == "completed" else raised_at_call(error, backward.stack)
    return {"pass_id": backward.id, "symptom_line": backward.stack[0].line if backward.stack else None, **more}


def root_name_of(exam: Examination, backward: model.Backward, index: int) -> str:
    return root_text(exam.case, pass_call(exam.case, backward), backward, index)


def no_create_graph(
    exam: Examination,
    backward: model.Backward,
    error: model.ExceptionInfo | None,
    source: model.Backward,
    severity: str,
) -> Finding:
    case = exam.case
    called = pass_call(case, source)
    new = _with_create_graph(called)
    name = root_name_of(exam, backward, 0)
    result = ""
    if called.code is not None and called.call is not None:
        statement = called.code.statement_of(called.call.node)
        names = (
            [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            if statement
            else []
        )
        result = names[0] if names else ""
    return exam.writer.write(
        "missing-create-graph",
        severity,
        called.place,
        "missing-create-graph"
        if severity == "error" and backward.outcome != "completed"
        else "missing-create-graph-silent",
        {
            "root": name,
            "result": result or case.words("the-gradient"),
            "call": backward.stack[0].line if backward.stack else "?",
            "line": called.place.line,
            "new": new,
        },
        op="grad",
        changes=replacement(called.code, called.place, new) if called.call is not None else (),
        **fields_of(exam, backward, error),
    )


def _with_create_graph(called: Any) -> str:
    keep = called.call.keywords.get("retain_graph") if called.call is not None else None
    swap = called.call.keywords.get("create_graph") if called.call is not None else None
    if swap is not None:
        return rewritten(called, drop=keep, swap={swap: "True"})
    return rewritten(called, drop=keep, add="create_graph=True") or "torch.autograd.grad(..., create_graph=True)"


def constant(
    exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None, index: int, source: model.Backward
) -> Finding:
    case = exam.case
    node = case.node(source.id, source.roots[0].node) if source.roots and source.roots[0].node >= 0 else None
    op = case.node_op(node) if node is not None else None
    place = case.place(op.stack if op is not None and op.stack else backward.stack)
    name = root_name_of(exam, backward, index)
    return exam.writer.write(
        "constant-derivative",
        "warning",
        place,
        "constant-derivative",
        {
            "root": name,
            "line": source.stack[0].line if source.stack else "?",
            "call": backward.stack[0].line if backward.stack else "?",
        },
        node=node.name if node is not None else "",
        op=plain(op.name) if op is not None else "",
        **fields_of(exam, backward, error),
    )


def penalties(exam: Examination) -> Iterator[Finding]:
    """missing-create-graph without an error: gradients in a loss, with no way back.

    A number made of them and added to the loss; or the derivatives by what a net was given, which its equation takes
    together with what the net itself gave: the one has a graph, the other doesn't.
    """
    case = exam.case
    told: set[tuple[str, int]] = set()
    for op in case.ops:
        if not is_gradient_call(op) or any(r.flags & VALUE_REQUIRES_GRAD for r in op.results):
            continue
        source = pass_of(case, op)
        if source is None or source.create_graph:
            continue
        joined = _added_as_number(case, op) or _mixed_in(case, op, source)
        place = case.place(source.stack)
        if joined is None or (place.file, place.line) in told:
            continue
        used = _pass_with(case, joined)
        if used is not None:
            told.add((place.file, place.line))
            yield no_create_graph(exam, used, None, source, "error")


def _added_as_number(case: Case, gradient: model.Op) -> model.Op | None:
    """The call that adds a scalar made of the gradients alone to something that needs grad."""
    waiting = [(r.number, gradient.number) for r in gradient.results]
    seen: set[int] = set()
    while waiting and len(seen) < 300:
        value, after = waiting.pop(0)
        for op in case.users(value, after):
            if op.number in seen or is_gradient_call(op):
                continue
            seen.add(op.number)
            mixes = any(v.flags & VALUE_REQUIRES_GRAD for v in op.operands)
            mine = next(v for v in op.operands if v.number == value)
            if mixes:
                if (
                    plain(op.name) in ("add", "sub")
                    and shapes.count(mine.spec.shape) == 1
                    and value not in {r.number for r in gradient.results}
                    and not _is_step(op, gradient)
                ):
                    return op
                continue
            if plain(op.name) in _LETS_GO or op.flags & OP_NO_GRAD:
                continue
            waiting += [(r.number, op.number) for r in op.results]
    return None


def _is_step(op: model.Op, gradient: model.Op) -> bool:
    """Whether it moves what was differentiated by (x - rate * gradient): often meant to be of first order."""
    return bool({v.number for v in op.operands} & {v.number for v in gradient.operands})


def _mixed_in(case: Case, gradient: model.Op, source: model.Backward) -> model.Op | None:
    """The call that takes derivatives by a net's input together with what needs grad.

    What goes through a layer on its way is another input, made by the gradient: an adversarial one, say. A number
    that a gradient was measured to is a weight.
    """
    leaves = case.trace.graph(source.id).leaf
    if not any(0 <= at < len(case.leaves) and case.leaves[at].kind == "parameter" for at in leaves.tolist()):
        return None
    if any(v.flags & VALUE_PARAMETER for v in gradient.operands):
        return None
    waiting = [(r.number, gradient.number) for r in gradient.results]
    seen: set[int] = set()
    while waiting and len(seen) < 300:
        value, after = waiting.pop(0)
        for op in case.users(value, after):
            name = plain(op.name)
            if op.number in seen or is_gradient_call(op) or name in _LETS_GO or op.flags & OP_NO_GRAD:
                continue
            seen.add(op.number)
            if any(v.flags & VALUE_PARAMETER for v in op.operands):
                continue
            mine = next(v for v in op.operands if v.number == value)
            if any(v.flags & VALUE_REQUIRES_GRAD for v in op.operands):
                if name in _ARITHMETIC and shapes.count(mine.spec.shape) > 1 and not _is_step(op, gradient):
                    return op
                continue
            waiting += [(r.number, op.number) for r in op.results]
    return None


def _pass_with(case: Case, op: model.Op) -> model.Backward | None:
    for backward in case.passes:
        if bool((case.trace.graph(backward.id).op == op.number).any()):
            return backward
    return None
