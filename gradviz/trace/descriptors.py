"""Whether file descriptors that were opened here are still the same files.

The recorder lives in the user's process, and a program may close all descriptors above 2, as daemons do. Their numbers
then go to the program's own files: whoever writes to an old number destroys those. So each write is preceded by a look,
and what isn't ours any more is left as it is, not even closed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

LISTINGS = ("/proc/self/fd", "/dev/fd")
SCANNED = 1024  # where the system lists none: the usual limit
CHECKED = os.name == "posix"  # elsewhere a program can't close what it doesn't know


class OwnDescriptors:
    """Remembers which file stands behind which number."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._files: dict[int, tuple[int, int]] = {}
        for number in numbers if CHECKED else ():
            known = os.fstat(number)
            self._files[number] = (known.st_dev, known.st_ino)

    def are_ours(self) -> bool:
        """Whether each is still open, and still the file that it was."""
        try:
            for number, (device, inode) in self._files.items():
                found = os.fstat(number)
                if found.st_ino != inode or found.st_dev != device:
                    return False
        except OSError:
            return False
        return True


def open_numbers() -> frozenset[int]:
    """The descriptors that are open in this process."""
    if not CHECKED:
        return frozenset()
    for folder in LISTINGS:
        with contextlib.suppress(OSError, ValueError):
            listed = frozenset(filter(_is_open, (int(entry.name) for entry in Path(folder).iterdir())))
            if max(listed, default=0) > 2:  # some systems list the first three, whatever is open
                return listed
    return frozenset(filter(_is_open, range(SCANNED)))


def descriptors_of(paths: Iterable[str | os.PathLike[str]], opened_before: frozenset[int]) -> OwnDescriptors:
    """Those behind which one of these files stands, of all that have been opened since `opened_before`."""
    if not CHECKED:
        return OwnDescriptors()
    files = set()
    for path in paths:
        with contextlib.suppress(OSError):
            known = Path(path).stat()
            files.add((known.st_dev, known.st_ino))
    found = []
    for number in open_numbers() - opened_before:
        with contextlib.suppress(OSError):
            behind = os.fstat(number)
            if (behind.st_dev, behind.st_ino) in files:
                found.append(number)
    return OwnDescriptors(found)


def make_immortal(owner: object) -> None:
    """Keep an object beyond the interpreter's end, so that it never closes a descriptor: only a reference that nobody
    owns survives there.
    """
    try:
        import ctypes
    except ImportError:  # a Python without it: the object is closed at the end, as it would have been
        return
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
