"""A parameter that the script updates by hand and thereby replaces: its name is bound to a tensor without a graph."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.source import Place
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LEAF, VALUE_REQUIRES_GRAD

_TRAINED = VALUE_LEAF | VALUE_REQUIRES_GRAD
_SIGNS: dict[type[ast.operator], str] = {ast.Sub: "-", ast.Add: "+"}


@dataclass(frozen=True)
class Rebound:
    """The assignment `name = name - ...`, and how to write it so that the parameter stays."""

    place: Place
    name: str
    new: str


def rebound(case: Case, op: model.Op) -> Rebound | None:
    """Whether the call that cut the graph made the new value of a leaf's own name out of that leaf."""
    code = case.code(op.stack[0].file) if op.stack else None
    written = case.op_expression(op)
    if code is None or written is None or not any(v.flags & _TRAINED == _TRAINED for v in op.operands):
        return None
    statement = code.statement_of(written)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    name = code.text(target)
    if not isinstance(target, (ast.Name, ast.Attribute)) or not isinstance(value, ast.BinOp):
        return None
    sign = _SIGNS.get(type(value.op))
    if sign is None or code.text(value.left) not in (name, f"{name}.data", f"{name}.detach()"):
        return None
    new = f"{name} {sign}= {code.text(value.right)}  # under torch.no_grad()"
    return Rebound(code.place(statement), name, new)
