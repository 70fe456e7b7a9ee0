"""The way from the arguments of a function to what it returned, and the call that cut it."""

from __future__ import annotations

import ast

from gradviz.diagnose.ancestry import LIMIT, Cut, as_cut, cuts
from gradviz.diagnose.bridges import carries_grad
from gradviz.diagnose.case import Case, sources
from gradviz.diagnose.dataflow import carried
from gradviz.diagnose.naming import made_name
from gradviz.diagnose.rules.cut import likeliest
from gradviz.diagnose.rules.lost import first_cut
from gradviz.diagnose.rules.offered_code import function_of, returns_of
from gradviz.diagnose.source import Place, names_in
from gradviz.diagnose.vocabulary import CUTS, LEAVES_FOR_PYTHON, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_NO_GRAD, OP_RAISED, VALUE_REQUIRES_GRAD


def cut_of_result(case: Case, results: tuple[int, ...]) -> Cut | None:
    """The call that cut what the function returned off from something that asks for a gradient."""
    for number in results:
        found = cuts(case, number)
        if found:
            return likeliest(found)
    left = None if results else _left_torch(case, asking=True)
    return _as_told(first_cut(case, left)) if left is not None else None


def _as_told(op: model.Op) -> Cut:
    return as_cut(op) or Cut(op, 0, False)


def cut_before_result(case: Case, results: tuple[int, ...], arguments: set[int]) -> Cut | None:
    """As `cut_of_result` where nothing asks: the call that would cut the way if it did; None where a way is open."""
    waiting: list[tuple[int, int | None]] = [(number, None) for number in results]
    seen: set[int] = set()
    found: model.Op | None = None
    while waiting and len(seen) < LIMIT:
        number, before = waiting.pop(0)
        if number in arguments:
            return None
        maker = case.producer(number, before)
        if maker is None or maker.number in seen:
            continue
        seen.add(maker.number)
        if plain(maker.name) in CUTS or maker.flags & OP_NO_GRAD:
            found = found or (maker if maker.operands else None)
            continue
        waiting += [(v.number, maker.number) for v in sources(maker, number)]
    if found is None and not results:
        found = _left_torch(case, asking=False)
    return Cut(found, 0, plain(found.name) not in CUTS) if found is not None else None


def _left_torch(case: Case, asking: bool) -> model.Op | None:
    """The call by which the number or array that the function returned left torch, in it or in what it calls."""
    code, function = function_of(case)
    returns = returns_of(case)
    if code is None or function is None or not returns:
        return None
    last = function.end_lineno or function.lineno
    for op in reversed(case.ops):
        if plain(op.name) not in LEAVES_FOR_PYTHON or not op.operands or op.flags & OP_RAISED:
            continue
        frames = [f for f in op.stack if f.file == code.path and function.lineno <= f.line <= last]
        if not frames or (asking and not carries_grad(case, op)):
            continue
        expression = code.expression(frames[-1], plain(op.name))
        names = set(carried(code, expression)) if expression is not None else set()
        for each in returns:
            if any(part is expression for part in ast.walk(each)) or names_in(each.value) & names:
                return op
    return None


def last_graph_in(case: Case) -> tuple[str, Place] | None:
    """The newest value with a graph that was made in the function: its name, and where it was made."""
    code, function = function_of(case)
    if code is None or function is None:
        return None
    last = function.end_lineno or function.lineno
    for op in reversed(case.ops):
        inside = [f for f in op.stack if f.file == code.path and function.lineno <= f.line <= last]
        made = next((value for value in op.results if value.flags & VALUE_REQUIRES_GRAD), None)
        if inside and made is not None:
            name = made_name(case, op, made.number) or code.short(case.op_expression(op))
            return name or case.words("the-value"), case.place(tuple(inside))
    return None
