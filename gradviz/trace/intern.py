"""The writer's tables in which what repeats stands once: strings, specs, sources, frames, stacks, threads."""

from __future__ import annotations

import sqlite3
import tokenize
from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import Any

INSERTS = {
    "source": "INSERT INTO source (id, path, data, encoding) VALUES (?, ?, ?, ?)",
    "string": "INSERT INTO string (id, text) VALUES (?, ?)",
    "spec": "INSERT INTO spec (id, shape, dtype, device, layout) VALUES (?, ?, ?, ?, ?)",
    "frame": "INSERT INTO frame (id, source, line, end_line, col, end_col, function) VALUES (?, ?, ?, ?, ?, ?, ?)",
    "stack": "INSERT INTO stack (id, frames) VALUES (?, ?)",
    "thread": "INSERT OR REPLACE INTO thread (id, name) VALUES (?, ?)",
}
LARGEST_SOURCE = 4 << 20  # bytes; a generated file beyond it is named without its text


class InternTables:
    """Gives every distinct thing its id, from 0, and keeps the rows that the file doesn't have yet."""

    _lock: Any

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._known: dict[str, dict[Any, int]] = {}
        self._new: dict[str, list[tuple[Any, ...]]] = {table: [] for table in INSERTS}
        self._thread_names: list[str] = []
        self._load(connection)

    def _load(self, connection: sqlite3.Connection) -> None:
        """What a file that is opened again has already."""
        columns = {
            "source": "path",
            "string": "text",
            "spec": "shape, dtype, device, layout",
            "frame": "source, line, end_line, col, end_col, function",
            "stack": "frames",
        }
        for table, names in columns.items():
            rows = connection.execute(f"SELECT id, {names} FROM {table} ORDER BY id")
            self._known[table] = {(row[1:] if len(row) > 2 else row[1]): row[0] for row in rows}
        self._thread_names = [name for (name,) in connection.execute("SELECT name FROM thread ORDER BY id")]

    def _id(self, table: str, key: Any, row: tuple[Any, ...]) -> int:
        known = self._known[table]
        number = known.get(key)
        if number is None:
            with self._lock:
                number = known.get(key)
                if number is None:
                    number = len(known)
                    self._new[table].append((number, *row))
                    known[key] = number
        return number

    def string(self, text: str) -> int:
        """The id of `text`. Lone surrogates, which SQLite refuses, are written as escapes."""
        number = self._known["string"].get(text)
        if number is not None:
            return number
        return self._id("string", text, (_storable(text),))

    def spec(self, shape: Sequence[Any], dtype: str, device: str, layout: str) -> int:
        """The id of a tensor's description; sizes that are no int are written as strings."""
        sizes = dumps([size if type(size) is int else str(size) for size in shape])
        key = (sizes, dtype, device, layout)
        return self._id("spec", key, key)

    def source(self, path: str, data: bytes | None = None) -> int:
        """The id of a user's file, read now unless its bytes are given."""
        number = self._known["source"].get(path)
        if number is not None:
            return number
        if data is None:
            data = _read(path)
        return self._id("source", path, (_storable(path), data, declared_encoding(data)))

    def frame(self, source: int, line: int, end_line: int, col: int, end_col: int, function: str) -> int:
        """The id of a place; columns are UTF-8 byte offsets, -1 unknown."""
        key = (source, line, end_line, col, end_col, _storable(function))
        return self._id("frame", key, key)

    def stack(self, frames: Sequence[int]) -> int:
        """The id of a stack of frame ids, innermost first."""
        key = dumps(list(frames))
        return self._id("stack", key, (key,))

    def thread(self, name: str) -> int:
        """The next thread's id; the first one asked for is the main thread."""
        with self._lock:
            self._thread_names.append(name)
            number = len(self._thread_names) - 1
            self._new["thread"].append((number, _storable(name)))
            return number

    def rename_thread(self, number: int, name: str) -> None:
        """A thread is often named after it began."""
        with self._lock:
            if self._thread_names[number] != name:
                self._thread_names[number] = name
                self._new["thread"].append((number, _storable(name)))

    def take_new_rows(self) -> list[tuple[str, list[tuple[Any, ...]]]]:
        """Statements and rows for what was added since the last call, parents first."""
        taken = [(INSERTS[table], rows) for table, rows in self._new.items() if rows]
        self._new = {table: [] for table in INSERTS}
        return taken


def _storable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _read(path: str) -> bytes | None:
    try:
        file = Path(path)
        if file.stat().st_size > LARGEST_SOURCE:
            return None
        return file.read_bytes()
    except (OSError, ValueError):  # gone, unreadable, or no path at all ("<string>")
        return None


def declared_encoding(data: bytes | None) -> str:
    """What a source file says of itself (PEP 263), else utf-8."""
    if data is None:
        return "utf-8"
    lines = iter(data.splitlines(keepends=True))
    try:
        return tokenize.detect_encoding(lambda: next(lines, b""))[0]
    except SyntaxError:  # an unknown or contradictory declaration: the script won't run, its text is shown all the same
        return "utf-8"
