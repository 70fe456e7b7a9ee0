"""Ends a script as Python does: the same words on stderr, the same exit status, none of our frames."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

from gradviz.record.ownframes import clean_exception


def flush_output() -> None:
    """What Python does when the script's code has run, before it prints an error."""
    for stream in (sys.stderr, sys.stdout):
        with contextlib.suppress(Exception):  # foreign: the script may have put anything there
            stream.flush()


def print_error(error: BaseException) -> None:
    """As Python prints what nobody caught: through the script's `sys.excepthook`. SystemExit out of the hook passes."""
    clean_exception(error)
    _remember(error, error.__traceback__)
    hook: Callable[..., Any] | None = getattr(sys, "excepthook", None)
    if hook is None:
        _write("sys.excepthook is missing\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
        return
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException as second:  # noqa: BLE001  # foreign: the script's hook
        flush_output()
        clean_exception(second)
        second.__context__ = None  # in a bare run nothing is being handled when the hook is called
        _write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(second), second, second.__traceback__)
        _write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)


def leave_after(error: BaseException) -> NoReturn:
    """With the status of a script that failed. Python dies of SIGINT after a KeyboardInterrupt, and only it can do
    that.
    """
    if not isinstance(error, KeyboardInterrupt):
        raise SystemExit(1)
    hook, printed = sys.excepthook, error.__traceback__

    def already_printed(*_: Any) -> None:
        sys.excepthook = hook
        _remember(error, printed)

    sys.excepthook = already_printed
    raise error


def _remember(error: BaseException, tb: TracebackType | None) -> None:
    error.__traceback__ = tb
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, tb
    if sys.version_info >= (3, 12):
        sys.last_exc = error


def _write(text: str) -> None:
    with contextlib.suppress(Exception):  # foreign: stderr may be closed or replaced
        sys.stderr.write(text)
