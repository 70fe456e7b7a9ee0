"""The state that is carried from turn to turn: the names it goes by, and the line that lets go of the old graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import assigned_names, target_name
from gradviz.diagnose.naming import operand_expressions
from gradviz.diagnose.source import Code, names_in
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LEAF, VALUE_REQUIRES_GRAD


@dataclass(frozen=True)
class State:
    """`names` are the person's; `new` is the line to write, "" where no name is known."""

    names: tuple[str, ...]
    new: str


@dataclass(frozen=True)
class _Turn:
    """The statement that takes up the old state, and what is run again and again round it: a loop or a function."""

    code: Code
    statement: ast.stmt
    region: ast.AST
    binding: dict[str, ast.stmt]  # by each name that the statement reads and the region binds anew


def carried_state(
    case: Case, backward: model.Backward, last: int, maker: model.Op | None, taker: model.Op, name: str
) -> State:
    """`last`: the newest call of the pass that freed the graph; `name`: what the crossing value goes by."""
    old = _old_values(case, taker, last)
    turn = _turn(case, maker, taker)
    names = _names(case, turn, taker, old) if turn is not None else ()
    names = names or ((name,) if name and all(part.isidentifier() for part in name.split(".")) else ())
    if not names:
        return State((), "")
    binding = turn.binding if turn is not None else {}
    if maker is not None and not binding:
        binding = _bound_by(case, maker, names)
    alone = len(names) == 1 and len(old) > 1
    parts = [_cut_off(each, alone or _holds_several(case, maker, each, binding.get(each)), binding.get(each))
             for each in names]  # fmt: skip
    line = f"{', '.join(names)} = {', '.join(parts)}"
    return State(names, _placed(case, backward, turn, taker, names, line))


def _old_values(case: Case, taker: model.Op, last: int) -> frozenset[int]:
    """The values with an old graph that the call took in."""
    kinds = VALUE_LEAF | VALUE_REQUIRES_GRAD
    found = set()
    for value in taker.operands:
        origin = case.producer(value.number, taker.number)
        if value.flags & kinds == VALUE_REQUIRES_GRAD and origin is not None and origin.number <= last:
            found.add(value.number)
    return frozenset(found)


def _turn(case: Case, maker: model.Op | None, taker: model.Op) -> _Turn | None:
    """The innermost loop that brings a name back to the taking statement; else a function that does, run anew."""
    makers = {taker.stack[0].line, *(f.line for f in (maker.stack if maker is not None else ()))} if taker.stack else ()
    functions = []
    for frame in taker.stack:
        code = case.code(frame.file)
        statement = code.statement(frame.line) if code is not None else None
        if code is None or statement is None:
            continue
        loop, scope = code.loop(statement), code.scope(statement)
        lines = {*makers, frame.line}
        if loop is not None and (bound := _binding(statement, loop, lines)):
            return _Turn(code, statement, loop, bound)
        if scope is not code.tree and (bound := _binding(statement, scope, lines)):
            functions.append(_Turn(code, statement, scope, bound))
    return functions[0] if functions else None


def _binding(statement: ast.stmt, region: ast.AST, lines: set[int]) -> dict[str, ast.stmt]:
    read = names_in(statement)
    found: dict[str, ast.stmt] = {}
    for inner in ast.walk(region):
        if isinstance(inner, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and inner.lineno in lines:
            found.update(dict.fromkeys(read & set(assigned_names(inner)), inner))
    return found


def _names(case: Case, turn: _Turn, taker: model.Op, old: frozenset[int]) -> tuple[str, ...]:
    """Of the names that the turn brings back those which hand over an old graph, in the order they are written."""
    held = [expression for v, expression in zip(taker.operands, operand_expressions(case, taker)) if v.number in old]
    told = {target_name(e) for e in held if e is not None and target_name(e) in turn.binding}
    if told and all(e is not None for e in held):
        names = told
    elif len(turn.binding) > max(len(old), 1):
        names = {name for name in turn.binding if not _is_detached(turn, name)} or set(turn.binding)
    else:
        names = set(turn.binding)
    spots = {target_name(n): (n.lineno, n.col_offset) for n in _reads(turn.statement)}
    return tuple(sorted(names, key=lambda name: (spots.get(name, (0, 0)), name)))


def _reads(statement: ast.stmt) -> Iterator[ast.Name | ast.Attribute]:
    for node in ast.walk(statement):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            yield node


def _is_detached(turn: _Turn, name: str) -> bool:
    """Whether a line of the turn lets go of this one's graph already."""
    return any(
        isinstance(s, ast.Assign) and name in assigned_names(s) and "detach" in turn.code.text(s.value)
        for s in ast.walk(turn.region)
    )


def _bound_by(case: Case, maker: model.Op, names: tuple[str, ...]) -> dict[str, ast.stmt]:
    written = case.op_expression(maker)
    code = case.code(maker.stack[0].file) if maker.stack else None
    statement = code.statement_of(written) if code is not None and written is not None else None
    bound = set(assigned_names(statement))
    return {name: statement for name in names if statement is not None and name in bound}


def _holds_several(case: Case, maker: model.Op | None, name: str, binding: ast.stmt | None) -> bool:
    """Whether the statement leaves more than one of the call's results to this name."""
    value, results = getattr(binding, "value", None), len(maker.results) if maker is not None else 0
    if maker is None or binding is None or not isinstance(binding, (ast.Assign, ast.AnnAssign)):
        return False
    made = case.op_expression(maker)
    if isinstance(value, ast.ListComp):
        return value.elt is made and results > 1
    if value is not made:
        return False
    target = binding.targets[0] if isinstance(binding, ast.Assign) else binding.target
    if not isinstance(target, (ast.Tuple, ast.List)):
        return results > 1
    return target_name(target.elts[-1]) == name and results > len(target.elts)


def _cut_off(name: str, several: bool, binding: ast.stmt | None) -> str:
    if isinstance(getattr(binding, "value", None), ast.ListComp):  # one state for each of several layers
        return f"[{_cut_off('one', several, None)} for one in {name}]"
    return f"tuple(s.detach() for s in {name})" if several else f"{name}.detach()"


def _placed(
    case: Case, backward: model.Backward, turn: _Turn | None, taker: model.Op, names: tuple[str, ...], line: str
) -> str:
    """The line, with where it belongs: once backward has run, or at the latest before the state is taken up again."""
    frame = backward.stack[0] if backward.stack else None
    here = turn.code if turn is not None else case.code(taker.stack[0].file) if taker.stack else None
    code = case.code(frame.file) if frame is not None else None
    called = code.statement(frame.line) if code is not None and frame is not None else None
    used = turn.statement if turn is not None else here.statement(taker.stack[0].line) if here is not None else None
    if here is None or used is None:
        return line
    if code is here and frame is not None and called is not None and here.scope(called) is here.scope(used):
        return case.words("after-line", text=line, line=frame.line)
    if turn is None:
        return line
    empty = [name for name in names if _starts_empty(here, name)]
    line = f"if {empty[0]} is not None: {line}" if empty else line
    return case.words("before-line", text=line, line=used.lineno)


def _starts_empty(code: Code, name: str) -> bool:
    """Whether the name holds None until the first turn has run."""
    return any(
        isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and s.value.value is None
        and name in assigned_names(s)
        for s in code.statements()
    )  # fmt: skip
