"""hips-box-to-float: a box of autograd's in the hands of code that doesn't know it, or asked for what it can't do."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose.build import raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.hips_code import BOXES, full_name, is_boxes, is_plain, like, name_of, own_numpy
from gradviz.diagnose.rules.hips_objects import numpy_import, standing
from gradviz.diagnose.source import Code, as_call, called_name
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

_CONTAINER = re.compile(r"\b(Sequence|Dict)Box\b")


def call(exam: Examination, error: model.ExceptionInfo, code: Code | None, statement: ast.stmt | None) -> Finding:
    """A function that isn't autograd's was given a box."""
    case = exam.case
    place = case.place(error.stack)
    expression = case.expression(error.stack[0]) or statement
    held = container(error)
    calls = [n for n in ast.walk(expression or ast.Module([], [])) if isinstance(n, ast.Call)]
    made = calls[0] if calls else None
    full = full_name(code, made.func) if code is not None and made is not None else ""
    callee = str(error.detail.get("callee") or "")
    library = str(error.detail.get("library") or "")
    name = callee if "." in callee and library.partition(".")[0] != "numpy" else ""
    op = plain(called_name(made)) if made is not None else callee
    written = code.short(made.func) if code is not None and made is not None else ""
    parts: dict[str, object] = {
        "callee": written or name or callee or exam.case.words("the-expression-first"),
        "line": place.line,
    }
    rule, phrase, new = "hips-box-to-float", "hips-box", ""
    if code is not None and held and made is None:
        phrase, new = "hips-container", _by_entries(exam.case, code, expression, held)
        parts |= container_parts(exam.case, held)
    elif code is not None and made is not None and (is_plain(full) or (library.startswith("numpy") and not full)):
        rule, phrase, new = _plain_numpy(exam.case, code, made, full, parts)
    elif code is not None and (made is None or is_boxes(full)):
        phrase, new = "hips-box-own", _own(exam.case, code, expression)
    else:
        new = _unboxed_call(exam.case, code, made, name)
    return exam.writer.write(
        rule, "error", place, phrase, parts | {"new": new},
        node=name or op, op=op, **standing(exam, error), **raised(error),
    )  # fmt: skip


def container(error: model.ExceptionInfo) -> str:
    """'Sequence' or 'Dict' where the box is one of those; "" for the box of an array."""
    match = _CONTAINER.search(error.message)
    return match.group(1) if match is not None else ""


def container_parts(case: Case, held: str) -> dict[str, object]:
    """What the phrases about boxes of containers call them."""
    if held == "Dict":
        return {"kind": "dict", "box": "DictBox", "access": "key"}
    return {"kind": case.words("list-or-tuple"), "box": "SequenceBox", "access": "index"}


def _by_entries(case: Case, code: Code, expression: ast.AST | None, held: str) -> str:
    name = next((n.id for n in ast.walk(expression) if isinstance(n, ast.Name)), "x") if expression else "x"
    if held == "Dict":
        return case.words("entries-of-dict", name=name)
    boxes = own_numpy(code)
    return case.words("entries-of-list", numpy=boxes, name=name)


def _plain_numpy(case: Case, code: Code, made: ast.Call, full: str, parts: dict[str, object]) -> tuple[str, str, str]:
    """Rule, phrase and fix."""
    boxes, found = name_of(code, BOXES), numpy_import(code)
    if found is not None and not boxes:
        return "hips-plain-numpy", "hips-plain-numpy-raised", f"import autograd.numpy as {found[1]}"
    if is_plain(full):
        parts["alias"] = own_numpy(code)
        return "hips-plain-numpy", "hips-box-plain-numpy", like(code, made)
    return "hips-box-to-float", "hips-box-own", _own(case, code, made)


def _own(case: Case, code: Code, expression: ast.AST | None) -> str:
    while isinstance(
        expression, (ast.Constant, ast.JoinedStr, ast.FormattedValue)
    ):  # parts have the place of the whole
        above = next(code.parents(expression), None)
        if not isinstance(above, (ast.JoinedStr, ast.FormattedValue)):
            break
        expression = above
    shown = [n for n in ast.walk(expression) if isinstance(n, ast.FormattedValue)] if expression is not None else []
    if shown:
        return case.words("plain-number", name=code.short(shown[0].value) or "x")
    return case.words("numbers-of-its-own")


def _unboxed_call(case: Case, code: Code | None, made: ast.Call | None, name: str) -> str:
    """The same function of autograd's, or a primitive made of the foreign one."""
    function = as_call(made)
    alike = like(code, made) if code is not None and made is not None else ""
    if alike:
        return alike
    if code is not None and function is not None and function.function in ("float", "int"):
        return case.words(
            "without-part",
            text=code.text(function.positional[0]) if function.positional else "x",
            part=f"{function.function}()",
        )
    return case.words("wrap-it", name=(name or "f").partition(".")[0].lower())
