"""What the code calls the result of an expression: `error` for the subtraction in `error = pred - target`. No Qt."""

from __future__ import annotations

import ast
from functools import lru_cache

from gradviz.trace.model import Frame, Source
from gradviz.trace.reader import Trace
from gradviz.trace.syntax import parse_module

Span = tuple[str, int, int, int, int]  # file, line, end line, column, end column
LONGEST_PARSED = 2_000_000  # characters; of a longer file no names are told


class VariableNames:
    """Reads each source of a trace once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._read: dict[str, dict[Span, tuple[str, ...]]] = {}

    def of_source(self, source: Source) -> dict[Span, tuple[str, ...]]:
        """The names that each assigned expression of a file goes to."""
        found = self._read.get(source.path)
        if found is None:
            found = self._read[source.path] = dict(assignments(source))
        return found

    def at(self, frame: Frame) -> tuple[str, ...]:
        """The names that the result of this very place goes to; () where it goes elsewhere or columns are unknown."""
        source = self._trace.source(frame.file) if frame.column >= 0 else None
        return self.of_source(source).get(span_of(frame), ()) if source is not None else ()


def span_of(frame: Frame) -> Span:
    end_line = frame.end_line if frame.column >= 0 else frame.line
    return (frame.file, frame.line, end_line, frame.column, frame.end_column)


@lru_cache(maxsize=16)  # several panes ask, and before them the thread that reads a recording first
def assignments(source: Source) -> tuple[tuple[Span, tuple[str, ...]], ...]:
    """Every assigned expression of a file with its plain names."""
    if source.text is None or len(source.text) > LONGEST_PARSED:
        return ()
    try:
        tree = parse_module(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # what ast.parse says of what is no program
        return ()
    found = []
    for statement in ast.walk(tree):
        names, value = assigned(statement), getattr(statement, "value", None)
        if names and isinstance(value, ast.expr):
            end_line = value.end_lineno or value.lineno
            found.append(((source.path, value.lineno, end_line, value.col_offset, value.end_col_offset or -1), names))
    return tuple(found)


def assigned(statement: ast.AST) -> tuple[str, ...]:
    """The plain names that an assignment gives values to; none where it is more complicated."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        target = statement.target
    else:
        return ()
    if isinstance(target, ast.Name):
        return (target.id,)
    if isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(part, ast.Name) for part in target.elts):
        return tuple(part.id for part in target.elts if isinstance(part, ast.Name))
    return ()
