"""What an exception says, told without running any code of the script's.

`str(error)` may be a method of the script's, or go on to one of an object that the error was raised with; so may the
traceback module. Such an exception is passing by, and may be caught and never shown: a method of the script's may print
or count. There the words are put together from what the error was raised with.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import PurePath
from traceback import format_exception, format_tb
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

LONGEST = 20_000  # characters of a message or a traceback
# Whose methods only tell; the script's, and those of packages that nobody knows, may do anything.
LIBRARIES = frozenset({"torch", "tensorflow", "keras", "numpy", "autograd"}) | getattr(
    sys, "stdlib_module_names", frozenset()
)
PLAIN = frozenset({str, int, float, complex, bool, bytes, type(None), type, type(...)})
CONTAINERS = frozenset({tuple, list, dict})
OF_NUMBERS = frozenset({"Size", "dtype", "device"})  # of torch's, beside numpy's numbers
DEEPEST = 3  # containers in containers
LONGEST_CHAIN = 50
ASKED_FOR_HINTS = ("__dir__", "__getattr__", "__getattribute__")  # of an object that lacks an attribute
CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"

_mro = type.__dict__["__mro__"].__get__
_dict = type.__dict__["__dict__"].__get__


def type_name(error: BaseException) -> str:
    """As a traceback prints it: with its module unless built in or the script's own."""
    kind = type(error)
    return (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )


def message_of(error: BaseException) -> str:
    """`str(error)`, shortened; of the error's arguments where that would run code of the script's."""
    if not _tells_itself(error):
        return _of_arguments(error)[:LONGEST]
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # foreign: a library's __str__
        text = "<message could not be made>"
    return text[:LONGEST]


def text_of(error: BaseException) -> str:
    """The traceback as Python prints it, shortened in the middle."""
    try:
        if all(_tells_itself(each) and not _asks_for_hints(each) for each in _linked(error)):
            text = "".join(format_exception(type(error), error, error.__traceback__))
        else:
            text = _composed(error)
    except Exception:  # noqa: BLE001  # foreign: __str__, a source that changed, a broken group
        text = f"{type_name(error)}\n"
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n[…]\n" + text[-LONGEST // 2 :]
    return text


def shown(value: Any) -> str:
    """The value's own words where they are known to be harmless, else only its type."""
    return str(value) if _is_plain(value) else f"<{type(value).__name__}>"


def _of_arguments(error: BaseException) -> str:
    given = BaseException.args.__get__(error)  # type: ignore[attr-defined]  # a subclass may have a property of its own
    if len(given) == 1:
        return shown(given[0])
    return f"({', '.join(repr(each) if _is_plain(each) else shown(each) for each in given)})" if given else ""


def _tells_itself(error: BaseException) -> bool:
    method = _method(type(error), "__str__")
    if isinstance(method, FunctionType):
        return _is_of_library(method)
    notes = getattr(error, "__notes__", None) or ()
    given = BaseException.args.__get__(error)  # type: ignore[attr-defined]  # as above
    return _is_built_in(method) and all(map(_is_plain, given)) and all(type(each) is str for each in notes)


def _is_plain(value: Any, depth: int = DEEPEST) -> bool:
    kind = type(value)
    if kind in PLAIN:
        return True
    if kind in CONTAINERS:
        members = [*value, *value.values()] if kind is dict else value
        return depth > 0 and all(_is_plain(each, depth - 1) for each in members)
    if isinstance(value, BaseException):
        return depth > 0 and _tells_itself(value) and _is_built_in(_method(kind, "__repr__"))
    if isinstance(value, PurePath) or kind.__module__ == "torch":
        return kind.__module__ == "pathlib" or kind.__name__ in OF_NUMBERS
    return kind.__module__ == "numpy" and kind.__name__ != "ndarray" and _is_built_in(_method(kind, "__str__"))


def _asks_for_hints(error: BaseException) -> bool:
    """Whether the traceback module would look for a name that was meant, in an object of the script's."""
    if sys.version_info < (3, 12) or not isinstance(error, AttributeError):
        return False
    methods = [_method(type(error.obj), name) for name in ASKED_FOR_HINTS]
    return any(isinstance(each, FunctionType) and not _is_of_library(each) for each in methods)


def _method(kind: type, name: str) -> Any:
    """The method as it stands in the class, found without asking the class."""
    return next((_dict(each)[name] for each in _mro(kind) if name in _dict(each)), None)


def _is_built_in(method: Any) -> bool:
    return isinstance(method, (WrapperDescriptorType, MethodDescriptorType))


def _is_of_library(method: FunctionType) -> bool:
    return str(method.__globals__.get("__name__", "")).partition(".")[0] in LIBRARIES


def _linked(error: BaseException) -> Iterator[BaseException]:
    """The error and all that is printed with it."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting and len(seen) < LONGEST_CHAIN:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        linked = [current.__cause__, current.__context__, *(getattr(current, "exceptions", None) or ())]
        waiting += [each for each in linked if isinstance(each, BaseException)]


def _composed(error: BaseException) -> str:
    """The same words, with each message as `message_of` has it."""
    blocks: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < LONGEST_CHAIN:
        seen.add(id(current))
        message = message_of(current)
        head = ["Traceback (most recent call last):\n", *format_tb(current.__traceback__)]
        last = f"{type_name(current)}: {message}\n" if message else f"{type_name(current)}\n"
        blocks.append("".join([*(head if current.__traceback__ is not None else ()), last]))
        cause, context = current.__cause__, None if current.__suppress_context__ else current.__context__
        current = cause if cause is not None else context
        if current is not None and id(current) not in seen:
            blocks.append(CAUSE if cause is not None else CONTEXT)
    return "".join(reversed(blocks))
