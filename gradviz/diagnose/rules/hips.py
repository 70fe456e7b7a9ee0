"""What goes wrong while HIPS autograd traces a function: values that can't be boxed, and boxes in the wrong hands."""

from __future__ import annotations

import ast
import copy
import re

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, raised_at_call, replacement
from gradviz.diagnose.dataflow import last_assignment
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding, Mark
from gradviz.diagnose.hips_code import full_name, is_boxes, own_numpy
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules import hips_foreign, hips_objects, hips_vjp, hips_written
from gradviz.diagnose.rules.hips_objects import standing
from gradviz.diagnose.source import Code, as_call
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

FRAMEWORK = "autograd"  # what the recorder puts into an exception's detail
_NO_BOX = re.compile(r"Can't differentiate w\.r\.t\. type <class '(?:numpy\.)?(\w+)'>")
_NOT_SCALAR = re.compile(r"only applies to real")
_MISSING = re.compile(r"^[VJ]+P of (\w+) wrt argnums? (.+?) not defined")
_BOX = re.compile(r"\w*Box\b")
_UFUNC = re.compile("not supported for the input types")  # numpy of a box that scipy has made an object of
_OBJECT = re.compile(r"Cannot cast ufunc '\w+' input from dtype\('O'\)")  # numpy.linalg of a box
_INTEGERS = re.compile(r"u?int\d*|bool_?")


def is_hips(error: model.ExceptionInfo) -> bool:
    """Whether the error came out of autograd's tracing or backward pass."""
    return error.detail.get("framework") == FRAMEWORK


def explain(exam: Examination, error: model.ExceptionInfo, backward: model.Backward | None) -> Finding | None:
    """The finding for an error that has to do with autograd itself; None where the usual rules know better."""
    if backward is not None:
        if _NOT_SCALAR.search(error.message) and backward.roots:
            return _non_scalar(exam, backward, error)
        return hips_vjp.raised_in(exam, backward, error) if backward.outcome == "raised" else None
    if _NO_BOX.search(error.message):
        return _no_box(exam, error)
    if _MISSING.search(error.message):
        return _missing_vjp(exam, error)
    if error.detail.get("stage") == "vjp":
        return hips_vjp.made(exam, error)
    packed = hips_objects.reached(exam, error)
    if packed is not None:
        return packed
    if _UFUNC.search(error.message) and str(error.detail.get("library")).startswith("scipy"):
        return _boxed(exam, error)
    if _OBJECT.search(error.message) and str(error.detail.get("library")).startswith("numpy"):
        return _boxed(exam, error)
    if _BOX.search(error.message) or _BOX.search(error.text.rpartition("\n\n")[0] or error.text):
        return _boxed(exam, error)
    return None


def _statement(exam: Examination, error: model.ExceptionInfo) -> tuple[Code | None, ast.stmt | None]:
    code = exam.case.code(error.stack[0].file) if error.stack else None
    return code, code.statement(error.stack[0].line) if code is not None else None


def _boxed(exam: Examination, error: model.ExceptionInfo) -> Finding | None:
    """A box where none is understood."""
    if not error.stack:
        return None
    code, statement = _statement(exam, error)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    written = next((target for target in targets if isinstance(target, ast.Subscript)), None)
    if code is not None and written is not None and not error.detail.get("callee"):
        return hips_written.into(exam, error, code, written)
    return hips_foreign.call(exam, error, code, statement)


def _missing_vjp(exam: Examination, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    match = _MISSING.search(error.message)
    assert match is not None
    op = case.op_by_number.get(error.op) if error.op is not None else None
    place = case.place(op.stack if op is not None and op.stack else error.stack)
    name = op.name if op is not None else match.group(1)
    return exam.writer.write(
        "hips-missing-vjp",
        "error",
        place,
        "hips-missing-vjp",
        {
            "op": name,
            "line": place.line,
            "arguments": case.words("argument-number", number=match.group(2).strip("(),")),
        },
        node=name,
        op=name,
        **standing(exam, error),
        **raised(error),
    )


def _no_box(exam: Examination, error: model.ExceptionInfo) -> Finding:
    """A value of a type that can't be boxed: integers as a rule, given by the script itself."""
    case = exam.case
    match = _NO_BOX.search(error.message)
    assert match is not None
    dtype = match.group(1)
    integers = bool(_INTEGERS.fullmatch(dtype))
    frame = error.stack[-1] if error.stack else None
    place = case.place((frame,) if frame is not None else ())
    code = case.code(place.file)
    name, new = case.words("the-input-first"), case.words("floating-point")
    changes: tuple[Change, ...] = ()
    expression = case.expression(frame) if frame is not None else None
    call = as_call(expression) if expression is not None else None
    if code is not None and call is not None and call.positional:
        argument = call.positional[0]
        name = code.short(argument) or name
        new = _floating(code, argument, dtype)
        changes = replacement(code, code.place(argument), new)
        bound = last_assignment(code, argument.id, argument) if isinstance(argument, ast.Name) else None
        if bound is not None:
            place, changes = code.place(bound), ()
    return exam.writer.write(
        "dtype-mismatch",
        "error",
        place,
        "hips-integer",
        {"name": name, "dtype": dtype, "new": new},
        op="grad",
        expected_shape="float64" if integers else "a number",
        received_shape=dtype,
        changes=changes,
        **raised(error),
    )


class _Floats(ast.NodeTransformer):
    """Whole numbers as floating point numbers."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(float(node.value)) if type(node.value) is int else node


def _floating(code: Code, argument: ast.expr, dtype: str) -> str:
    """The same input in floating point numbers: literals written so, all else converted."""
    call = as_call(argument) if isinstance(argument, ast.Call) else None
    first = call.positional[0] if call is not None and len(call.positional) == 1 and not call.keywords else argument
    made = call is not None and is_boxes(full_name(code, call.node.func)) and call.function in ("array", "asarray")
    parts = {type(n) for n in ast.walk(first)} - {ast.Load, ast.UnaryOp, ast.USub}
    if (call is None or made) and parts <= {ast.Constant, ast.List, ast.Tuple}:
        return ast.unparse(_Floats().visit(copy.deepcopy(argument)))
    text = code.text(argument)
    return f"float({text})" if dtype in ("int", "bool") else f"{tight(text)}.astype(float)"


def _non_scalar(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding:
    case, port = exam.case, backward.roots[0]
    node = case.node(backward.id, port.node)
    op = case.node_op(node)
    place = case.place(op.stack if op is not None and op.stack else backward.stack)
    code = case.code(place.file)
    statement = code.statement(place.line) if code is not None else None
    value = statement.value if isinstance(statement, ast.Return) else None
    text = code.short(value) if code is not None else ""
    total = f"{own_numpy(code)}.sum({text or '...'})"
    new = f"return {total}" if text else case.words("sum-of-returned", total=total)
    changes = replacement(code, code.place(value), total) if code is not None and text else ()
    return exam.writer.write(
        "implicit-non-scalar",
        "error",
        place,
        "hips-non-scalar",
        {
            "function": "grad()" if error.message.startswith("Grad") else error.message.partition(" ")[0] + "()",
            "received": shapes.text(port.spec.shape),
            "count": shapes.count(port.spec.shape),
            "new": new,
        },
        pass_id=backward.id,
        node=node.name,
        op=plain(op.name) if op is not None else "",
        expected_shape=(),
        received_shape=port.spec.shape,
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("seed", port.node, port.slot, -1, (), port.spec.shape),),
        changes=changes,
        **raised_at_call(error, backward.stack),
    )
