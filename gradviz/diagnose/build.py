"""Makes findings: a place in the script, a phrase of the catalogue with its parts, and what else is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradviz.diagnose.case import Case
from gradviz.diagnose.finding import Change, Finding
from gradviz.diagnose.source import Code, Place
from gradviz.diagnose.words.fragments import PLACED
from gradviz.diagnose.words.phrase import Catalogue
from gradviz.trace import model


class Writer:
    """Writes the findings of one examination in the language of its catalogue."""

    def __init__(self, case: Case, catalogue: Catalogue, place: str = "window") -> None:
        self._catalogue = catalogue
        self._placed = {name: case.words(f"{name}-{place}") for name in PLACED}

    def write(
        self, rule: str, severity: str, place: Place, phrase: str, parts: Mapping[str, object], **more: Any
    ) -> Finding:
        """`phrase` is a key of the catalogue; `more` are further fields of Finding."""
        words = self._catalogue.phrases[phrase].filled({**self._placed, **parts})
        more.setdefault("fix", words.fix)
        return Finding(
            rule=rule,
            severity=severity,
            file=place.file,
            line=place.line,
            column=place.column,
            end_line=place.end_line or place.line,
            end_column=place.end_column,
            title=words.title,
            message=words.message,
            explanation=words.explanation,
            **more,
        )


def raised(exception: model.ExceptionInfo | None) -> dict[str, Any]:
    """Where Python raised, as fields of Finding."""
    if exception is None or not exception.stack:
        return {}
    return {"raised_line": exception.stack[0].line, "raised_file": exception.stack[0].file}


def raised_at_call(exception: model.ExceptionInfo | None, stack: model.Stack) -> dict[str, Any]:
    """As `raised`, of an exception that the engine raised at a call of the person's."""
    if exception is not None and exception.stack:
        return raised(exception)
    return {"raised_line": stack[0].line, "raised_file": stack[0].file} if stack else {}


def replacement(code: Code | None, place: Place, new_text: str) -> tuple[Change, ...]:
    """The change of one line that puts `new_text` where `place` is; none where that is not one stretch of a line."""
    if code is None or place.column < 0 or place.end_line != place.line or place.end_column < 0:
        return ()
    old = code.line(place.line)
    row = old.encode("utf-8", "surrogatepass")
    new = (row[: place.column] + new_text.encode() + row[place.end_column :]).decode("utf-8", "replace")
    return (Change(place.file, place.line, (old,), (new,)),) if new != old else ()


def new_line(code: Code | None, line: int, text: str) -> tuple[Change, ...]:
    """The change of a whole one-line statement, its indentation kept; none where there is no such or it stays."""
    statement = code.statement(line) if code is not None else None
    if code is None or statement is None or statement.lineno != line or statement.end_lineno != line:
        return ()
    old = code.line(line)
    code_part = text.partition("  # ")[0].rstrip()
    new = old[: len(old) - len(old.lstrip())] + text
    return (Change(code.path, line, (old,), (new,)),) if code_part and code_part != old.strip() else ()
