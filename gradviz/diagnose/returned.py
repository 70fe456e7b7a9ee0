"""Where a Python number or array goes beyond the function that it left torch in: by `return`, to those who called."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import carried, inside, spread, target_name
from gradviz.diagnose.source import Code, names_in
from gradviz.trace import model

_DEEPEST = 4  # callers: further up a value is hardly the same any more
_SEVERAL = (ast.Dict, ast.Set, ast.DictComp, ast.SetComp)  # which of the parts is used isn't told by a name


@dataclass(frozen=True)
class Stay:
    """A function that a value came into, by the return of one that it called."""

    code: Code
    call: ast.expr
    names: frozenset[str]  # variables of the caller that hold what came of it

    def takes(self, case: Case, op: model.Op) -> bool:
        """Whether a call of this function's takes in what was returned."""
        written = case.op_expression(op) if op.stack and op.stack[0].file == self.code.path else None
        if written is None or written is self.call:
            return False
        if any(part is self.call for part in ast.walk(written)):
            return True
        return self.code.scope(written) is self.code.scope(self.call) and bool(names_in(written) & self.names)


def stays(case: Case, stack: model.Stack, expression: ast.expr | ast.stmt) -> list[Stay]:
    """The callers that the value of an expression was returned to, nearest first.

    The recorded stack tells who called. Of a tuple only the part that holds the value is followed, into the name that
    it is unpacked into; where that can't be told the way ends.
    """
    code = case.code(stack[0].file) if stack else None
    if code is None:
        return []
    names = frozenset(carried(code, expression))
    found: list[Stay] = []
    callee = stack[0].function
    for frame in stack[1:]:
        inner, callee = callee, frame.function
        if inner.endswith(("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")):
            continue  # the frame of the function that the comprehension stands in
        part = _handed_back(code, expression, names)
        code = case.code(frame.file)
        call = case.expression(frame) if part is not None else None
        if part is None or code is None or not isinstance(call, ast.Call):
            break
        names, expression = frozenset(_received(code, call, part)), call
        found.append(Stay(code, call, names))
        if len(found) == _DEEPEST:
            break
    return found


@dataclass(frozen=True)
class _Part:
    """Which part of what is returned: `index` of `count`, or all of it (-1)."""

    index: int
    count: int


def _handed_back(code: Code, expression: ast.AST, names: frozenset[str]) -> _Part | None:
    """How the function of an expression returns it, or a variable that depends on it; None where it doesn't."""
    scope = code.scope(expression)
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    found: set[_Part] = set()
    for statement in inside(code, scope):
        value = statement.value if isinstance(statement, ast.Return) else None
        if value is None or not _holds(value, expression, names):
            continue
        if isinstance(value, (ast.Tuple, ast.List)):
            holding = [i for i, part in enumerate(value.elts) if _holds(part, expression, names)]
            found |= {_Part(i, len(value.elts)) for i in holding}
        elif isinstance(value, _SEVERAL):
            return None
        else:
            found.add(_Part(-1, 1))
    return found.pop() if len(found) == 1 else None


def _holds(node: ast.AST, expression: ast.AST, names: frozenset[str]) -> bool:
    return bool(names_in(node) & names) or any(part is expression for part in ast.walk(node))


def _received(code: Code, call: ast.expr, part: _Part) -> set[str]:
    """The caller's variables that the part depends on."""
    statement = code.statement_of(call)
    if statement is None:
        return set()
    unpacked = _unpacked(statement)
    if part.index < 0:
        return set(carried(code, call)) if unpacked is None else set()
    if unpacked is None or len(unpacked) != part.count or getattr(statement, "value", None) is not call:
        return set()
    if any(isinstance(target, ast.Starred) for target in unpacked):
        return set()
    name = target_name(unpacked[part.index])
    return set(spread(code, statement, (name,))) if name else set()


def _unpacked(statement: ast.stmt) -> list[ast.expr] | None:
    """The names of `a, b = ...`; None where a statement takes nothing apart."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.For):
        target = statement.target
    return target.elts if isinstance(target, (ast.Tuple, ast.List)) else None
