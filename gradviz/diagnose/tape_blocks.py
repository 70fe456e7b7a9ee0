"""Reads what stands inside the with block of a GradientTape: whether a line does, and where numpy took a source out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.hips_code import full_name, is_plain, name_of
from gradviz.diagnose.source import Code, Place, called_name
from gradviz.trace import model

MOST_EXPRESSIONS = 50  # on the way back from a value by its names
# Functions of numpy that TensorFlow has with the same meaning of their first argument.
_IN_TENSORFLOW = {
    **{name: name for name in ("abs", "cos", "exp", "sin", "sqrt", "square", "tan", "tanh")},
    "log": "math.log",
    "maximum": "maximum",
    "minimum": "minimum",
    "mean": "reduce_mean",
    "prod": "reduce_prod",
    "sum": "reduce_sum",
}
_PAIRWISE = ("maximum", "minimum")


@dataclass(frozen=True)
class Left:
    """A source that numpy's functions were given, or its own numpy()."""

    place: Place
    op: str  # ".numpy()", "np.square()"
    value: str
    new: str = ""  # the statement in TensorFlow's functions, where it can be said


def in_block(case: Case, stack: model.Stack, made: Place | None, tape: str) -> bool:
    """Whether a call was made inside the tape's with block as it is written, and not where recording is stopped."""
    for frame in stack:
        code = case.code(frame.file)
        statement = code.statement(frame.line) if code is not None else None
        blocks = [each for each in code.parents(statement) if isinstance(each, ast.With)] if code and statement else []
        for block in blocks:
            if _stops(block):
                return False
            made_here = made is not None and (made.file, made.line) == (frame.file, block.lineno)
            if made_here or any(ast.unparse(item.context_expr) == tape for item in block.items):
                return True
    return False


def _stops(block: ast.With) -> bool:
    calls = (item.context_expr for item in block.items)
    return any(isinstance(each, ast.Call) and called_name(each) == "stop_recording" for each in calls)


def left_for_numpy(code: Code, start: ast.expr | ast.stmt, source: str) -> Left | None:
    """Where this source, or what was computed from it, became a numpy array on the way to `start`."""
    for written in _behind(code, start):
        for call in (node for node in ast.walk(written) if isinstance(node, ast.Call)):
            value = _taken_out(code, call)
            if value is not None and _comes_from(code, value, source):
                return _left(code, call, value)
    return None


def left_at(code: Code, call: ast.Call) -> Left | None:
    """What this call turned into an array."""
    value = _taken_out(code, call)
    return _left(code, call, value) if value is not None else None


def _taken_out(code: Code, call: ast.Call) -> ast.expr | None:
    """What `value.numpy()` or `np.square(value)` turned into an array."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "numpy" and not call.args:
        return call.func.value
    if is_plain(full_name(code, call.func)) and call.args and isinstance(call.args[0], (ast.Name, ast.Attribute)):
        return call.args[0]
    return None


def _left(code: Code, call: ast.Call, value: ast.expr) -> Left:
    is_method = isinstance(call.func, ast.Attribute) and call.func.value is value
    op = ".numpy()" if is_method else f"{code.text(call.func)}()"
    around = next(code.parents(call), None) if is_method else call
    return Left(code.place(call), op, code.short(value), _in_tensorflow(code, around, code.text(value)))


def _in_tensorflow(code: Code, around: ast.AST | None, value: str) -> str:
    if (
        not isinstance(around, ast.Call)
        or not around.args
        or code.text(around.args[0]) not in (value, f"{value}.numpy()")
    ):
        return ""
    full = full_name(code, around.func)
    name = _IN_TENSORFLOW.get(full.rpartition(".")[2]) if is_plain(full) else None
    more = [code.text(each) for each in around.args[1:]]
    more += [f"{each.arg}={code.text(each.value)}" for each in around.keywords]
    if more and not _mean_the_same(around, name):
        return ""
    statement = code.statement_of(around)
    whole, old = code.text(statement), code.text(around)
    if name is None or not isinstance(statement, (ast.Assign, ast.Return)) or whole.count(old) != 1:
        return ""
    return whole.replace(old, f"{name_of(code, 'tensorflow') or 'tf'}.{name}({', '.join([value, *more])})")


def _mean_the_same(call: ast.Call, name: str | None) -> bool:
    """Whether the further arguments mean in TensorFlow what they mean in numpy."""
    if name in _PAIRWISE:  # a number takes the tensor's type; an array of another type would be refused
        numbers = [each for each in call.args[1:] if isinstance(each, ast.Constant)]
        return len(call.args) == 2 == len(numbers) + 1 and not call.keywords
    is_reduction = str(name).startswith("reduce_")
    return is_reduction and len(call.args) <= 2 and {each.arg for each in call.keywords} <= {"axis", "keepdims"}


def _behind(code: Code, start: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    """The expression, and those that its names stand for, as far back as one function tells."""
    waiting, seen = [start], set[ast.AST]()
    while waiting and len(seen) < MOST_EXPRESSIONS:
        written = waiting.pop(0)
        if written in seen:
            continue
        seen.add(written)
        yield written
        for name in (node for node in ast.walk(written) if isinstance(node, ast.Name)):
            value = value_of(last_assignment(code, name.id, name), name.id)
            if value is not None:
                waiting.append(value)


def _comes_from(code: Code, value: ast.expr, source: str) -> bool:
    parts = (node for written in _behind(code, value) for node in ast.walk(written))
    return any(isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == source for node in parts)
