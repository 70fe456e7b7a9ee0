"""dtype-mismatch, index-out-of-range, out-of-memory, hook-on-no-grad: calls that refused, but not for a shape."""

from __future__ import annotations

import ast
import re
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.marking import at_call
from gradviz.diagnose.naming import listed, operand_name, operand_place
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.forward import first_sentence
from gradviz.diagnose.rules.functional import function_call
from gradviz.diagnose.source import Place, called_name, root_name
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_PARAMETER

_BOUNDS = re.compile(r"index (-?\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)")
_TARGET = re.compile(r"Target (-?\d+) is out of bounds")
_BYTES = re.compile(r"tried to allocate (\d+) bytes|Tried to allocate ([\d.]+ \w+)")
_TYPES = {
    "Double": "float64",
    "Float": "float32",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "Byte": "uint8",
    "Short": "int16",
}
_REAL = ("float", "bfloat", "complex")
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_NAMES = re.compile(r"\b(" + "|".join(_TYPES) + r")\b")
_LISTED = re.compile(
    r"(?:dtype to be|scalar types?:) ([A-Z]\w*)(?:(?:, | or )\w+)*[;,] but got "
    r"(?:torch\.)?(?:\w+\.)?(\w+?)(?:Tensor)?\b"
)
_CASTS = {
    "float32": ".float()",
    "float64": ".double()",
    "int64": ".long()",
    "float16": ".half()",
    "bfloat16": ".bfloat16()",
}


def call_place(case: Case, op: model.Op | None, error: model.ExceptionInfo) -> Place:
    return case.place(op.stack if op is not None and op.stack else error.stack)


def worker_place(case: Case, error: model.ExceptionInfo) -> Place | None:
    """The person's innermost line of a traceback that another process sent along in the message."""
    if "Original Traceback" not in error.message:
        return None
    for file, line in reversed(_FRAME.findall(error.message)):
        if case.code(file) is not None:
            return Place(file, int(line))
    return None


