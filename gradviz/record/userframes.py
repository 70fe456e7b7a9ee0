"""Which frames are the user's own, and their places in the code: file, line and, where Python tells, columns.

The user's own is what lies neither in the standard library, nor in an installed package, nor in the recorder. A stack
is looked up by the identity of its code objects and their instruction offsets: an op costs one short walk and one look.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

from gradviz.record.ownframes import is_own
from gradviz.trace.writer import TraceWriter

PACKAGE_FOLDERS = frozenset({"site-packages", "dist-packages"})
MOST_FRAMES = 20  # of the user's in one stack
DEEPEST = 400  # frames looked at in all

Place = tuple[CodeType, int]  # code, offset of the instruction
Offsets = dict[int, int]  # offset of an instruction -> frame


class UserFrames:
    """Finds and interns the user's frames. Threads may share it."""

    def __init__(self, writer: TraceWriter, always: Iterable[str] = ()) -> None:
        """`always`: files that are the user's wherever they lie (the script itself)."""
        self._writer = writer
        self._always = frozenset(always)
        paths = sysconfig.get_paths()
        self._library = tuple(str(Path(paths[name])) + "/" for name in ("stdlib", "platstdlib"))
        # By id of the code: for the user's the frame at each offset, for all others None. A code unknown isn't there.
        self._places: dict[int, Offsets | None] = {}
        self._codes: dict[int, CodeType] = {}  # keeps those ids from being given to others
        self._files: dict[str, bool] = {}
        self._stacks: dict[tuple[int, ...], int] = {}  # by frames, and below 0 the stack that it goes on with
        self._members: dict[int, Sequence[int]] = {}  # stack -> frames

    def is_user(self, code: CodeType) -> bool:
        """Whether this code is the user's."""
        return self._offsets(code) is not None

    def is_user_file(self, path: str) -> bool:
        """Whether this file is the user's."""
        return self._is_user_file(path)

    def stack(self, frame: FrameType | None, outer: int = -1, outer_code: CodeType | None = None) -> int:
        """The id of the stack of user frames from `frame` outwards, innermost first; -1 if there are none.

        From a frame that runs `outer_code` on, the stack is known to be `outer`.
        """
        places = self._places
        key: list[int] = []
        left = DEEPEST
        while frame is not None:
            code = frame.f_code
            try:
                offsets = places[id(code)]
            except KeyError:
                offsets = self._offsets(code)
            if offsets is not None:
                try:
                    key.append(offsets[frame.f_lasti])
                except KeyError:
                    key.append(self._frame(code, frame.f_lasti))
                if len(key) >= MOST_FRAMES:
                    break
            elif code is outer_code:
                key.append(-2 - outer)
                break
            else:
                left -= 1
                if left < 0 and key:
                    break
            frame = frame.f_back
        whole = tuple(key)
        found = self._stacks.get(whole)
        return self._new_stack(whole) if found is None else found

    def stack_of_traceback(self, tb: TracebackType | None) -> int:
        """The id of the stack of user frames that the traceback went through, innermost first; -1 if there are none."""
        places: list[Place] = []
        while tb is not None:
            if self.is_user(tb.tb_frame.f_code):
                places.append((tb.tb_frame.f_code, tb.tb_lasti))
            tb = tb.tb_next
        key = tuple(self._frame(code, offset) for code, offset in places[: -MOST_FRAMES - 1 : -1])
        found = self._stacks.get(key)
        return self._new_stack(key) if found is None else found

    def place_of_function(self, code: CodeType) -> int:
        """The id of a one-frame stack for where a function is defined; -1 if it is not the user's."""
        if not self.is_user(code):
            return -1
        source = self._writer.source(code.co_filename)
        name = getattr(code, "co_qualname", code.co_name)
        frame = self._writer.frame(source, code.co_firstlineno, code.co_firstlineno, -1, -1, name)
        return self._writer.stack([frame])

    def _is_user_file(self, path: str) -> bool:
        known = self._files.get(path)
        if known is None:
            known = self._files[path] = self._looks_like_users(path)
        return known

    def _looks_like_users(self, path: str) -> bool:
        if path in self._always:
            return True
        if path.startswith("<"):  # "<frozen importlib._bootstrap>", "<string>": no file to show
            return False
        folders = path.replace("\\", "/")
        if any(part in PACKAGE_FOLDERS for part in folders.split("/")):
            return False
        return not folders.startswith(tuple(folder.replace("\\", "/") for folder in self._library))

    def _offsets(self, code: CodeType) -> Offsets | None:
        """The frames of the code by offset, None where it isn't the user's."""
        number = id(code)
        if number not in self._places:
            self._codes[number] = code
            self._places[number] = {} if self._is_user_file(code.co_filename) and not is_own(code) else None
        return self._places[number]

    def _new_stack(self, key: tuple[int, ...]) -> int:
        if not key:
            return -1
        frames: Sequence[int] = key
        if key[-1] < 0:
            frames = (*key[:-1], *self._members.get(-2 - key[-1], ()))
        if not frames:
            return -1
        number = self._stacks[key] = self._writer.stack(frames[:MOST_FRAMES])
        self._members[number] = frames[:MOST_FRAMES]
        return number

    def _frame(self, code: CodeType, offset: int) -> int:
        offsets = self._offsets(code)
        number = None if offsets is None else offsets.get(offset)
        if number is None:
            line, end_line, column, end_column = position(code, offset)
            source = self._writer.source(code.co_filename)
            name = getattr(code, "co_qualname", code.co_name)
            number = self._writer.frame(source, line, end_line, column, end_column, name)
            if offsets is not None:
                offsets[offset] = number
        return number


def position(code: CodeType, offset: int) -> tuple[int, int, int, int]:
    """Line, end line, column and end column (UTF-8 byte offsets, -1 unknown) of the instruction at `offset`."""
    if sys.version_info >= (3, 11):
        found: Any = next(islice(code.co_positions(), max(offset, 0) // 2, None), (None, None, None, None))
        line, end_line, column, end_column = found
        if line is not None:
            return line, end_line or line, -1 if column is None else column, -1 if end_column is None else end_column
    line = _line(code, offset)
    return line, line, -1, -1


def _line(code: CodeType, offset: int) -> int:
    if hasattr(code, "co_lines"):  # 3.10
        for start, end, line in code.co_lines():
            if start <= offset < end and line is not None:
                return int(line)
        return code.co_firstlineno
    line = code.co_firstlineno
    step = iter(code.co_lnotab)
    address = 0
    for bytes_on, lines_on in zip(step, step):  # pairs: so many bytes on, so many lines on (signed)
        address += bytes_on
        if address > offset:
            break
        line += lines_on - 256 if lines_on >= 128 else lines_on
    return line
