"""What a trace says once and refers to by number: strings, specs, frames, stacks, sources; read when asked for."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Generic, TypeVar

from gradviz.errors import TraceError
from gradviz.trace.model import Frame, Source, Spec, Stack
from gradviz.trace.opening import TraceFile
from gradviz.trace.rows import Row

T = TypeVar("T")
MAX_SOURCE = 20_000_000  # bytes
MAX_LINE = 10_000_000
MAX_COLUMN = 100_000_000


class Table(Generic[T]):
    """A table whose rows never change once written, by id. A miss reads all that was added since."""

    def __init__(self, file: TraceFile, table: str, make: Callable[[Row], T]) -> None:
        self._file = file
        self._table = table
        self._make = make
        self._things: dict[int, T] = {}
        self._last = -1

    def __getitem__(self, number: int) -> T:
        thing = self._things.get(number)
        if thing is None:
            self._read_on()
            thing = self._things.get(number)
        if thing is None:
            raise TraceError(f"The recording is damaged: it refers to {self._table} {number}, which isn't there.")
        return thing

    def all(self) -> tuple[T, ...]:
        """Everything there is by now, by rising id."""
        self._read_on()
        return tuple(self._things.values())

    def _read_on(self) -> None:
        with self._file.alone():
            for row in self._file.rows(self._table, "WHERE id > ? ORDER BY id", (self._last,)):
                number = row.integer("id", self._last + 1)
                self._things[number] = self._make(row)
                self._last = number


class Interned:
    """The interned tables of one trace."""

    def __init__(self, file: TraceFile) -> None:
        self._strings = Table(file, "string", lambda row: row.text("text"))
        self._specs = Table(file, "spec", spec_of)
        self._sources = Table(file, "source", source_of)
        self._frames = Table(file, "frame", self._frame_of)
        self._stacks = Table(file, "stack", self._stack_of)

    def string(self, number: int) -> str:
        return "" if number == -1 else self._strings[number]

    def spec(self, number: int) -> Spec | None:
        return None if number == -1 else self._specs[number]

    def known_spec(self, number: int) -> Spec:
        return self._specs[number]

    def stack(self, number: int | None) -> Stack:
        return () if number is None or number == -1 else self._stacks[number]

    def sources(self) -> tuple[Source, ...]:
        return self._sources.all()

    def _frame_of(self, row: Row) -> Frame:
        line = row.integer("line", 0, MAX_LINE)
        return Frame(
            file=self._sources[row.integer("source")].path,
            line=line,
            end_line=row.integer("end_line", line, MAX_LINE),
            column=row.integer("col", -1, MAX_COLUMN),
            end_column=row.integer("end_col", -1, MAX_COLUMN),
            function=row.text("function", 10_000),
        )

    def _stack_of(self, row: Row) -> Stack:
        return tuple(self._frames[number] for number in row.integers("frames"))


def spec_of(row: Row) -> Spec:
    return Spec(row.shape("shape"), row.text("dtype", 200), row.text("device", 200), row.text("layout", 200))


def source_of(row: Row) -> Source:
    encoding = row.text("encoding", 100)
    data = row.optional_blob("data", MAX_SOURCE)
    return Source(row.text("path", 100_000), None if data is None else decoded(data, encoding), encoding)


def decoded(data: bytes, encoding: str) -> str:
    """The text of a source file as Python reads it, with undecodable bytes replaced; line ends are all newlines."""
    if data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding, "replace")
    except (LookupError, ValueError):  # an encoding unknown here, or one that isn't of text
        text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
