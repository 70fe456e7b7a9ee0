"""hips-plain-numpy: arrays of boxes, which plain numpy makes of traced values, and what they lead to."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, replacement
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding, Mark
from gradviz.diagnose.hips_code import BOXES, full_name, is_plain, like, name_of, own_numpy
from gradviz.diagnose.source import Code, called_name, names_in
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

_BY_OBJECTS = re.compile(r"\w*Box\b|dtype\('O'\)|dtype object|object arrays|not supported for the input types")


def reached(exam: Examination, error: model.ExceptionInfo) -> Finding | None:
    """A call that raised because it was given an array of boxes; told at the line that made the array."""
    held = [set(names) for names in error.detail.get("objects") or ()]
    code = exam.case.code(error.stack[0].file) if error.stack else None
    if code is None or not held or not _BY_OBJECTS.search(error.message + error.text):
        return None
    written = exam.case.expression(error.stack[0])
    if not error.detail.get("objects_given") and not names_in(written) & held[0]:
        return None
    boxes = name_of(code, BOXES)
    if name_of(code, "numpy") and not boxes:
        return None  # the import itself is wrong: that is told in its own words
    maker = _maker(exam, error, held)
    place = exam.case.place(error.stack)
    call = next((n for n in ast.walk(written) if isinstance(n, ast.Call)), None) if written is not None else None
    parts: dict[str, object] = {
        "callee": (code.short(call.func) if call is not None else "") or exam.case.words("the-code-first"),
        "raised": place.line,
        "new": exam.case.words("array-of-boxes", numpy=own_numpy(code)),
    }
    changes: tuple[Change, ...] = ()
    phrase = "hips-objects-somewhere"
    if maker is not None:
        source, call = maker
        phrase, place, new = "hips-objects", source.place(call), like(source, call)
        parts |= {"made": source.short(call.func) or "A call", "line": place.line, "new": new}
        changes = replacement(source, place, new)
    op = plain(called_name(call)) if call is not None else ""
    return exam.writer.write(
        "hips-plain-numpy", "error", place, phrase, parts,
        node=op, op=op, changes=changes, symptom_line=error.stack[0].line if maker is not None else None,
        **standing(exam, error), **raised(error),
    )  # fmt: skip


def _maker(exam: Examination, error: model.ExceptionInfo, held: list[set[str]]) -> tuple[Code, ast.Call] | None:
    """The call that packed boxes into an array: looked for from the raising frame outwards, as far as it was handed on.

    In each frame the names that held such arrays are known; the first of them is the one that none made.
    """
    for frame, names in zip(error.stack, held):
        code, written = exam.case.code(frame.file), exam.case.expression(frame)
        if code is None or written is None:
            return None
        near, seen = written, set[str]()
        while True:
            waiting = sorted((names_in(_value(near)) & names) - seen)
            if not waiting:
                break
            seen.add(waiting[0])
            bound = last_assignment(code, waiting[0], near)
            if bound is None or value_of(bound, waiting[0]) is None:
                near = written
                break
            near = value_of(bound, waiting[0]) or written
        if near is not written or not seen:
            return _packing(code, near, written)
    return None


def _value(node: ast.AST) -> ast.AST:
    """Of a statement what it computes."""
    value = getattr(node, "value", None) if isinstance(node, ast.stmt) else None
    return value if isinstance(value, ast.AST) else node


def _packing(code: Code, near: ast.AST, raising: ast.AST) -> tuple[Code, ast.Call] | None:
    """The call by plain numpy, or by a method of a plain array, in an expression."""
    calls = [n for n in ast.walk(near) if isinstance(n, ast.Call) and n is not raising]
    packed = [n for n in calls if is_plain(full_name(code, n.func))]
    packed = packed or [n for n in calls if not full_name(code, n.func) and like(code, n)]
    return (code, packed[0]) if packed else None


def standing(exam: Examination, error: model.ExceptionInfo) -> dict[str, object]:
    """The graph that stood when the call raised, and its newest node marked."""
    stood = next((p for p in exam.case.passes if p.exception == error.id and p.phase == "forward"), None)
    if stood is None:
        return {}
    node = stood.roots[0].node if stood.roots else -1
    return {"pass_id": stood.id, "marks": (Mark("node", node),) if node >= 0 else ()}


def numpy_import(code: Code) -> tuple[ast.stmt, str] | None:
    """The statement that imports plain numpy, and the name that it has then."""
    for statement in code.statements():
        for alias in statement.names if isinstance(statement, ast.Import) else ():
            if alias.name == "numpy":
                return statement, alias.asname or alias.name
    return None


def objects(exam: Examination) -> list[Finding]:
    """Results that plain numpy made arrays of objects of: their gradient is zero without an error."""
    found: list[Finding] = []
    for note in exam.case.trace.notes():
        if note.kind != "hips-objects":
            continue
        code = next((c for c in (exam.case.code(f.file) for f in note.stack) if c is not None), None)
        imported = numpy_import(code) if code is not None else None
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
