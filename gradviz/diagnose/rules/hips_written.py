"""hips-array-assignment: a traced value written into an array, or anything written into a traced one."""

from __future__ import annotations

import ast

from gradviz.diagnose.build import raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding
from gradviz.diagnose.hips_code import own_numpy
from gradviz.diagnose.naming import value_called
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules import hips_foreign
from gradviz.diagnose.rules.hips_objects import standing
from gradviz.diagnose.source import Code, called_name, names_in
from gradviz.trace import model

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip


def into(exam: Examination, error: model.ExceptionInfo, code: Code, target: ast.Subscript) -> Finding:
    """An assignment to `target` raised."""
    case = exam.case
    name = code.short(target.value) or case.words("an-array")
    into_box = "does not support item assignment" in error.message
    held = hips_foreign.container(error) if into_box else ""
    place = case.place(error.stack)
    phrase, new = "hips-assignment", case.words("all-at-once", name=name, numpy=own_numpy(code))
    parts: dict[str, object] = {"line": place.line, "target": code.short(target) or name, "name": name}
    changes: tuple[Change, ...] = ()
    if held:
        phrase, new = "hips-container-assignment", _new_container(case, code, target, name, held)
        parts |= hips_foreign.container_parts(case, held)
    elif into_box:
        lines = _chosen(case, code, target)
        phrase, new = (
            "hips-box-assignment",
            "; ".join(lines) or case.words("array-anew", name=name, numpy=own_numpy(code)),
        )
        changes = _instead(code, target, lines)
    return exam.writer.write(
        "hips-array-assignment",
        "error",
        place,
        phrase,
        parts | {"new": new},
        node="setitem",
        op="setitem",
        changes=changes,
        **standing(exam, error),
        **raised(error),
    )


def _new_container(case: Case, code: Code, target: ast.Subscript, name: str, held: str) -> str:
    statement = code.statement_of(target)
    plainly = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    value = (code.short(statement.value) if isinstance(statement, ast.Assign) and plainly else "") or "..."
    if held == "Dict":
        return f"{name} = {{**{name}, {code.text(target.slice)}: {value}}}"
    return case.words("own-list", name=name)


def _chosen(case: Case, code: Code, target: ast.Subscript) -> tuple[str, ...]:
    """The lines that make the array anew with np.where; none where the text doesn't tell that they do the same."""
    value = _value(code, target)
    if not value or not isinstance(target.value, (ast.Name, ast.Attribute)):
        return ()
    name, index, boxes = code.text(target.value), target.slice, own_numpy(code)
    if isinstance(index, ast.Compare) and _is_number(_written(code, target)):
        return (f"{name} = {boxes}.where({code.text(index)}, {value}, {name})",)
    known = value_called(case, name)
    if known is not None and len(known.spec.shape) == 1 and _is_position(code, index):
        where = _position(code, index, name)
        return (f"{name} = {boxes}.where({boxes}.arange(len({name})) == {where}, {value}, {name})",)
    if not _is_number(_written(code, target)) and not _is_position(code, index):
        return ()  # an array may be stretched otherwise by where than by an assignment to a part
    mask = _free_name(code)
    return (
        f"{mask} = {boxes}.zeros({name}.shape, dtype=bool)",
        f"{mask}[{code.text(index)}] = True",
        f"{name} = {boxes}.where({mask}, {value}, {name})",
    )


def _written(code: Code, target: ast.Subscript) -> ast.expr | None:
    statement = code.statement_of(target)
    if isinstance(statement, ast.Assign) and statement.targets == [target]:
        return statement.value
    return statement.value if isinstance(statement, ast.AugAssign) and statement.target is target else None


def _value(code: Code, target: ast.Subscript) -> str:
    """What the entries shall be: of `y[0] += 1` it is y + 1."""
    statement, text = code.statement_of(target), code.text(_written(code, target))
    if isinstance(statement, ast.AugAssign):
        sign = _OPERATORS.get(type(statement.op))
        return f"{code.text(target.value)} {sign} {tight(text)}" if sign is not None and text else ""
    if not text or _is_number(_written(code, target)):
        return text
    # autograd's gradient of where() has the shape of the whole, whatever was stretched to it.
    return f"{tight(text)} * {own_numpy(code)}.ones({code.text(target.value)}.shape)"


def _is_number(written: ast.expr | None) -> bool:
    while isinstance(written, ast.UnaryOp):
        written = written.operand
    return isinstance(written, ast.Constant) and isinstance(written.value, (int, float, complex))


def _is_position(code: Code, index: ast.expr) -> bool:
    """Whether one entry is meant, or one row: a whole number, or the variable of a loop over range()."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
    if isinstance(index, ast.Constant):
        return type(index.value) is int
    loop = code.loop(index)
    over = loop.iter if isinstance(loop, ast.For) else None
    counts = isinstance(over, ast.Call) and called_name(over) == "range"
    return counts and isinstance(loop, ast.For) and isinstance(index, ast.Name) and names_in(index) == _bound(loop)


def _bound(loop: ast.For) -> set[str]:
    return {loop.target.id} if isinstance(loop.target, ast.Name) else set()


def _position(code: Code, index: ast.expr, name: str) -> str:
    text = code.text(index)
    return f"len({name}) - {text[1:].strip()}" if text.startswith("-") else text


def _free_name(code: Code) -> str:
    taken = {node.id for node in ast.walk(code.tree) if isinstance(node, ast.Name)}
    return next((each for each in ("mask", "chosen", "is_chosen") if each not in taken), "mask_of_entries")


def _instead(code: Code, target: ast.Subscript, lines: tuple[str, ...]) -> tuple[Change, ...]:
    statement = code.statement_of(target)
    if not lines or statement is None or statement.lineno != statement.end_lineno:
        return ()
    old = code.line(statement.lineno)
    gap = old[: len(old) - len(old.lstrip())]
    if len(gap) != statement.col_offset or ";" in old:
        return ()  # it shares its line
    return (Change(code.path, statement.lineno, (old,), tuple(gap + line for line in lines)),)
