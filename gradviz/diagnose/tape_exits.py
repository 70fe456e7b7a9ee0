"""Ways off a tape that come back onto it: numbers that numpy worked with, numbers that a variable was assigned.

Behind them the tape goes on with what else it follows, so that the target hangs on the tape, but not on the source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from gradviz.diagnose.ancestry import ancestors
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import carried
from gradviz.diagnose.source import Code, names_in
from gradviz.diagnose.vocabulary import LEAVES_FOR_PYTHON, plain
from gradviz.trace import model

MOST_LOOKED_AT = 1_000  # calls behind one that is looked at
_READ = "tf.Variable.read_value"
_ASSIGNING = frozenset({"tf.Variable.assign", "tf.Variable.assign_add", "tf.Variable.assign_sub"})


@dataclass(frozen=True)
class _Seen:
    """Where what left is to be found afterwards: the expression it is, and the names that hold what came of it."""

    code: Code
    expression: ast.expr | ast.stmt
    names: frozenset[str]

    def is_in(self, code: Code, written: ast.AST) -> bool:
        if code.path != self.code.path or written is self.expression:
            return False
        if any(part is self.expression for part in ast.walk(written)):
            return True
        is_near = self.code.scope(written) is self.code.scope(self.expression)
        return is_near and bool(names_in(written) & self.names)


def came_back(case: Case, source: int, numbers: Iterable[int], target: int) -> model.Op | None:
    """The first of these calls that gave Python what the source led to, and the target was computed from that."""
    behind: list[model.Op] | None = None
    for number in numbers:
        op = case.op_by_number.get(number)
        if op is None or plain(op.name) not in LEAVES_FOR_PYTHON or not op.operands or not op.stack:
            continue
        if not hangs_on(case, op.operands[0].number, source, op.number):
            continue
        behind = list(islice(ancestors(case, target), MOST_LOOKED_AT)) if behind is None else behind
        places = list(_seen(case, op))
        if any(_takes(case, places, later) for later in behind if later.number > op.number):
            return op
    return None


def assigned(case: Case, source: int, target: int, first_op: int) -> model.Op | None:
    """The call by which a variable, from which the target was computed, was assigned what the source led to."""
    for read in islice(ancestors(case, target), MOST_LOOKED_AT):
        if read.name != _READ or not read.operands:
            continue
        variable = read.operands[0].number
        writing = [op for op in case.users(variable, first_op) if op.number < read.number and op.name in _ASSIGNING]
        for op in reversed(writing):
            if len(op.operands) > 1 and op.operands[0].number == variable and op.stack:
                if hangs_on(case, op.operands[1].number, source, op.number):
                    return op
                if op.name == "tf.Variable.assign":
                    break  # what was there before is overwritten
    return None


def hangs_on(case: Case, value: int, source: int, before: int) -> bool:
    """Whether a value is the source, or was computed from it."""
    behind = islice(ancestors(case, value, before), MOST_LOOKED_AT)
    return value == source or any(each.number == source for op in behind for each in op.operands)


def _seen(case: Case, op: model.Op) -> Iterator[_Seen]:
    """The call itself, and as long as a function returns what came of it, the calls of those functions."""
    for frame in op.stack:
        code, written = case.code(frame.file), case.expression(frame, plain(op.name))
        if code is None or written is None:
            return
        names = frozenset(carried(code, written))
        yield _Seen(code, written, names)
        scope = code.scope(written)
        if not any(_returns(code, each, written, names) for each in ast.walk(scope)):
            return


def _returns(code: Code, statement: ast.AST, written: ast.AST, names: frozenset[str]) -> bool:
    if not isinstance(statement, ast.Return) or code.scope(statement) is not code.scope(written):
        return False
    return bool(names_in(statement.value) & names) or any(part is written for part in ast.walk(statement))


def _takes(case: Case, places: list[_Seen], op: model.Op) -> bool:
    for frame in op.stack:
        code, written = case.code(frame.file), case.expression(frame, plain(op.name))
        if code is not None and written is not None and any(each.is_in(code, written) for each in places):
            return True
    return False
