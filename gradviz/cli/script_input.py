"""The script's stdin, which is ours: inherited where that will do, read here and handed on where it won't."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import threading

from gradviz.document.supervisor import Stdin, Supervisor

CHUNK = 1 << 16
READ_AHEAD = 4  # chunks read before the script has taken those before


class ScriptInput:
    """For one run, or with `again` for several that shall all read the same.

    A process in a group of its own can't read the terminal, and what one run has read from a pipe is gone: both are
    read here. A file is wound back.
    """

    def __init__(self, again: bool = False) -> None:
        self._descriptor = _descriptor()
        mode = _mode(self._descriptor)
        self._start = _position(self._descriptor) if again and stat.S_ISREG(mode) else -1
        self._handed_on = _is_terminal(self._descriptor) or (again and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)))
        self._changed = threading.Condition()
        self._read: list[bytes] = []  # an empty one is the end
        self._reads = False
        self._taken = 0  # chunks that a script was given

    def source(self) -> Stdin:
        """For the next run's supervisor."""
        if self._start >= 0:
            with contextlib.suppress(OSError):
                os.lseek(self._descriptor, self._start, os.SEEK_SET)
        return Stdin.TYPED if self._handed_on else Stdin.INHERITED

    def feed(self, supervisor: Supervisor) -> None:
        """Hand the script what there is and what comes; returns at once."""
        if not self._handed_on:
            return
        if not self._reads:
            self._reads = True
            threading.Thread(target=self._keep_reading, name="gradviz keyboard", daemon=True).start()
        threading.Thread(target=self._write, args=(supervisor,), name="gradviz input", daemon=True).start()

    def _keep_reading(self) -> None:
        """Of the descriptor itself: sys.stdin's lock, held by a thread, would abort Python at its end."""
        chunk = b"."
        while chunk:
            with self._changed:
                self._changed.wait_for(lambda: len(self._read) - self._taken < READ_AHEAD)
            try:
                chunk = os.read(self._descriptor, CHUNK)
            except OSError:
                chunk = b""
            with self._changed:
                self._read.append(chunk)
                self._changed.notify_all()

    def _write(self, supervisor: Supervisor) -> None:
        """All from the beginning: a script that doesn't read keeps nobody but this thread waiting."""
        at = 0
        while True:
            with self._changed:
                self._taken = max(self._taken, at)
                self._changed.notify_all()
                while len(self._read) <= at:
                    self._changed.wait()
                chunk = self._read[at]
            if not chunk or supervisor.outcome is not None:
                break
            supervisor.write_input(chunk)
            at += 1
        supervisor.close_input()


def _descriptor() -> int:
    try:
        return sys.stdin.fileno()
    except (AttributeError, ValueError, OSError):  # no stdin, or a closed one
        return -1


def _mode(descriptor: int) -> int:
    try:
        return os.fstat(descriptor).st_mode
    except OSError:
        return 0


def _position(descriptor: int) -> int:
    try:
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return -1


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False
