"""Copies a recording to where the person wants it, with or without the script's source in it."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from gradviz.errors import NotStartedError

# In a traceback a line of the user's code follows its "File" line, indented by four; newer Pythons put carets below.
_QUOTED = re.compile(r'^(  File "[^\n]*\n)(?:    [^\n]*(?:\n|$))+', re.MULTILINE)


def save_recording(recording: Path, target: Path, with_source: bool) -> None:
    """Write a copy to `target`, whole or not at all. Raises NotStartedError with one sentence."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-", suffix=".part")
        os.close(handle)
    except OSError as error:
        raise NotStartedError(f"{target.parent} can't be written to: {error.strerror or error}.") from error
    temporary = Path(name)
    try:
        shutil.copyfile(recording, temporary)
        if not with_source:
            _leave_out_source(temporary)
        temporary.replace(target)
    except (OSError, sqlite3.Error) as error:
        temporary.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise NotStartedError(f"The recording could not be saved as {target}: {reason}.") from error


def _leave_out_source(path: Path) -> None:
    """Take the user's code out: the files themselves and the lines that tracebacks quote."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE source SET data = NULL")
        for number, text in connection.execute("SELECT id, text FROM exception").fetchall():
            if isinstance(text, str):
                connection.execute("UPDATE exception SET text = ? WHERE id = ?", (without_code(text), number))
        connection.commit()
        connection.execute("VACUUM")  # else the old pages still hold it


def without_code(traceback: str) -> str:
    """A traceback without the lines of code that it quotes."""
    return _QUOTED.sub(r"\1", traceback)
