"""One row of a trace's table, whose every value is checked before it is believed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from gradviz.errors import TraceError
from gradviz.trace.model import Dim

MAX_TEXT = 4_000_000  # characters of one text: a traceback, a long argument; sources are blobs
MAX_JSON = 1_000_000
MAX_LIST = 100_000  # entries of a JSON list
MAX_DIMS = 64  # torch allows 64
MAX_BLOB = 512 * 1024 * 1024
BIGGEST = 2**63 - 1


class Row:
    """The values of one row by column name; reading one that isn't what the schema says raises TraceError."""

    __slots__ = ("_table", "_values")

    def __init__(self, table: str, columns: Sequence[str], values: Sequence[object]) -> None:
        self._table = table
        self._values = dict(zip(columns, values))

    def damaged(self, column: str, why: str) -> TraceError:
        """The error to raise about this column."""
        return TraceError(f"The recording is damaged: {self._table}.{column} {why}.")

    def integer(self, column: str, low: int = 0, high: int = BIGGEST) -> int:
        value = self._values[column]
        if not isinstance(value, int):
            raise self.damaged(column, "isn't a whole number")
        if not low <= value <= high:
            raise self.damaged(column, f"is {value}, outside {low} to {high}")
        return value

    def optional_integer(self, column: str, low: int = 0, high: int = BIGGEST) -> int | None:
        return None if self._values[column] is None else self.integer(column, low, high)

    def flag(self, column: str) -> bool:
        return self.integer(column, 0, 1) == 1

    def optional_flag(self, column: str) -> bool | None:
        return None if self._values[column] is None else self.flag(column)

    def real(self, column: str) -> float:
        value = self._values[column]
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.damaged(column, "isn't a number")
        return float(value)

    def optional_real(self, column: str) -> float | None:
        return None if self._values[column] is None else self.real(column)

    def text(self, column: str, limit: int = MAX_TEXT) -> str:
        value = self._values[column]
        if not isinstance(value, str):
            raise self.damaged(column, "isn't text")
        if len(value) > limit:
            raise self.damaged(column, f"has {len(value):,} characters, more than {limit:,}")
        return value

    def optional_text(self, column: str, limit: int = MAX_TEXT) -> str | None:
        return None if self._values[column] is None else self.text(column, limit)

    def choice(self, column: str, allowed: Sequence[str]) -> str:
        value = self.text(column, 100)
        if value not in allowed:
            raise self.damaged(column, f"is {value!r}, not one of {', '.join(allowed)}")
        return value

    def blob(self, column: str, limit: int = MAX_BLOB) -> bytes:
        value = self._values[column]
        if not isinstance(value, bytes):
            raise self.damaged(column, "isn't binary data")
        if len(value) > limit:
            raise self.damaged(column, f"has {len(value):,} bytes, more than {limit:,}")
        return value

    def optional_blob(self, column: str, limit: int = MAX_BLOB) -> bytes | None:
        return None if self._values[column] is None else self.blob(column, limit)

    def json_list(self, column: str) -> list[Any]:
        value = self._json(column)
        if not isinstance(value, list):
            raise self.damaged(column, "isn't a JSON list")
        if len(value) > MAX_LIST:
            raise self.damaged(column, f"lists {len(value):,} things, more than {MAX_LIST:,}")
        return value

    def json_object(self, column: str) -> dict[str, Any]:
        value = self._json(column)
        if not isinstance(value, dict):
            raise self.damaged(column, "isn't a JSON object")
        return value

    def integers(self, column: str, low: int = 0, high: int = BIGGEST) -> tuple[int, ...]:
        """A JSON list of whole numbers."""
        numbers = self.json_list(column)
        if not all(is_whole(number) and low <= number <= high for number in numbers):
            raise self.damaged(column, f"isn't a list of whole numbers from {low} to {high}")
        return tuple(numbers)

    def shape(self, column: str) -> tuple[Dim, ...]:
        """A JSON list of sizes; a symbolic or nested one is a string."""
        dims = self.json_list(column)
        if len(dims) > MAX_DIMS:
            raise self.damaged(column, f"has {len(dims)} dimensions, more than {MAX_DIMS}")
        for dim in dims:
            if not ((is_whole(dim) and 0 <= dim <= BIGGEST) or (isinstance(dim, str) and len(dim) <= 200)):
                raise self.damaged(column, "isn't a shape")
        return tuple(dims)

    def _json(self, column: str) -> object:
        return parse_json(self.text(column, MAX_JSON), lambda why: self.damaged(column, why))


def is_whole(value: object) -> bool:
    """A whole number, and not a truth value, which Python counts among them."""
    return isinstance(value, int) and not isinstance(value, bool)


def parse_json(text: str, damaged: Callable[[str], TraceError]) -> object:
    """The value of a JSON text that may be anything: nested without end, numbers of a million digits."""
    if len(text) > MAX_JSON:
        raise damaged(f"is a JSON text of {len(text):,} characters, more than {MAX_JSON:,}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged("isn't valid JSON") from error
