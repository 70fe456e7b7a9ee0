"""Tells the recorder's frames from all others, and takes them out of stacks and tracebacks as if it had never been
there.

What a function mode adds to a stack, outermost first: the first half of a torch function written in Python, which
asked for overrides; `handle_torch_function`; our frame; the same function once more. The bare run has the last one
only.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

_HERE = Path(__file__).absolute().parent
OWN_FOLDERS = (f"{_HERE}{os.sep}", f"{_HERE.with_name('trace')}{os.sep}")
_IMPORTLIB = "<frozen importlib"
_OVERRIDES = f"torch{os.sep}overrides.py"
_WATCHED = str(_HERE / "importing.py")


def is_own(code: CodeType) -> bool:
    """Whether this is code of the recorder."""
    return code.co_filename.startswith(OWN_FOLDERS)


def not_in_a_bare_run(codes: Sequence[CodeType]) -> list[bool]:
    """For a stack, outermost first: which of its frames are there only because of the recorder."""
    extra = [is_own(code) for code in codes]
    for index in range(1, len(codes)):
        if not extra[index] or extra[index - 1]:
            continue
        before = codes[index - 1]
        if before.co_name == "handle_torch_function" and before.co_filename.endswith(_OVERRIDES):
            extra[index - 1] = True
            again = next((code for code in codes[index:] if not is_own(code)), None)
            if index >= 2 and again is codes[index - 2]:
                extra[index - 2] = True
        elif codes[index].co_filename == _WATCHED:  # Python trims its import machinery only where it is in one piece
            outer = index - 1
            while outer >= 0 and codes[outer].co_filename.startswith(_IMPORTLIB):
                extra[outer] = True
                outer -= 1
    return extra


def without_own_frames(tb: TracebackType | None) -> TracebackType | None:
    """The traceback as a bare run would have it; its links are changed in place, its head may be a later one."""
    entries = list(_entries(tb))
    extra = not_in_a_bare_run([entry.tb_frame.f_code for entry in entries])
    if not any(extra):
        return tb
    kept = [entry for entry, is_extra in zip(entries, extra) if not is_extra]
    for entry, following in zip(kept, [*kept[1:], None]):
        if entry.tb_next is not following:
            entry.tb_next = following
    return kept[0] if kept else None


def clean_exception(error: BaseException) -> BaseException:
    """Take our frames out of the error, its causes, contexts and the members of groups, in place."""
    waiting, seen = [error], set()
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        current.__traceback__ = without_own_frames(current.__traceback__)
        linked = [current.__cause__, current.__context__, *(getattr(current, "exceptions", None) or ())]
        waiting += [each for each in linked if isinstance(each, BaseException)]
    return error


def _entries(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


class PatchedTraceback:
    """While it is on, whatever prints a traceback or a stack through the traceback module (logging, multiprocessing,
    torch's anomaly mode, ...) prints none of ours.
    """

    def __init__(self) -> None:
        self._walk = traceback.walk_stack
        self._init = traceback.TracebackException.__init__
        self._extract = traceback.extract_tb

    def install(self) -> None:
        """Put the doors of the traceback module in our hands."""
        original_init, original_extract, original_walk = self._init, self._extract, self._walk

        def init(self: Any, exc_type: Any, exc_value: Any, exc_traceback: Any, *args: Any, **kwargs: Any) -> None:
            original_init(self, exc_type, exc_value, without_own_frames(exc_traceback), *args, **kwargs)

        def extract_tb(tb: Any, limit: Any = None) -> Any:
            return original_extract(without_own_frames(tb), limit=limit)

        def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
            if f is None:  # from its caller on, which it counts back to: each version of Python its own way
                return original_walk(f)
            frames = list(original_walk(f))
            extra = not_in_a_bare_run([frame.f_code for frame, _ in reversed(frames)])[::-1]
            return iter([each for each, is_extra in zip(frames, extra) if not is_extra])

        traceback.walk_stack = walk_stack
        traceback.TracebackException.__init__ = init  # type: ignore[method-assign]  # undone by uninstall
        traceback.extract_tb = extract_tb

    def uninstall(self) -> None:
        traceback.TracebackException.__init__ = self._init  # type: ignore[method-assign]  # as it was
        traceback.extract_tb = self._extract
        traceback.walk_stack = self._walk
