"""How values travel between the lines of a function by their names, where no tensor carries them (numbers, arrays)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gradviz.diagnose.source import Code, Scope, names_in, targets


def inside(code: Code, scope: Scope) -> Iterator[ast.stmt]:
    """The statements of a scope in the order of their lines, those of functions inside it left out."""
    found = [s for s in code.statements() if s is not scope and code.scope(s) is scope]
    yield from sorted(found, key=lambda s: (s.lineno, s.col_offset))


def target_name(node: ast.expr) -> str:
    """The name that an assignment to this target binds or changes; 'self.h' for an attribute of self."""
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


_ADDING = frozenset({"append", "extend", "insert", "add", "update", "appendleft"})


def assigned_names(statement: ast.AST | None) -> tuple[str, ...]:
    return tuple(name for name in map(target_name, targets(statement)) if name)


def fed_names(statement: ast.AST | None) -> tuple[str, ...]:
    """As `assigned_names`, and the container that a statement like `losses.append(x)` puts something into."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _ADDING:
        name = target_name(call.func.value)
        return (name,) if name else ()
    return assigned_names(statement)


def assignments(code: Code, name: str, near: ast.AST) -> list[ast.stmt]:
    """Statements that bind `name` in the function of `near`, or at module level when that function binds it nowhere."""
    scope = code.scope(near)
    for place in (scope, code.tree):
        found = [
            s
            for s in inside(code, place)
            if not isinstance(s, ast.AugAssign) and any(isinstance(t, ast.Name) and t.id == name for t in targets(s))
        ]
        if found:
            return found
        if isinstance(place, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and name in parameters(place):
            return []
    return []


def last_assignment(code: Code, name: str, near: ast.AST) -> ast.stmt | None:
    """The binding of `name` that stands last above `near`; the last of all when it stands in another scope or below."""
    found = assignments(code, name, near)
    if not found:
        return None
    line = getattr(near, "lineno", 0)
    above = [s for s in found if s.lineno < line] if code.scope(near) is code.scope(found[0]) else found
    return (above or found)[-1]


def parameters(scope: Scope) -> set[str]:
    if isinstance(scope, ast.Module):
        return set()
    arguments = scope.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return {a.arg for a in every}


def value_of(statement: ast.AST | None, name: str = "") -> ast.expr | None:
    """What a statement assigns; of `a, b = p, q` the part for `name`."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return None
    value = statement.value
    if isinstance(statement, ast.Assign) and isinstance(value, ast.Tuple):
        for target in statement.targets:
            if isinstance(target, ast.Tuple) and len(target.elts) == len(value.elts):
                for one, part in zip(target.elts, value.elts):
                    if isinstance(one, ast.Name) and one.id == name:
                        return part
    return value


def carried(code: Code, start: ast.AST) -> dict[str, ast.stmt]:
    """Names whose value depends on the expression `start`, with the statements that bind them, in one function."""
    first = code.statement_of(start)
    return spread(code, first, fed_names(first)) if first is not None else {}


def spread(code: Code, first: ast.stmt, names: Iterable[str]) -> dict[str, ast.stmt]:
    """Names whose value depends on what the statement `first` puts into `names`, in one function.

    Since a loop may bring an earlier line after a later one, two rounds are made there.
    """
    found: dict[str, ast.stmt] = dict.fromkeys(names, first)
    scope = code.scope(first)
    looped = code.loop(first) is not None
    for _ in range(2 if looped else 1):
        for statement in inside(code, scope):
            if statement is first or (not looped and statement.lineno < first.lineno):
                continue
            value = statement.iter if isinstance(statement, ast.For) else getattr(statement, "value", None)
            if isinstance(value, ast.AST) and names_in(value) & set(found):
                for name in fed_names(statement):
                    found.setdefault(name, statement)
    return found
