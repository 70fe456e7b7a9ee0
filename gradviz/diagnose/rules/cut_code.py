"""The person's lines without the call that cut the graph, and without what would make a copy of it again."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from gradviz.diagnose.ancestry import as_cut
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import carried, inside
from gradviz.diagnose.returned import stays
from gradviz.diagnose.rules.rewriter import Line, NotTold, Rewriter, inner_of
from gradviz.diagnose.rules.torch_twins import is_list
from gradviz.diagnose.source import Code
from gradviz.diagnose.vocabulary import COPIERS, LEAVES_FOR_PYTHON, plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LIST_ITEM

MOST_LINES = 4  # more of them are no fix that a sentence can carry


def uncut(case: Case, op: model.Op) -> list[Line]:
    """The statement of a call that cut the graph without it, and those further on that copy its value; [] not told."""
    code = case.code(op.stack[0].file) if op.stack else None
    written = case.op_expression(op)
    if code is None or not isinstance(written, ast.expr):
        return []
    try:
        lists, depth = _lists(op, written)
        starts = _alike(case, code, op, written)
        first = Rewriter(code, starts, frozenset(), lists, depth).line(code.statement_of(written))
        if first is None or inner_of(written) is None:
            return []
        further = [*_further_on(code, written), *_in_callers(case, op, written)]
        if len(further) >= MOST_LINES or len({line.number for line in further}) < len(further):
            return []
        return [first, *further]
    except NotTold:
        return []


def _lists(op: model.Op, written: ast.expr) -> tuple[tuple[ast.expr, ...], int]:
    """What a copying call was given, where that was a list of tensors, and how deep they lie in lists. Raises NotTold,
    where numbers stand between the tensors.
    """
    items = [value for value in op.operands if value.flags & VALUE_LIST_ITEM]
    inner = inner_of(written)
    if plain(op.name) not in COPIERS or not items or inner is None:
        return (), 1
    made = op.results[0].spec.shape if op.results else (len(items), *items[0].spec.shape)
    depth = len(made) - len(items[0].spec.shape)
    sizes = [size for size in made[:depth] if isinstance(size, int)]
    if depth < 1 or len(sizes) < depth or math.prod(sizes) != len(items) or made[depth:] != items[0].spec.shape:
        raise NotTold
    return (inner,), depth


def _alike(case: Case, code: Code, op: model.Op, written: ast.expr) -> tuple[ast.expr, ...]:
    """The cut, and those of its kind in the same statement: `w.data - lr.data * g` without the first is cut still."""
    statement = code.statement_of(written)
    found = [written]
    for other in case.ops:
        if other.name == op.name and other.stack[:1] and other.stack[0].line == op.stack[0].line and as_cut(other):
            expression = case.op_expression(other)
            same = isinstance(expression, ast.expr) and code.statement_of(expression) is statement
            if isinstance(expression, ast.expr) and same and all(expression is not each for each in found):
                found.append(expression)
    return tuple(found)


def _further_on(code: Code, written: ast.expr) -> Iterator[Line]:
    """Raises NotTold."""
    names = carried(code, written)
    start = code.statement_of(written)
    scope = code.scope(written)
    rewriter = Rewriter(code, (), frozenset(names))
    count = 1
    for statement in sorted(code.statements(), key=lambda s: s.lineno):
        if start is None or statement.lineno <= start.lineno or code.scope(statement) is not scope:
            continue
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)):
            line = rewriter.line(statement, shows=isinstance(statement, ast.Expr))
            if line is not None:
                count += 1
                if count > MOST_LINES:
                    raise NotTold
                yield line


def _in_callers(case: Case, op: model.Op, written: ast.expr) -> Iterator[Line]:
    """Statements of the functions that the value was returned to, in the same file. Raises NotTold.

    A list of numbers has become one of tensors there. A detach() there, or the number of a loss for a log, is meant.
    """
    code = case.code(op.stack[0].file)
    if code is None or plain(op.name) not in LEAVES_FOR_PYTHON:
        return
    within = code.scope(written)
    kept = _exits_after(case, op)
    for stay in stays(case, op.stack, written):
        if stay.code is not code:
            raise NotTold
        bound = code.statement_of(stay.call)
        filled = bound if _returns_list(code, within) else None
        rewriter = Rewriter(code, (), stay.names, returned=filled, kept=kept, call=stay.call)
        within = code.scope(stay.call)
        for statement in inside(code, within):
            if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)):
                line = rewriter.line(statement, shows=isinstance(statement, ast.Expr))
                if line is not None:
                    yield line


def _exits_after(case: Case, op: model.Op) -> tuple[ast.AST, ...]:
    """Where a tensor was cut off or left torch later on: with a graph by then, or by a word of its own for it."""
    found: list[ast.AST] = []
    for other in case.ops:
        if other.number > op.number and plain(other.name) in LEAVES_FOR_PYTHON | {"detach", "data"}:
            expression = case.op_expression(other)
            if expression is not None and all(expression is not each for each in found):
                found.append(expression)
    return tuple(found)


def _returns_list(code: Code, scope: ast.AST) -> bool:
    """Whether a function returns a list that it fills, alone or in a tuple."""
    found = [s.value for s in code.statements() if isinstance(s, ast.Return) and code.scope(s) is scope]
    parts = [part for value in found for part in (value.elts if isinstance(value, ast.Tuple) else [value])]
    return any(isinstance(part, ast.Name) and is_list(code, part) for part in parts)
