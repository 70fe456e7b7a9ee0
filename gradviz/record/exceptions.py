"""Rows for the exceptions that the recorder saw: one for each exception object, completed as it passes by."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from types import TracebackType
from typing import Any

from gradviz.record.exceptiontext import message_of, shown, text_of, type_name
from gradviz.record.ownframes import clean_exception
from gradviz.record.shadowing import shadowed_module
from gradviz.record.userframes import UserFrames
from gradviz.trace.writer import TraceWriter

KEPT = 256  # exceptions remembered; a script that lives on exceptions needs no more


class ExceptionRows:
    """Knows which exception has which row. It keeps none alive: an exception holds frames, and they hold tensors."""

    def __init__(self, writer: TraceWriter, frames: UserFrames) -> None:
        self._writer = writer
        self._frames = frames
        self._known: dict[tuple[int, type, str], dict[str, Any]] = {}

    def seen(
        self,
        error: BaseException,
        phase: str,
        thread: int,
        *,
        pass_id: int | None = None,
        op: int | None = None,
        stack: int | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> int:
        """Make its row, or fill in what the row lacks; returns the id."""
        key = (id(error), type(error), message_of(error))
        row = self._known.get(key)
        if row is None:
            row = self._new_row(error, phase, thread, key[2])
            if len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = row
        changes: dict[str, Any] = {}
        for name, value in (("pass", pass_id), ("op", op), ("stack", stack)):
            if value is not None and (row.get(name) is None or name == "stack"):
                changes[name] = value
        if detail:
            row["details"] = {**row["details"], **detail}
            changes["detail"] = dumps(row["details"], default=shown)
        if changes:
            row.update(changes)
            self._writer.update("exception", row["id"], **changes)
        return int(row["id"])

    def uncaught(self, error: BaseException, phase: str, thread: int) -> int:
        """It ended the script or its thread. Takes our frames out of it."""
        clean_exception(error)
        number = self.seen(error, phase, thread)
        row = self._known[(id(error), type(error), message_of(error))]
        changes: dict[str, Any] = {"caught": 0, "text": text_of(error)}
        changes["raised_file"], changes["raised_line"] = _raised(error)
        shadow = shadowed_module(error, self._frames.is_user_file)
        if shadow is not None:
            row["details"] = {**row["details"], "shadowed": shadow[0], "shadowed_by": shadow[1]}
            changes["detail"] = dumps(row["details"], default=shown)
        stack = self._frames.stack_of_traceback(error.__traceback__)
        if error.__traceback__ is not None and stack is not None and stack >= 0:
            changes["stack"] = stack
        row.update(changes)
        self._writer.update("exception", number, **changes)
        return number

    def _new_row(self, error: BaseException, phase: str, thread: int, message: str) -> dict[str, Any]:
        raised_file, raised_line = _raised(error)
        details = _details(error)
        stack = self._frames.stack_of_traceback(error.__traceback__) if error.__traceback__ is not None else None
        columns: dict[str, Any] = {
            "type": type_name(error),
            "message": message,
            "text": text_of(error),
            "stack": stack if stack is not None and stack >= 0 else None,
            "raised_file": raised_file,
            "raised_line": raised_line,
            "thread": thread,
            "phase": phase,
            "caught": 1,
            "detail": dumps(details, default=shown),
        }
        number = self._writer.add("exception", **columns)
        return {"id": number, "details": details, **columns}


def _raised(error: BaseException) -> tuple[str | None, int | None]:
    tb: TracebackType | None = error.__traceback__
    if tb is None:
        if isinstance(error, SyntaxError) and error.filename:
            return str(error.filename), error.lineno
        return None, None
    while tb.tb_next is not None:
        tb = tb.tb_next
    return tb.tb_frame.f_code.co_filename, tb.tb_lineno


def _details(error: BaseException) -> dict[str, Any]:
    if isinstance(error, SyntaxError):
        return {
            "file": error.filename,
            "line": error.lineno,
            "column": error.offset,
            "end_line": getattr(error, "end_lineno", None),
            "end_column": getattr(error, "end_offset", None),
            "text": error.text,
            "reason": error.msg,
        }
    if isinstance(error, ImportError):
        return {"name": error.name, "path": error.path}
    if isinstance(error, OSError):
        return {"errno": error.errno, "filename": error.filename}
    if isinstance(error, (NameError, AttributeError)):
        return {"name": getattr(error, "name", None)}
    return {}
