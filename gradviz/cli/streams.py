"""Our own output: the report, and what the script prints, to readers that may have enough before the end."""

from __future__ import annotations

import os
import sys


class Sink:
    """A file descriptor of ours that the script's output goes to; one that nobody reads any more is left alone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._open = True

    def write(self, chunk: bytes) -> None:
        view = memoryview(chunk)
        while self._open and view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except OSError:
                self._open = False


def say(text: str) -> None:
    """Print the report. Whoever reads our output may have enough before its end, and that is no failure."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        close_stdout()


def close_stdout() -> None:
    """Nobody reads it any more; Python flushes it once more at exit, and would complain."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)
