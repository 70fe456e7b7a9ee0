"""detached, missing-create-graph, constant-derivative: an output that hangs on nothing, or on less than it should."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose.ancestry import Cut, ancestors, cuts
from gradviz.diagnose.build import new_line, raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules.copied import cut_behind
from gradviz.diagnose.rules.cut_fix import as_written, mend, mended
from gradviz.diagnose.rules.ends import End, end_of
from gradviz.diagnose.rules.frozen import nothing_required
from gradviz.diagnose.rules.higher_order import (
    constant,
    is_gradient_call,
    no_create_graph,
    pass_of,
)
from gradviz.diagnose.rules.rebound import Rebound, rebound
from gradviz.diagnose.source import Place, called_name
from gradviz.diagnose.vocabulary import COMPARISONS, COPIERS, LEAVES_FOR_PYTHON, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_INFERENCE, OP_NO_GRAD

NO_GRAPH = re.compile(r"does not require grad and does not have a grad_fn")


def no_graph(exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None) -> Finding:
    """The finding for an output that no gradient can flow from."""
    case = exam.case
    index = next((i for i, port in enumerate(backward.roots) if not port.requires_grad), 0)
    port = backward.roots[index]
    found = cuts(case, port.value)
    explicit = [cut for cut in found if not cut.no_grad]
    gradient = next((op for op in ancestors(case, port.value) if is_gradient_call(op)), None)
    if gradient is not None and not explicit:
        source = pass_of(case, gradient)
        if source is not None and source.create_graph:
            return constant(exam, backward, error, index, source)
        if source is not None:
            return no_create_graph(exam, backward, error, source, "error")
    end = end_of(exam, backward, error, index)
    if found:
        return cut_finding(exam, end, likeliest(found))
    if _without_grad(case, port.value):
        return _no_grad_mode(exam, end)
    return nothing_required(exam, end)


def from_leaf(exam: Examination, backward: model.Backward) -> Finding | None:
    """Backward from what was made to require grad after the graph behind it was cut: nothing raises, and no parameter
    gets a gradient.
    """
    if backward.outcome != "completed" or backward.phase == "forward":
        return None
    if backward.nodes:
        found = cut_behind(exam.case, backward)
        return cut_finding(exam, end_of(exam, backward, None, 0), likeliest(found)) if found else None
    for index, port in enumerate(backward.roots):
        found = cuts(exam.case, port.value) if port.node < 0 and port.requires_grad else []
        if found:
            return cut_finding(exam, end_of(exam, backward, None, index), likeliest(found))
    return None


def is_idle(leaf: model.Leaf) -> bool:
    """Whether it asks for a gradient and never got one."""
    return leaf.requires_grad and not leaf.in_graph and leaf.grad_spec is None


def likeliest(found: list[Cut]) -> Cut:
    """The nearest that somebody wrote down as one."""
    return next((cut for cut in found if not cut.no_grad), found[-1])


def cut_phrase(op: model.Op) -> str:
    name = plain(op.name)
    if name in COMPARISONS:
        return "cut-comparison"
    if name in ("argmax", "argmin", "argsort", "multinomial", "bernoulli", "long", "int", "bool"):
        return "cut-choice"
    if name in LEAVES_FOR_PYTHON:
        return "cut-python"
    return "cut-copy" if name in COPIERS else "cut-detach"


def cut_finding(exam: Examination, end: End, cut: Cut) -> Finding:
    """The finding for an end that this call cut off from what asks for a gradient."""
    case, op = exam.case, cut.op
    place = case.place(op.stack)
    replaced = rebound(case, op)
    if replaced is not None:
        return _replaced(exam, end, op, replaced)
    if cut.no_grad:
        return _no_grad_mode(exam, end, op)
    name = operand_name(case, op, cut.operand) or case.words("the-value")
    return exam.writer.write(
        "detached",
        end.severity,
        place,
        cut_phrase(op),
        {
            "root": end.name,
            "name": name,
            "op": as_written(case, op),
            "line": place.line,
            "new": mend(case, op, name),
        },
        changes=mended(case, op),
        op=plain(op.name).strip("_"),
        **end.fields,
    )


def _replaced(exam: Examination, end: End, op: model.Op, found: Rebound) -> Finding:
    return exam.writer.write(
        "detached",
        end.severity,
        found.place,
        "cut-rebound",
        {"root": end.name, "name": found.name, "line": found.place.line, "new": found.new},
        changes=new_line(exam.case.code(found.place.file), found.place.line, found.new),
        op=plain(op.name).strip("_"),
        **end.fields,
    )


def _without_grad(case: Case, value: int) -> bool:
    return any(op.flags & (OP_NO_GRAD | OP_INFERENCE) for op in ancestors(case, value))


def _no_grad_mode(exam: Examination, end: End, op: model.Op | None = None) -> Finding:
    case = exam.case
    if op is None:
        made = [o for o in ancestors(case, end.value) if o.flags & (OP_NO_GRAD | OP_INFERENCE)]
        op = made[-1] if made else None
    place = case.place(op.stack if op is not None else end.stack)
    switch = switched_off(case, op.stack) if op is not None else None
    return exam.writer.write(
        "detached",
        end.severity,
        switch[0] if switch is not None else place,
        "cut-no-grad",
        {
            "root": end.name,
            "switch": switch[1] if switch is not None else "no_grad",
            "line": place.line,
            "op": plain(op.name) if op is not None else "it",
        },
        op=plain(op.name) if op is not None else "",
        **end.fields,
    )


def switched_off(case: Case, stack: model.Stack) -> tuple[Place, str] | None:
    """The `with` or decorator that turned gradients off round a call, in the nearest frame that has one."""
    names = {"no_grad", "inference_mode", "set_grad_enabled"}
    for frame in stack:
        code = case.code(frame.file)
        statement = code.statement(frame.line) if code is not None else None
        if code is None or statement is None:
            continue
        for above in code.parents(statement):
            if isinstance(above, (ast.With, ast.AsyncWith)):
                for item in above.items:
                    call = item.context_expr
                    if isinstance(call, ast.Call) and called_name(call) in names:
                        return code.place(call), code.text(call)
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for one in above.decorator_list:
                    if any(name in code.text(one) for name in names):
                        return code.place(one), code.text(one)
        for node in ast.walk(code.tree):
            if isinstance(node, ast.Call) and called_name(node) == "set_grad_enabled" and node.lineno < frame.line:
                return code.place(node), code.text(node)
    return None


def conversion(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    """numpy() and its kind, which refuse a tensor that needs grad."""
    case = exam.case
    place = case.place(op.stack if op is not None and op.stack else error.stack)
    name = (operand_name(case, op, 0) if op is not None and op.operands else "") or case.words("the-tensor")
    return exam.writer.write(
        "detached",
        "error",
        place,
        "cut-numpy-refused",
        {"name": name, "op": as_written(case, op) if op is not None else ".numpy()"},
        op=plain(op.name).strip("_") if op is not None else "numpy",
        marks=(Mark("operand", -1, 0),),
        **raised(error),
    )
