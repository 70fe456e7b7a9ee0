"""A mapped side file of a few bytes that says which backward pass and node are running: it outlives a sudden death."""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from pathlib import Path
from typing import NamedTuple

from gradviz.trace.descriptors import descriptors_of, make_immortal, open_numbers

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
        opened_before = open_numbers()
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _RECORD.size)
        self._descriptors = descriptors_of([self.path], opened_before)  # a mapping keeps one of its own
        self.cells = memoryview(self._map).cast("q")

    def clear(self) -> None:
        """Nothing is running."""
        self.cells[1] = -1
        self.cells[2] = -1

    def close(self) -> None:
        """Unmap and remove: a recording that ended by itself needs no last words."""
        if self._descriptors.are_ours():
            self.cells.release()
            self._map.close()
        else:  # the program closed it: the number may be a file of its own by now
            self.abandon()
        self.path.unlink(missing_ok=True)

    def abandon(self) -> None:
        """Never unmap it nor close its descriptor: in a forked child, which may go on to close what it doesn't know."""
        make_immortal(self._map)


def leave_word(trace: str | os.PathLike[str], reason: str) -> None:
    """Why the recording ends early, for the app, where nothing can be said over the channel. Never raises."""
    with contextlib.suppress(OSError):
        _word_path(trace).write_text(reason, encoding="utf-8")


def read_word(trace: str | os.PathLike[str]) -> str:
    """What `leave_word` left; "" if nothing."""
    try:
        return _word_path(trace).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _word_path(trace: str | os.PathLike[str]) -> Path:
    trace = Path(trace)
    return trace.with_name(trace.name + ".word")


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
