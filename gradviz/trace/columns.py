"""Packed columns of a trace as numpy arrays: length, order and references checked; what is added later is appended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.errors import TraceError
from gradviz.trace.opening import TraceFile
from gradviz.trace.packing import ITEM_SIZES, KINDS, ROW_SIZES

Column = NDArray[Any]
NUMPY: dict[str, np.dtype[Any]] = {"i": np.dtype("<i4"), "q": np.dtype("<i8"), "d": np.dtype("<f8")}
MAX_COUNT = 50_000_000  # rows of one kind: 2**31 bytes of its widest column and more


@dataclass
class Columns:
    """The columns of one kind (of one pass): all rows that were read so far."""

    file: TraceFile
    kind: str
    pass_id: int | None
    count: int = 0
    data: dict[str, Column] | None = None

    def read_on(self) -> bool:
        """Append the segments that were added; True if there were any."""
        where = "WHERE kind = ? AND pass IS ? AND first >= ? ORDER BY first, id"
        rows = self.file.rows("segment", where, (self.kind, self.pass_id, self.count))
        before = self.count
        if self.data is not None and not rows:
            return False
        parts: dict[str, list[Column]] = {name: [] for name, _ in KINDS[self.kind]}
        if self.data is not None:
            for name, column in self.data.items():
                parts[name].append(column)
        total = before
        for row in rows:
            first, count = row.integer("first"), row.integer("count", 0, MAX_COUNT)
            if first != total:
                raise self.damaged(f"goes on at row {first} after row {total}")
            total += count
            if total > MAX_COUNT:
                raise self.damaged(f"has more than {MAX_COUNT:,} rows")
            for name, column in unpack(self.kind, count, row.blob("data")).items():
                parts[name].append(column)
        empty = {name: np.empty(0, NUMPY[code].newbyteorder("=")) for name, code in KINDS[self.kind]}
        self.data = {name: np.concatenate(chunks) if chunks else empty[name] for name, chunks in parts.items()}
        for column in self.data.values():
            column.flags.writeable = False
        self.count = total
        return total > before

    def __getitem__(self, name: str) -> Column:
        if self.data is None:
            self.read_on()
        assert self.data is not None
        return self.data[name]

    def damaged(self, why: str) -> TraceError:
        where = "" if self.pass_id is None else f" of pass {self.pass_id}"
        return TraceError(f"The recording is damaged: column {self.kind}{where} {why}.")

    # -- checks, by column name

    def need_within(self, name: str, low: int, high: int) -> None:
        """Every item of `name` lies in low .. high - 1."""
        column = self[name]
        if len(column) and (int(column.min()) < low or int(column.max()) >= high):
            bad = column[(column < low) | (column >= high)][0]
            raise self.damaged(f"{name} holds {bad}, outside {low} to {high - 1}")

    def need_rising(self, name: str, strictly: bool) -> None:
        column = self[name]
        if len(column) > 1 and not bool((column[1:] > column[:-1] if strictly else column[1:] >= column[:-1]).all()):
            raise self.damaged(f"{name} doesn't rise")

    def starts(self, end: str, children: int, whole: bool) -> Column:
        """Where each row's children begin, from the column of their ends. `whole`: the last child has a parent."""
        self.need_rising(end, strictly=False)
        self.need_within(end, 0, children + 1)
        ends = self[end]
        if whole and children != (int(ends[-1]) if len(ends) else 0):
            raise self.damaged(f"{end} doesn't end with the last of {children}")
        return np.concatenate([np.zeros(1, ends.dtype), ends[:-1]]) if len(ends) else ends


def unpack(kind: str, count: int, blob: bytes) -> dict[str, Column]:
    """The columns of one segment's blob, in the machine's byte order."""
    if len(blob) != count * ROW_SIZES[kind]:
        raise TraceError(
            f"The recording is damaged: a segment of {count:,} rows of {kind} has {len(blob):,} bytes, "
            f"not {count * ROW_SIZES[kind]:,}."
        )
    columns, at = {}, 0
    for name, code in KINDS[kind]:
        dtype = NUMPY[code]
        columns[name] = np.frombuffer(blob, dtype, count, at).astype(dtype.newbyteorder("="))
        at += count * ITEM_SIZES[code]
    return columns
