"""A mapped side file of a few bytes that says which backward pass and node are running: it outlives a sudden death."""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from typing import NamedTuple

_RECORD = struct.Struct("=qqqq")  # mark, pass, node, steps that began
_MARK = 0x4B52414D56494C47


class Running(NamedTuple):
    """What was running: the pass, the node's index in it (-1 none), and how many steps had begun."""

    pass_id: int
    node: int
    steps: int


def live_path(trace: str | os.PathLike[str]) -> Path:
    """The side file that belongs to a trace."""
    trace = Path(trace)
    return trace.with_name(trace.name + ".live")


class LiveMark:
    """The recorder's side: `cells[1]` pass, `cells[2]` node, `cells[3]` steps; plain stores, no system call."""

    def __init__(self, trace: str | os.PathLike[str]) -> None:
        self.path = live_path(trace)
        self.path.write_bytes(_RECORD.pack(_MARK, -1, -1, 0))
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _RECORD.size)
        self.cells = memoryview(self._map).cast("q")

    def clear(self) -> None:
        """Nothing is running."""
        self.cells[1] = -1
        self.cells[2] = -1

    def close(self) -> None:
        """Unmap and remove: a recording that ended by itself needs no last words."""
        self.cells.release()
        self._map.close()
        self.path.unlink(missing_ok=True)


def read_live(trace: str | os.PathLike[str]) -> Running | None:
    """What a recorder that died was running; None if nothing, or no side file."""
    try:
        data = live_path(trace).read_bytes()
    except OSError:
        return None
    if len(data) != _RECORD.size:
        return None
    mark, pass_id, node, steps = _RECORD.unpack(data)
    if mark != _MARK or pass_id < 0:
        return None
    return Running(pass_id, node, steps)
