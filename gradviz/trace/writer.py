"""Writes a trace file; used by the recorder and, for its own columns, by the supervisor. Standard library only.

Everything is queued in memory and reaches the file in `commit`, one short transaction: two processes write the same
file, and a user's step must not pay for the disk row by row. A failing disk never reaches the user's program: it is
kept in `failure`. So is a program that closed the file's descriptors: then their numbers may be its own files by now,
and the file is not touched again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gradviz.trace.descriptors import OwnDescriptors, descriptors_of, make_immortal, open_numbers
from gradviz.trace.intern import InternTables
from gradviz.trace.packing import APPLICATION_ID, FORMAT, pack

SCHEMA = Path(__file__).with_name("schema.sql")
BUSY_SECONDS = 20.0
SEGMENT = "INSERT INTO segment (id, kind, pass, first, count, data) VALUES (?, ?, ?, ?, ?, ?)"
CHECKPOINT_PAGES = 16384  # a checkpoint waits for the disk, so it shall be rare while the script runs
LOST = "the program closed the file descriptors that gradviz was writing to"


class TraceWriter(InternTables):
    """One open trace. Threads may share it; ids are given out at once, rows appear with the next `commit`.

    Raises OSError or sqlite3.Error when the file can't be made; after that nothing raises.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.failure: str | None = None  # why nothing is written any more (full disk, ...)
        self._lock = threading.RLock()
        self._committing = False
        self._queue: list[tuple[str, Sequence[Any]]] = []
        self._next: dict[str, int] = {}
        opened_before = open_numbers()
        self._connection: sqlite3.Connection | None = _open(self.path)
        files = [f"{self.path}{suffix}" for suffix in ("", "-wal", "-shm")]
        self._descriptors: OwnDescriptors = descriptors_of(files, opened_before)
        super().__init__(self.path_connection())

    def path_connection(self) -> sqlite3.Connection:
        """The connection itself, for the few who need more than rows (the supervisor's last words)."""
        if self._connection is None:
            raise ValueError("the trace is closed")
        return self._connection

    # -- rows

    def add(self, table: str, **columns: Any) -> int:
        """Queue a row of `table`; its id, from 0, is given out at once (tables without an id column ignore it)."""
        with self._lock:
            number = columns.get("id")
            if number is None:
                number = self._take(table)
                if table not in WITHOUT_ID:
                    columns["id"] = number
            names = ", ".join(columns)
            marks = ", ".join("?" * len(columns))
            self._queue.append((f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", tuple(columns.values())))
            return int(number)

    def update(self, table: str, number: int, **columns: Any) -> None:
        """Queue a change of the row `number` of `table`."""
        names = ", ".join(f"{name} = ?" for name in columns)
        with self._lock:
            self._queue.append((f"UPDATE {table} SET {names} WHERE id = ?", (*columns.values(), number)))

    def segment(self, kind: str, pass_id: int | None, first: int, columns: Sequence[Sequence[Any]]) -> None:
        """Queue columns of `kind`, lists or arrays, to be packed; nothing when they are empty."""
        count = len(columns[0])
        if count:
            data = pack(kind, columns)
            with self._lock:
                self._queue.append((SEGMENT, (self._take("segment"), kind, pass_id, first, count, data)))

    def remove_pass(self, number: int) -> None:
        """Queue the removal of a stored pass with all that belongs to it; the forward ops stay."""
        with self._lock:
            self._queue.append(("DELETE FROM backward WHERE id = ?", (number,)))
            for table in ("segment", "sample", "saved"):
                self._queue.append((f"DELETE FROM {table} WHERE pass = ?", (number,)))
            self._queue.append(("UPDATE exception SET pass = NULL WHERE pass = ?", (number,)))

    def _take(self, table: str) -> int:
        number = self._next.get(table)
        if number is None:  # a file that was opened again goes on where it ended
            number = 0 if table in WITHOUT_ID else self._last(table) + 1
        self._next[table] = number + 1
        return number

    def _last(self, table: str) -> int:
        if not self._may_touch():
            return -1
        try:
            (last,) = self.path_connection().execute(f"SELECT max(id) FROM {table}").fetchone()
        except sqlite3.Error as error:
            self.failure = str(error)
            return -1
        return -1 if last is None else int(last)

    # -- the file

    def commit(self) -> None:
        """Write what is queued. Never raises: a disk that fails ends the recording, not the script."""
        with self._lock:
            # A signal handler may arrive here amid a commit of its own thread: what it queued goes with the next one.
            if self._committing:
                return
            self._committing = True
            try:
                if self._may_touch() and self.failure is None:
                    self._write(self.path_connection())
                else:
                    self._drop()
            except sqlite3.Error as error:
                self.failure = str(error)
                self._drop()
                if self._may_touch():
                    with contextlib.suppress(sqlite3.Error):
                        self.path_connection().execute("ROLLBACK")
            finally:
                self._committing = False

    def _may_touch(self) -> bool:
        """Whether the file is open, by descriptors that are still its own; once they aren't, it is left alone."""
        if self._connection is not None and not self._descriptors.are_ours():
            connection, self._connection = self._connection, None
            self.failure = LOST
            make_immortal(connection)  # closing it would close what has these numbers now
        return self._connection is not None

    def _drop(self) -> None:
        """What is queued goes nowhere any more."""
        self._queue.clear()
        self.take_new_rows()

    def _write(self, connection: sqlite3.Connection) -> None:
        interned, queue = self.take_new_rows(), self._queue
        self._queue = []
        if not interned and not queue:
            return
        connection.execute("BEGIN IMMEDIATE")
        for sql, rows in interned:
            connection.executemany(sql, rows)
        for sql, batch in _same_statements(queue):
            connection.executemany(sql, batch)
        connection.execute("COMMIT")

    def close(self) -> None:
        """Commit and let go of the file; the supervisor, or `finish`, makes it one whole file."""
        self.commit()
        with self._lock:
            if self._may_touch():
                self.path_connection().close()
                self._connection = None

    def finish(self) -> None:
        """Commit, fold the log into the file and close: from now on the file is whole by itself.

        Raises sqlite3.Error when the log can't be folded in (full disk, another process still reading or writing): then
        the file is still open, and this can be tried again. OSError when the disk fails at the end, or the descriptors
        are gone.
        """
        self.commit()
        with self._lock:
            if self.failure == LOST:
                raise OSError(errno.EBADF, LOST)
            connection = self.path_connection()
            connection.execute("PRAGMA synchronous=OFF")  # the disk is waited for once, below, instead of four times
            connection.execute("PRAGMA journal_mode=DELETE")  # folds the log in first, or raises
            self._descriptors = OwnDescriptors()  # those of the log are closed
            self.close()
            _wait_for_the_disk(self.path)

    def abandon(self) -> None:
        """In a forked child: never use, close or collect the parent's connection (it would delete the parent's log)."""
        connection, self._connection = self._connection, None
        self.failure = "a forked child doesn't record"
        self._lock = threading.RLock()  # the parent's may be held by a thread that doesn't exist here
        self._queue.clear()
        if connection is not None:
            make_immortal(connection)


WITHOUT_ID = frozenset({"saved", "unreached"})


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        os.fspath(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        connection.execute("BEGIN IMMEDIATE")  # two processes may open a new file at once: one of them makes the tables
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        if mark != APPLICATION_ID:
            for statement in _statements(SCHEMA.read_text(encoding="utf-8")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.execute("COMMIT")
    except BaseException:  # whatever it is, it goes on
        connection.close()
        raise
    return connection


def _wait_for_the_disk(path: Path) -> None:
    """Until what was written to the file survives a power cut."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: executescript would commit the transaction that guards them."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _same_statements(queue: list[tuple[str, Sequence[Any]]]) -> Iterator[tuple[str, list[Sequence[Any]]]]:
    """The queue in order, neighbours of one statement together."""
    batch: list[Sequence[Any]] = []
    current = ""
    for sql, parameters in queue:
        if sql != current and batch:
            yield current, batch
            batch = []
        current = sql
        batch.append(parameters)
    if batch:
        yield current, batch
