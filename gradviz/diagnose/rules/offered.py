"""A function that gradviz called and ran backward from: where nothing it was given asks for a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import Place, called_name
from gradviz.diagnose.vocabulary import CREATORS

NOTHING_REQUIRED = "nothing-required"  # kind of note; gradviz/record/pytorch/offer.py writes it


def find(exam: Examination) -> Iterator[Finding]:
    """detached: numbers went in and came out, and there was nothing to differentiate by."""
    case = exam.case
    for note in case.trace.notes():
        names = note.detail.get("arguments") if note.kind == NOTHING_REQUIRED else None
        if not isinstance(names, list) or not names:
            continue
        given = {str(pair[0]): str(pair[1]) for pair in case.run.arguments if len(pair) == 2}
        name = str(names[0])
        parts = {
            "function": case.run.function or case.words("the-function-first"),
            "names": ", ".join(map(str, names)),
            "name": name,
            "new": requiring(given.get(name, name)),
        }
        yield exam.writer.write("detached", "warning", definition(case), "offered-nothing-required", parts, op="")


def definition(case: Case) -> Place:
    """Where the function that was called is defined; the script's first line where it isn't found."""
    file = case.run.script or case.run.target
    code = case.code(file)
    body: list[ast.stmt] = list(code.tree.body) if code is not None else []
    found: ast.stmt | None = None
    for part in (case.run.function or "").split("."):
        found = next((each for each in _statements(body) if getattr(each, "name", "") == part), None)
        body = list(getattr(found, "body", []))
    return Place(file, found.lineno if found is not None else 1)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Definitions, those under an `if` or `try` included; of two with one name the later first."""
    for statement in reversed(body):
        if isinstance(statement, (ast.If, ast.Try)):
            handlers = [inner for each in getattr(statement, "handlers", []) for inner in each.body]
            yield from _statements([*statement.body, *statement.orelse, *handlers])
        else:
            yield statement


def requiring(expression: str) -> str:
    """`torch.ones(3)` as an expression for a leaf that asks for a gradient."""
    try:
        call = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return f"{expression}.requires_grad_()"
    is_made = isinstance(call, ast.Call) and called_name(call) in CREATORS
    if is_made and isinstance(call, ast.Call) and not any(each.arg == "requires_grad" for each in call.keywords):
        ask = ast.keyword("requires_grad", ast.Constant(True))
        return ast.unparse(ast.Call(call.func, call.args, [*call.keywords, ask]))
    return f"{tight(expression.strip())}.requires_grad_()"
