"""The text of a function that gradviz called, and of the arguments it was given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import inside
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import Code, Place, called_name
from gradviz.diagnose.vocabulary import CREATORS


def definition(case: Case) -> Place:
    """Where the function that was called is defined; the script's first line where it isn't found."""
    code, found = function_of(case)
    return Place(case.run.script or case.run.target, found.lineno if code is not None and found is not None else 1)


def function_of(case: Case) -> tuple[Code | None, ast.stmt | None]:
    """The file and the definition of the function that was called."""
    code = case.code(case.run.script or case.run.target)
    body: list[ast.stmt] = list(code.tree.body) if code is not None else []
    found: ast.stmt | None = None
    for part in (case.run.function or "").split("."):
        found = next((each for each in _statements(body) if getattr(each, "name", "") == part), None)
        body = list(getattr(found, "body", []))
    return code, found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Definitions, those under an `if` or `try` included; of two with one name the later first."""
    for statement in reversed(body):
        if isinstance(statement, (ast.If, ast.Try)):
            handlers = [inner for each in getattr(statement, "handlers", []) for inner in each.body]
            yield from _statements([*statement.body, *statement.orelse, *handlers])
        else:
            yield statement


def returns_of(case: Case) -> list[ast.Return]:
    """The places where the function returns something, in the order of their lines."""
    code, function = function_of(case)
    if code is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    return [s for s in inside(code, function) if isinstance(s, ast.Return) and s.value is not None]


def returned_name(case: Case) -> str:
    """How a sentence calls what the function returned: by the variable, where it returns one, else as its call."""
    values = [each.value for each in returns_of(case)]
    names = {each.id if isinstance(each, ast.Name) else "" for each in values}
    name = names.pop() if len(names) == 1 else ""
    return name or (f"{case.run.function}()" if case.run.function else case.words("the-output"))


def requiring(expression: str) -> str:
    """`torch.ones(3)` as an expression for a leaf that asks for a gradient."""
    call = _creator(expression)
    if call is not None and not any(each.arg == "requires_grad" for each in call.keywords):
        ask = ast.keyword("requires_grad", ast.Constant(True))
        return ast.unparse(ast.Call(call.func, call.args, [*call.keywords, ask]))
    return f"{tight(expression.strip())}.requires_grad_()"


def floating(expression: str) -> str:
    """As `requiring`, of an expression for whole numbers."""
    call = _creator(expression)
    if call is None or called_name(call) not in _FLOATING_BY_ITSELF:
        return f"{tight(expression.strip())}.float().requires_grad_()"
    kept = [each for each in call.keywords if each.arg not in ("dtype", "requires_grad")]
    if called_name(call) not in _FLOATS_UNLESS_TOLD:
        kept.append(ast.keyword("dtype", ast.parse("torch.float32", mode="eval").body))
    ask = ast.keyword("requires_grad", ast.Constant(True))
    return ast.unparse(ast.Call(call.func, call.args, [*kept, ask]))


_FLOATS_UNLESS_TOLD = frozenset({"zeros", "ones", "empty", "rand", "randn", "eye", "linspace"})
_FLOATING_BY_ITSELF = _FLOATS_UNLESS_TOLD | {"tensor", "arange", "full"}


def _creator(expression: str) -> ast.Call | None:
    """The expression where it is a call that makes a tensor."""
    try:
        call = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return None
    return call if isinstance(call, ast.Call) and called_name(call) in CREATORS else None
