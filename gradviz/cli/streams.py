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
    """Print the report. Whoever reads our output may have enough before its end, and that is no failure; a full disk is
    told, and the exit code stays that of the findings.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        close_stdout()
    except OSError as error:
        close_stdout()
        tell(f"gradviz: The output can't be written: {error.strerror or error}.")


def tell(line: str) -> None:
    """Print a line to stderr; where nobody can read it, there is nobody else to tell."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _point_at_nothing(sys.stderr.fileno())


def close_stdout() -> None:
    """Nobody reads it any more; Python flushes it once more at exit, and would complain."""
    _point_at_nothing(sys.stdout.fileno())


def _point_at_nothing(descriptor: int) -> None:
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, descriptor)
    os.close(devnull)
