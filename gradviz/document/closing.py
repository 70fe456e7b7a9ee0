"""The last words on a recording: outcome, what was running when it died, one whole file, moved to its place."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

from gradviz.errors import NotStartedError
from gradviz.trace.live import read_live
from gradviz.trace.writer import TraceWriter

READING_SECONDS = 20.0  # the longest that a view may read at one go


class KeptElsewhereError(NotStartedError):
    """The recording is whole but couldn't be moved to where it was wanted; `path` is where it lies."""

    def __init__(self, sentence: str, path: Path) -> None:
        super().__init__(sentence)
        self.path = path


def write_last_words(writer: TraceWriter) -> bool:
    """Close passes that never ended, naming the node that was running; True if one was amid its steps."""
    running = read_live(writer.path)
    if running is not None and running.node >= 0:
        writer.update(
            "backward", running.pass_id, outcome="interrupted", running_node=running.node, failed_node=running.node
        )
    writer.commit()
    if writer.failure is None:
        try:
            writer.path_connection().execute("UPDATE backward SET outcome = 'interrupted' WHERE outcome = 'running'")
        except sqlite3.OperationalError as error:  # a full disk; what is no database any more goes on as DatabaseError
            writer.failure = str(error)
    return running is not None


def died_suddenly(trace: Path) -> bool:
    """Whether the recorder ended without a word: its side file is still there."""
    return trace.with_name(trace.name + ".live").exists()


def finish(writer: TraceWriter) -> None:
    """Make one whole file of it. Raises NotStartedError with a sentence when the disk doesn't take it.

    Views that follow the recording read it now and then; the end waits for such a reading to be over.
    """
    patience = time.monotonic() + READING_SECONDS
    while True:
        try:
            writer.finish()
            break
        except (sqlite3.Error, OSError, ValueError) as error:
            if "locked" in str(error) and time.monotonic() < patience:
                time.sleep(0.02)
                continue
            raise NotStartedError(f"The recording in {writer.path} could not be closed: {_reason(error)}.") from error
    with contextlib.suppress(OSError):
        writer.path.with_name(writer.path.name + ".live").unlink(missing_ok=True)


def keep(writer: TraceWriter, place: Path) -> None:
    """One whole file, at its place. Raises NotStartedError with a sentence: then it lies where it was written."""
    try:
        finish(writer)
    except NotStartedError:
        if not rescue(writer, place):
            raise
    else:
        move(writer.path, place)


def rescue(writer: TraceWriter, place: Path) -> bool:
    """Copy a recording that can't be closed where it lies, its disk being full, to its place; whether that went well.

    What could be written is whole there; the recording is let go of.
    """
    part = _part(place)
    try:
        with contextlib.closing(sqlite3.connect(part)) as copy:
            writer.path_connection().backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        _to_disk(part)
        part.replace(place)
    except (sqlite3.Error, OSError, ValueError):
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        return False
    writer.close()
    return True


def write_end(finished: Path, **columns: Any) -> None:
    """How the script ended, into a finished recording, where the writer could write no more. Never raises."""
    names = ", ".join(f"{name} = ?" for name in columns)
    with contextlib.suppress(sqlite3.Error):
        connection = sqlite3.connect(finished, isolation_level=None)
        try:
            connection.execute(f"UPDATE run SET {names} WHERE id = 0", tuple(columns.values()))
        finally:
            connection.close()


def move(working: Path, place: Path) -> None:
    """Put the finished file at its place, whole or not at all. Raises KeptElsewhereError with a sentence.

    The working file stays where the system allows it, for whoever is reading it: its folder goes later.
    """
    part = _part(place)
    try:
        try:
            os.link(working, part)
        except OSError as error:
            if error.errno == errno.EXDEV:
                shutil.copyfile(working, part)
                _to_disk(part)
            else:  # a file system without links
                working.replace(part)
        part.replace(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        reason = _reason(error)
        raise KeptElsewhereError(
            f"{place} could not be written: {reason}. The recording is kept in {working}.", working
        ) from error


def require_writable(place: Path) -> None:
    """Before a long run: can a file be made there at all? Raises NotStartedError."""
    folder = place.parent
    if not folder.is_dir():
        raise NotStartedError(f"There is no folder {folder} to write {place.name} into.")
    if place.is_dir():
        raise NotStartedError(f"{place} is a folder; name a file.")
    probe = _part(place)
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise NotStartedError(f"{place} can't be written: {_reason(error)}.") from error


def _part(place: Path) -> Path:
    return place.with_name(f".{place.name}.{os.getpid()}.part")


def _to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return str(error)
