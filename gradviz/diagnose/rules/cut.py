"""detached, missing-create-graph, constant-derivative: an output that hangs on nothing, or on less than it should."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose.ancestry import Cut, ancestors, cuts, leaves_behind
from gradviz.diagnose.build import new_line, raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.modules import leaf_label
from gradviz.diagnose.naming import operand_name, value_name
from gradviz.diagnose.rules.copied import cut_behind
from gradviz.diagnose.rules.cut_fix import mend, mended, shown
from gradviz.diagnose.rules.higher_order import (
    constant,
    fields_of,
    is_gradient_call,
    no_create_graph,
    pass_of,
    root_name_of,
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
    if found:
        cut = explicit[0] if explicit else found[-1]
        return _cut(exam, backward, error, index, cut)
    if _without_grad(case, port.value):
        return _no_grad_mode(exam, backward, error, index)
    return _nothing_required(exam, backward, error, index)


def from_leaf(exam: Examination, backward: model.Backward) -> Finding | None:
    """Backward from what was made to require grad after the graph behind it was cut: nothing raises, and no parameter
    gets a gradient.
    """
    if backward.outcome != "completed" or backward.phase == "forward":
        return None
    if backward.nodes:
        found = cut_behind(exam.case, backward)
        return _cut(exam, backward, None, 0, _likeliest(found)) if found else None
    for index, port in enumerate(backward.roots):
        found = cuts(exam.case, port.value) if port.node < 0 and port.requires_grad else []
        if found:
            return _cut(exam, backward, None, index, _likeliest(found))
    return None


def is_idle(leaf: model.Leaf) -> bool:
    """Whether it asks for a gradient and never got one."""
    return leaf.requires_grad and not leaf.in_graph and leaf.grad_spec is None


def _likeliest(found: list[Cut]) -> Cut:
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


def _cut(
    exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None, index: int, cut: Cut
) -> Finding:
    case, op = exam.case, cut.op
    place = case.place(op.stack)
    replaced = rebound(case, op)
    if replaced is not None:
        return _replaced(exam, backward, error, index, op, replaced)
    if cut.no_grad:
        return _no_grad_mode(exam, backward, error, index, op)
    name = operand_name(case, op, cut.operand) or case.words("the-value")
    return exam.writer.write(
        "detached",
        "error",
        place,
        cut_phrase(op),
        {
            "root": root_name_of(exam, backward, index),
            "name": name,
            "op": shown(case, op),
            "line": place.line,
            "call": backward.stack[0].line if backward.stack else "?",
            "new": mend(case, op, name),
        },
        changes=mended(case, op, name),
        op=plain(op.name).strip("_"),
        **fields_of(exam, backward, error),
    )


def _replaced(
    exam: Examination,
    backward: model.Backward,
    error: model.ExceptionInfo | None,
    index: int,
    op: model.Op,
    found: Rebound,
) -> Finding:
    return exam.writer.write(
        "detached",
        "error",
        found.place,
        "cut-rebound",
        {
            "root": root_name_of(exam, backward, index),
            "name": found.name,
            "line": found.place.line,
            "new": found.new,
        },
        changes=new_line(exam.case.code(found.place.file), found.place.line, found.new),
        op=plain(op.name).strip("_"),
        **fields_of(exam, backward, error),
    )


def _without_grad(case: Case, value: int) -> bool:
    return any(op.flags & (OP_NO_GRAD | OP_INFERENCE) for op in ancestors(case, value))


def _no_grad_mode(
    exam: Examination,
    backward: model.Backward,
    error: model.ExceptionInfo | None,
    index: int,
    op: model.Op | None = None,
) -> Finding:
    case = exam.case
    if op is None:
        made = [o for o in ancestors(case, backward.roots[index].value) if o.flags & (OP_NO_GRAD | OP_INFERENCE)]
        op = made[-1] if made else None
    place = case.place(op.stack if op is not None else backward.stack)
    switch = switched_off(case, op.stack) if op is not None else None
    return exam.writer.write(
        "detached",
        "error",
        switch[0] if switch is not None else place,
        "cut-no-grad",
        {
            "root": root_name_of(exam, backward, index),
            "switch": switch[1] if switch is not None else "no_grad",
            "line": place.line,
            "op": plain(op.name) if op is not None else "it",
        },
        op=plain(op.name) if op is not None else "",
        **fields_of(exam, backward, error),
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


def _nothing_required(
    exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None, index: int
) -> Finding:
    """No cut was found: nothing that the output was computed from asks for a gradient."""
    case = exam.case
    behind = leaves_behind(case, backward.roots[index].value)
    parameters = [leaf for leaf in case.leaves if leaf.value in behind and leaf.kind == "parameter"]
    frozen = _frozen_at(case, behind)
    if frozen is not None:
        place, line = frozen
        names = ", ".join(leaf_label(case, leaf) for leaf in parameters[:3] if leaf.name) or case.words(
            "the-parameters"
        )
        return exam.writer.write(
            "detached",
            "error",
            place,
            "cut-frozen",
            {"root": root_name_of(exam, backward, index), "names": names, "line": place.line, "text": line},
            op="requires_grad",
            node="",
            **fields_of(exam, backward, error),
        )
    place, name = _first_made(case, behind, backward)
    return exam.writer.write(
        "detached",
        "error",
        place,
        "cut-never-required",
        {
            "root": root_name_of(exam, backward, index),
            "name": name or case.words("to-differentiate-by"),
            "call": backward.stack[0].line if backward.stack else "?",
        },
        op="requires_grad",
        **fields_of(exam, backward, error),
    )


def _frozen_at(case: Case, behind: set[int]) -> tuple[Place, str] | None:
    for op in reversed(case.ops):
        name = plain(op.name)
        if name != "requires_grad" or not any(v.number in behind for v in op.operands):
            continue
        value = op.arguments.get("value", op.arguments.get("requires_grad", op.arguments.get("mode", False)))
        if value in (False, "False") and op.stack:
            place = case.place(op.stack)
            code = case.code(place.file)
            return place, code.line(place.line).strip() if code is not None else ""
    for leaf in case.leaves:
        if leaf.value in behind and leaf.kind == "parameter" and not leaf.requires_grad:
            found = _frozen_in_text(case)
            if found is not None:
                return found
    return None


def _frozen_in_text(case: Case) -> tuple[Place, str] | None:
    code = case.code(case.run.script or case.run.target)
    if code is None:
        return None
    for number, line in enumerate(code.lines, 1):
        if re.search(r"requires_grad\s*=\s*False|requires_grad_\(False\)", line):
            return Place(code.path, number), line.strip()
    return None


def _first_made(case: Case, behind: set[int], backward: model.Backward) -> tuple[Place, str]:
    """Where the floating-point inputs were made; the call of backward where that isn't known."""
    for number in sorted(behind):
        op = case.origin(number)
        floating = op is not None and any(r.spec.dtype.startswith(("float", "bfloat", "complex")) for r in op.results)
        if op is not None and op.stack and floating:
            taken_over = [r.number for one in case.users(number) if plain(one.name) in COPIERS for r in one.results]
            name = next(filter(None, (value_name(case, each) for each in (number, *taken_over))), "")
            if name:
                return case.place(op.stack), name
    return case.place(backward.stack), ""


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
        {"name": name, "op": shown(case, op) if op is not None else ".numpy()"},
        op=plain(op.name).strip("_") if op is not None else "numpy",
        marks=(Mark("operand", -1, 0),),
        **raised(error),
    )
