"""Whether the text of a script puts a dimension into a constant on purpose; what made a constant isn't recorded."""

from __future__ import annotations

import ast

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.naming import operand_expressions
from gradviz.diagnose.source import called_name
from gradviz.diagnose.vocabulary import ARRANGING
from gradviz.trace import model

_CALLS = ARRANGING | {"expand_dims"}


def written_so(case: Case, op: model.Op, value: model.Value) -> bool:
    """Looked for where the value is used, or where the name that it is written as is bound."""
    index = next((at for at, operand in enumerate(op.operands) if operand is value), -1)
    written: ast.AST | None = operand_expressions(case, op)[index] if index >= 0 else None
    code = case.code(op.stack[0].file) if op.stack else None
    if isinstance(written, ast.Name) and code is not None:
        written = value_of(last_assignment(code, written.id, written), written.id)
    return written is not None and any(_arranges(node) for node in ast.walk(written))


def _arranges(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return any(isinstance(n, ast.Constant) and n.value is None for n in ast.walk(node.slice))
    if isinstance(node, ast.Attribute):
        return node.attr in ("T", "newaxis")
    if isinstance(node, ast.keyword):
        return node.arg in ("keepdims", "keepdim")
    return isinstance(node, ast.Call) and called_name(node) in _CALLS
