"""Values that leave torch as Python numbers or arrays and come back, followed through the script's text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import carried
from gradviz.diagnose.source import Code, names_in
from gradviz.diagnose.vocabulary import LEAVES_FOR_PYTHON, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_RAISED, VALUE_REQUIRES_GRAD


@dataclass(frozen=True)
class Exit:
    """A call by which a value that needs grad became a Python number or array."""

    op: model.Op
    code: Code
    expression: ast.expr | ast.stmt
    names: frozenset[str]  # variables of its function that hold what came of it

    def feeds(self, case: Case, other: model.Op) -> bool:
        """Whether a later call takes in what left here: inside its expression, or by one of the names."""
        if other.number <= self.op.number or not other.stack or other.stack[0].file != self.code.path:
            return False
        written = case.op_expression(other)
        if written is None:
            return False
        if any(part is self.expression for part in ast.walk(written)):
            return True
        if self.code.scope(written) is not self.code.scope(self.expression) or written is self.expression:
            return False
        inside_conditions = names_in(written) & self.names
        return bool(inside_conditions) and self.code.line(getattr(written, "lineno", 0)) != ""


def exits(case: Case, each_caller: bool = False) -> list[Exit]:
    """Every way out of torch that a value which needs grad took, one per place; or one per way that led to it."""
    found: dict[tuple[tuple[str, int, int], ...], Exit] = {}
    for op in case.ops:
        if plain(op.name) not in LEAVES_FOR_PYTHON or not op.stack or not op.operands or op.flags & OP_RAISED:
            continue
        frame = op.stack[0]
        key = tuple((each.file, each.line, each.column) for each in (op.stack if each_caller else op.stack[:1]))
        if key in found or not carries_grad(case, op):
            continue
        code = case.code(frame.file)
        expression = case.op_expression(op)
        if code is not None and expression is not None:
            found[key] = Exit(op, code, expression, frozenset(carried(code, expression)))
    return list(found.values())


def carries_grad(case: Case, op: model.Op) -> bool:
    """Whether what leaves torch here came from something that needs grad: at once, or through a detach before."""
    value = op.operands[0]
    if value.flags & VALUE_REQUIRES_GRAD:
        return True
    number, before = value.number, op.number
    for _ in range(8):
        maker = case.producer(number, before)
        if maker is None or not maker.operands:
            return False
        if maker.operands[0].flags & VALUE_REQUIRES_GRAD:
            return True
        number, before = maker.operands[0].number, maker.number
    return False
