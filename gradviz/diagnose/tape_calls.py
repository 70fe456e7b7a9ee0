"""Reads the text around a GradientTape: the call of gradient(), and the with block that made the tape."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import assigned_names, last_assignment, value_of
from gradviz.diagnose.rules.offered_code import definition, returned_name
from gradviz.diagnose.source import Call, Code, Place, as_call, called_name
from gradviz.trace import model

ENTRY = "tape"  # of a pass that GradientTape.gradient began


@dataclass(frozen=True)
class TapeCall:
    """`tape.gradient(target, sources, output_gradients)` as it is written; what isn't told is in general words."""

    code: Code | None
    call: Call | None
    place: Place
    general: Callable[[str], str]  # the words where the text doesn't tell: case.words
    result: str = ""  # of a function that gradviz called under a tape of its own: what it returned

    @property
    def tape(self) -> str:
        receiver = self.call.receiver if self.call is not None else None
        written = self.code.short(receiver) if self.code is not None else ""
        return written or (self.general("own-tape") if self.result else self.general("the-tape"))

    def target(self, index: int = 0) -> str:
        return self._part(0, "target", index) or self.result or self.general("the-target")

    def source(self, index: int = 0) -> str:
        return self._part(1, "sources", index)

    @property
    def seed(self) -> ast.expr | None:
        return self.call.argument(2, "output_gradients") if self.call is not None else None

    def _part(self, position: int, name: str, index: int) -> str:
        argument = self.call.argument(position, name) if self.call is not None else None
        if self.code is None or argument is None:
            return ""
        if isinstance(argument, (ast.List, ast.Tuple)):
            return self.code.short(argument.elts[index]) if index < len(argument.elts) else ""
        text = self.code.short(argument)
        return text if index == 0 or not text else f"{text}[{index}]"


def tape_call(case: Case, backward: model.Backward) -> TapeCall:
    """The call that began this pass."""
    place = case.place(backward.stack)
    code = case.code(place.file)
    if backward.phase == "offered" and not backward.stack:
        return TapeCall(code, None, definition(case), case.words, returned_name(case))
    if code is None or not backward.stack:
        return TapeCall(code, None, place, case.words)
    written = code.expression(backward.stack[0], "gradient")
    call = as_call(written)
    if call is None or call.function != "gradient":
        found = [n for n in ast.walk(written) if isinstance(n, ast.Call)] if written is not None else []
        call = as_call(next((n for n in found if called_name(n) == "gradient"), None))
    return TapeCall(code, call, code.place(call.node) if call is not None else place, case.words)


def made_place(case: Case, made: object) -> Place | None:
    """Where a tape was made, from what the recorder tells: a file and a line."""
    if not isinstance(made, list) or len(made) != 2 or not isinstance(made[0], str) or not isinstance(made[1], int):
        return None
    code = case.code(made[0])
    statement = code.statement(made[1]) if code is not None else None
    if code is not None and isinstance(statement, ast.With):
        return Place(made[0], statement.lineno, statement.col_offset)
    return Place(made[0], made[1])


def tape_maker(code: Code | None, place: Place) -> ast.Call | None:
    """The call GradientTape(...) on this line."""
    statement = code.statement(place.line) if code is not None else None
    parts: list[ast.AST] = []
    if isinstance(statement, ast.With):
        parts = [item.context_expr for item in statement.items]
    elif statement is not None:
        parts = [statement]
    calls = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Call)]
    return next((n for n in calls if called_name(n) == "GradientTape"), None)


def binding(code: Code | None, written: ast.expr | None) -> ast.stmt | None:
    """The statement that binds a name to what it holds here."""
    if code is None or not isinstance(written, ast.Name):
        return None
    bound = last_assignment(code, written.id, written)
    return bound if value_of(bound, written.id) is not None else None


def works_with_gradients(case: Case, backward: model.Backward | None, error: model.ExceptionInfo) -> bool:
    """Whether the statement that raised, or a loop around it, names what the call of gradient() gave."""
    called = tape_call(case, backward) if backward is not None else None
    if called is None or called.code is None or called.call is None or not error.stack:
        return False
    code, frame = called.code, error.stack[0]
    raised = code.statement(frame.line) if frame.file == code.path else None
    if raised is None:
        return False
    names = set(assigned_names(code.statement_of(called.call.node)))
    loops = (each.iter for each in code.parents(raised) if isinstance(each, ast.For))
    named = (node for part in (raised, *loops) for node in ast.walk(part))
    return any(isinstance(node, ast.Name) and node.id in names for node in named)