def dtype(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    expected, received, blamed = _types(op, error.message)
    name = (operand_name(case, op, blamed) if op is not None and blamed < len(op.operands) else "") or case.words(
        "the-tensor"
    )
    place = call_place(case, op, error)
    line = place.line
    made = operand_place(case, op, blamed) if op is not None and blamed < len(op.operands) else None
    if made is not None and expected != received:
        place = made
    cast = _CASTS.get(str(expected), f".to(torch.{expected})" if expected else ".float()")
    gradient_type = "require gradients" in error.message
    return exam.writer.write(
        "dtype-mismatch",
        "error",
        place,
        "dtype-no-gradient" if gradient_type else "dtype-mismatch",
        {
            "op": plain(op.name) if op is not None else case.words("the-call"),
            "name": name,
            "expected": expected or case.words("another-dtype"),
            "received": received or case.words("its-dtype"),
            "line": line,
            "reason": first_sentence(exam.case, error.message),
            "new": f"{name} = {name}{cast}" if name.isidentifier() else f"{tight(name)}{cast}",
        },
        op=plain(op.name) if op is not None else "",
        expected_shape=expected or None,
        received_shape=received or None,
        symptom_line=line if line != place.line else None,
        **at_call(exam, op, error, blamed, expected or None, received or None),
        **raised(error),
    )


def swapped(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding | None:
    """The finding for F.embedding with its table where the indices are due."""
    call = function_call(exam.case, op) if op is not None else None
    if op is None or call is None or call.name != "embedding" or len(op.operands) < 2:
        return None
    first, second = op.operands[0].spec.dtype, op.operands[1].spec.dtype
    if not first.startswith(_REAL) or second.startswith(_REAL):
        return None
    table, indices = call.named("input"), call.named("weight")
    new = f"{call.text}({indices}, {table})"
    parts = {"call": call.text, "first": table, "kind": first, "second": indices, "other": second, "new": new}
    return exam.writer.write(
        "dtype-mismatch",
        "error",
        call_place(exam.case, op, error),
        "functional-swapped",
        parts,
        op=call.name,
        expected_shape="int64",
        received_shape=first,
        changes=replacement(call.code, call.code.place(call.call.node), new) if len(op.operands) == 2 else (),
        **at_call(exam, op, error, 0, "int64", first),
        **raised(error),
    )


def _types(op: model.Op | None, message: str) -> tuple[str, str, int]:
    """What was expected, what was given, and the operand to blame: the data, not the parameter."""
    listed = _LISTED.search(message)
    if op is not None and listed is not None:
        first, second = (_TYPES.get(word, word) for word in listed.groups())
        return first, second, _of_dtype(op, second, message)
    if op is not None:
        kinds = [v.spec.dtype for v in op.operands]
        parameter = next((v for v in op.operands if v.flags & VALUE_PARAMETER), None)
        for index, value in enumerate(op.operands):
            if parameter is not None and value.spec.dtype != parameter.spec.dtype and not value.flags & VALUE_PARAMETER:
                return parameter.spec.dtype, value.spec.dtype, index
        wanted = re.search(
            r"expected (?:scalar type|dtype|tensor to have .*dtype)? ?(\w+) but (?:found|got) (\w+)", message, re.I
        )
        if wanted is not None:
            first, second = (_TYPES.get(w.capitalize(), _TYPES.get(w, w)) for w in wanted.groups())
            index = next((i for i, k in enumerate(kinds) if k == second), len(kinds) - 1)
            return first, second, max(index, 0)
        if len(set(kinds)) > 1 and len(kinds) >= 2:
            return (
                kinds[0],
                next(k for k in kinds if k != kinds[0]),
                next(i for i, k in enumerate(kinds) if k != kinds[0]),
            )
        if kinds and not kinds[0].startswith(("float", "bfloat", "complex")):
            return "float32", kinds[0], 0
    named = [_TYPES[n] for n in _NAMES.findall(message)]
    if len(named) >= 2:
        return named[1], named[0], 0
    return ("float32", named[0], 0) if named else ("", "", 0)


def _of_dtype(op: model.Op, dtype: str, message: str) -> int:
    """The operand that is meant: one of this dtype that the message names, else the last that is no parameter."""
    found = [i for i, v in enumerate(op.operands) if v.spec.dtype == dtype and not v.flags & VALUE_PARAMETER]
    named = [i for i in found if op.operands[i].name and re.search(rf"\b{re.escape(op.operands[i].name)}\b", message)]
    return (named or found or [0])[-1]


def index(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    place = worker_place(case, error) or call_place(case, op, error)
    bounds, target = _BOUNDS.search(error.message), _TARGET.search(error.message)
    expected: Any = None
    received: Any = None
    parts: dict[str, object] = {
        "op": plain(op.name) if op is not None else case.words("the-call"),
        "reason": first_sentence(exam.case, error.message),
    }
    phrase = "index-other"
    if bounds is not None:
        size = int(bounds.group(3))
        expected, received, phrase = f"index 0..{size - 1}", f"index {bounds.group(1)}", "index-bounds"
        parts |= {"index": bounds.group(1), "dim": bounds.group(2), "size": size, "last": size - 1}
    elif op is not None and plain(op.name) == "embedding" and len(op.operands) >= 2:
        table = next((v for v in op.operands if v.flags & VALUE_PARAMETER), op.operands[-1])
        rows = table.spec.shape[0] if table.spec.shape else "?"
        data = next((i for i, v in enumerate(op.operands) if v is not table), 0)
        phrase, expected = "index-embedding", f"index 0..{rows - 1}" if isinstance(rows, int) else None
        call = function_call(case, op)
        if call is not None and isinstance(rows, int):
            phrase = "functional-index"
            parts |= {"call": call.text, "weight": call.named("weight"), "last": rows - 1}
            parts["new"] = case.words("rows-for-each", name=call.named("weight"), index=call.named("input"))
        parts |= {"rows": rows, "name": operand_name(case, op, data) or case.words("the-index")}
    elif target is not None and op is not None and op.operands:
        classes = op.operands[0].spec.shape[1] if len(op.operands[0].spec.shape) > 1 else op.operands[0].spec.shape[-1:]
        phrase, expected, received = (
            "index-target",
            f"index 0..{classes - 1}" if isinstance(classes, int) else None,
            f"index {target.group(1)}",
        )
        parts |= {
            "index": target.group(1),
            "classes": classes,
            "last": classes - 1 if isinstance(classes, int) else "?",
            "name": (operand_name(case, op, 1) if len(op.operands) > 1 else "") or case.words("the-target"),
        }
    return exam.writer.write(
        "index-out-of-range",
        "error",
        place,
        phrase,
        parts,
        op=plain(op.name) if op is not None else "",
        expected_shape=expected,
        received_shape=received,
        **at_call(exam, op, error, 0, expected, received),
        **raised(error),
    )


def memory(
    exam: Examination,
    op: model.Op | None,
    error: model.ExceptionInfo,
    fields: dict[str, Any] | None = None,
    **more: Any,
) -> Finding:
    case = exam.case
    place = call_place(case, op, error)
    asked = _BYTES.search(error.message)
    amount = ""
    if asked is not None:
        amount = f" ({_human(int(asked.group(1)))})" if asked.group(1) else f" ({asked.group(2)})"
    code = case.code(place.file)
    written = code.short(case.op_expression(op)) if code is not None and op is not None else ""
    if not written and code is not None:
        written = code.line(place.line).strip()
    known = {"op": plain(op.name)} if op is not None else {}
    return exam.writer.write(
        "out-of-memory",
        "error",
        place,
        "out-of-memory",
        {"op": written or "A call", "amount": amount},
        **(known | raised(error) | (fields or {}) | more),
    )


def _human(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{count} bytes"


def hook_without_grad(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    call = call_place(case, op, error)
    code = case.code(call.file)
    statement = code.statement(call.line) if code is not None else None
    name = operand_name(case, op, 0) if op is not None and op.operands else ""
    hooks = (
        [n for n in ast.walk(statement) if isinstance(n, ast.Call) and called_name(n) == "register_hook"]
        if statement
        else []
    )
    receiver = hooks[0].func.value if hooks and isinstance(hooks[0].func, ast.Attribute) else None
    if code is not None and receiver is not None and not name:
        name = code.short(receiver)
    bound = last_assignment(code, root_name(receiver), receiver) if code is not None and receiver is not None else None
    place = code.place(bound) if code is not None and bound is not None else call
    return exam.writer.write(
        "hook-on-no-grad",
        "error",
        place,
        "hook-on-no-grad",
        {"name": name or case.words("the-tensor")},
        op="register_hook",
        symptom_line=call.line,
        **raised(error),
    )


def device(exam: Examination, op: model.Op, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    place = call_place(case, op, error)
    devices = sorted({v.spec.device for v in op.operands})
    blamed = next((i for i, v in enumerate(op.operands) if not v.flags & VALUE_PARAMETER), 0)
    parameter = next((v for v in op.operands if v.flags & VALUE_PARAMETER), op.operands[-1])
    return exam.writer.write(
        "uncaught-exception",
        "error",
        place,
        "uncaught-device",
        {
            "op": plain(op.name),
            "devices": listed(case, devices),
            "name": operand_name(case, op, blamed) or "data",
            "device": parameter.spec.device,
        },
        op=plain(op.name),
        **at_call(exam, op, error, blamed, None, None),
        **raised(error),
    )


def shapes_of(op: model.Op) -> str:
    return ", ".join(shapes.text(v.spec.shape) for v in op.operands)
