"""What is said of a forward call whose operands don't fit."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.finding import Change, ShapeOrWords
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.source import Place
from gradviz.trace import model


@dataclass
class Fault:
    """What is said of a call whose operands don't fit."""

    phrase: str
    parts: dict[str, object]
    expected: ShapeOrWords = None
    received: ShapeOrWords = None
    place: Place | None = None
    changes: tuple[Change, ...] = ()
    blamed: int = 0  # index of the operand to mark
    arose: str = ""  # the call in which the wrong shape arises, if it is another one


def named(case: Case, op: model.Op, index: int) -> str:
    return operand_name(case, op, index) or case.words("operand-number", number=index + 1)
