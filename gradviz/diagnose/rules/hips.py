"""What goes wrong while HIPS autograd traces a function: values that can't be boxed, and boxes in the wrong hands."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, raised_at_call, replacement
from gradviz.diagnose.dataflow import last_assignment
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding, Mark
from gradviz.diagnose.rules import hips_vjp
from gradviz.diagnose.source import Code, as_call, called_name
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

FRAMEWORK = "autograd"  # what the recorder puts into an exception's detail
_NO_BOX = re.compile(r"Can't differentiate w\.r\.t\. type <class '(?:numpy\.)?(\w+)'>")
_NOT_SCALAR = re.compile(r"only applies to real")
_MISSING = re.compile(r"^[VJ]+P of (\w+) wrt argnums? (.+?) not defined")
_BOX = re.compile(r"\w*Box\b")
PLAIN_MATHS = ("math", "cmath")
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
        return _assignment(exam, error, code, written)
    return _foreign_call(exam, error, code, statement)


def _assignment(exam: Examination, error: model.ExceptionInfo, code: Code, target: ast.Subscript) -> Finding:
    case = exam.case
    name = code.short(target.value) or "an array"
    into_box = "does not support item assignment" in error.message
    new = f"{name} = np.where(mask, ..., {name})" if into_box else f"{name} = np.array([...])  # all entries at once"
    place = case.place(error.stack)
    return exam.writer.write(
        "hips-array-assignment",
        "error",
        place,
        "hips-assignment",
        {"line": place.line, "target": code.short(target) or name, "new": new},
        node="setitem",
        op="setitem",
        **_standing(exam, error),
        **raised(error),
    )


def _foreign_call(
    exam: Examination, error: model.ExceptionInfo, code: Code | None, statement: ast.stmt | None
) -> Finding:
    """A function that isn't autograd's was given a box."""
    case = exam.case
    place = case.place(error.stack)
    expression = case.expression(error.stack[0])
    calls = [n for n in ast.walk(expression or statement or ast.Module([], [])) if isinstance(n, ast.Call)]
    call = calls[0] if calls else None
    written = code.short(call.func) if code is not None and call is not None else ""
    callee = str(error.detail.get("callee") or "")
    library = str(error.detail.get("library") or "")
    name = callee if "." in callee and library.partition(".")[0] != "numpy" else ""
    op = plain(called_name(call)) if call is not None else callee
    from_numpy = library.startswith("numpy") or (code is not None and call is not None and _is_numpy(code, call))
    imported = _numpy_import(code) if code is not None else None
    if from_numpy and imported is not None:
        new = f"import autograd.numpy as {imported[1]}"
        return exam.writer.write(
            "hips-plain-numpy", "error", place, "hips-plain-numpy-raised",
            {"callee": written or callee, "line": place.line, "new": new},
            node=op, op=op, **_standing(exam, error), **raised(error),
        )  # fmt: skip
    return exam.writer.write(
        "hips-box-to-float",
        "error",
        place,
        "hips-box",
        {"callee": written or name or callee or "The code", "line": place.line, "new": _unboxed_call(code, call, name)},
        node=name or op,
        op=op,
        **_standing(exam, error),
        **raised(error),
    )


def _unboxed_call(code: Code | None, call: ast.Call | None, name: str) -> str:
    """The same function of autograd.numpy, or a primitive made of the foreign one."""
    function = as_call(call)
    receiver = function.receiver if function is not None else None
    if code is not None and function is not None and isinstance(receiver, ast.Name) and receiver.id in PLAIN_MATHS:
        arguments = ", ".join(code.text(a) for a in function.positional)
        return f"np.{function.function}({arguments})"
    if code is not None and function is not None and function.function in ("float", "int"):
        return f"{code.text(function.positional[0]) if function.positional else 'x'}  # without {function.function}()"
    return f"Wrap it: @primitive, then defvjp({(name or 'f').partition('.')[0].lower()}, ...) with its derivative."


def _is_numpy(code: Code, call: ast.Call) -> bool:
    found = _numpy_import(code)
    node: ast.expr = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    return found is not None and isinstance(node, ast.Name) and node.id == found[1]


def _numpy_import(code: Code) -> tuple[ast.stmt, str] | None:
    """The statement that imports plain numpy, and the name that it has then."""
    for statement in code.statements():
        for alias in statement.names if isinstance(statement, ast.Import) else ():
            if alias.name == "numpy":
                return statement, alias.asname or alias.name
    return None


def _standing(exam: Examination, error: model.ExceptionInfo) -> dict[str, object]:
    """The graph that stood when the call raised, and its newest node marked."""
    stood = next((p for p in exam.case.passes if p.exception == error.id and p.phase == "forward"), None)
    if stood is None:
        return {}
    node = stood.roots[0].node if stood.roots else -1
    return {"pass_id": stood.id, "marks": (Mark("node", node),) if node >= 0 else ()}


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
        {"op": name, "line": place.line, "arguments": f"argument {match.group(2).strip('(),')}"},
        node=name,
        op=name,
        **_standing(exam, error),
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
    name, new = "The input", "Give it floating point numbers: x.astype(float)."
    expression = case.expression(frame) if frame is not None else None
    call = as_call(expression) if expression is not None else None
    if code is not None and call is not None and call.positional:
        argument = call.positional[0]
        name = code.short(argument) or name
        new = f"{name}.astype(float)" if isinstance(argument, ast.Name) else "float(...)"
        bound = last_assignment(code, argument.id, argument) if isinstance(argument, ast.Name) else None
        if bound is not None:
            place = code.place(bound)
    return exam.writer.write(
        "dtype-mismatch",
        "error",
        place,
        "hips-integer",
        {"name": name, "dtype": dtype, "new": new},
        op="grad",
        expected_shape="float64" if integers else "a number",
        received_shape=dtype,
        **raised(error),
    )


def _non_scalar(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding:
    case, port = exam.case, backward.roots[0]
    node = case.node(backward.id, port.node)
    op = case.node_op(node)
    place = case.place(op.stack if op is not None and op.stack else backward.stack)
    code = case.code(place.file)
    statement = code.statement(place.line) if code is not None else None
    value = statement.value if isinstance(statement, ast.Return) else None
    text = code.short(value) if code is not None else ""
    new = f"return np.sum({text})" if text else "np.sum(...) of what the function returns"
    changes = replacement(code, code.place(value), f"np.sum({text})") if code is not None and text else ()
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


def objects(exam: Examination) -> list[Finding]:
    """Results that plain numpy made arrays of objects of: their gradient is zero without an error."""
    found: list[Finding] = []
    for note in exam.case.trace.notes():
        if note.kind != "hips-objects":
            continue
        code = next((c for c in (exam.case.code(f.file) for f in note.stack) if c is not None), None)
        imported = _numpy_import(code) if code is not None else None
        place = exam.case.place(note.stack)
        changes: tuple[Change, ...] = ()
        if code is not None and imported is not None:
            place = code.place(imported[0])
            changes = replacement(code, place, f"import autograd.numpy as {imported[1]}")
        name = imported[1] if imported is not None else "np"
        found.append(
            exam.writer.write(
                "hips-plain-numpy",
                "error",
                place,
                "hips-plain-numpy",
                {
                    "name": name,
                    "shape": shapes.text(tuple(note.detail.get("shape") or ())),
                    "new": f"import autograd.numpy as {name}",
                },
                changes=changes,
                symptom_line=note.stack[0].line if note.stack else None,
            )
        )
    return found
