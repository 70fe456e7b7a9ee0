"""The name of the variable that holds a thing, found by identity in the user's frames: compared by `is` alone."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

OPTIMIZED = 1  # code flag: the locals are slots, `f_locals` is a snapshot of them
MOST_FRAMES = 8
MOST_ITEMS = 64


def variable_name(
    thing: Any, frame: FrameType | None, is_user: Callable[[CodeType], bool], namespace: Mapping[str, Any]
) -> str | None:
    """The variable that holds `thing`, or the attribute of a local object that does ("self.net"), or None."""
    return variable_names({id(thing): thing}, frame, is_user, namespace).get(id(thing))


def variable_names(
    things: Mapping[int, Any],
    frame: FrameType | None,
    is_user: Callable[[CodeType], bool],
    namespace: Mapping[str, Any],
) -> dict[int, str]:
    """The same for many things, by id; the innermost frame's names win."""
    found: dict[int, str] = {}
    seen = 0
    while frame is not None and seen < MOST_FRAMES and len(found) < len(things):
        if is_user(frame.f_code):
            seen += 1
            with_locals(frame, lambda names: _look(names, things, found))
        frame = frame.f_back
    _look(namespace, things, found)
    return found


def with_locals(frame: FrameType, use: Callable[[Mapping[str, Any]], None]) -> None:
    """Call `use` with the frame's local names, and leave no snapshot of them behind: it would keep tensors alive."""
    names = frame.f_locals
    use(names)
    if sys.version_info < (3, 13) and frame.f_code.co_flags & OPTIMIZED and sys.getrefcount(names) <= 3:
        names.clear()  # only the frame and we hold the snapshot: nobody has called locals() here


def _look(names: Mapping[str, Any], things: Mapping[int, Any], found: dict[int, str]) -> None:
    deeper: list[tuple[str, Any]] = []
    for name, value in list(names.items()):
        if not isinstance(name, str) or name.startswith("__"):
            continue
        if id(value) in things and things[id(value)] is value:
            found.setdefault(id(value), name)
        elif type(value) in (list, tuple, dict) or hasattr(type(value), "__dict__"):
            deeper.append((name, value))
    if len(found) < len(things):
        for name, value in deeper:
            for inner, each in _inside(value):
                if id(each) in things and things[id(each)] is each:
                    found.setdefault(id(each), f"{name}{inner}")


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    """What one step into a container or an object of the user's leads to, without running any code of its."""
    if type(value) in (list, tuple):
        for position, each in enumerate(value[:MOST_ITEMS]):
            yield f"[{position}]", each
    elif type(value) is dict:
        for key, each in list(value.items())[:MOST_ITEMS]:
            if type(key) in (str, int):
                yield f"[{key!r}]", each
    else:
        own = _attributes(value)
        for key, each in list(own.items())[: 4 * MOST_ITEMS]:
            yield f".{key}", each
        if "_parameters" in own:
            yield from _parameters(own)


def _attributes(value: Any) -> Mapping[str, Any]:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return own if type(own) is dict else {}


def _parameters(own: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The parameters of a torch module and of the modules in it, which need not have been called: it keeps both in
    dictionaries among its attributes.
    """
    waiting = [("", own)]
    for path, attributes in waiting:
        for name, each in _registered(attributes, "_parameters"):
            yield f"{path}.{name}", each
        for name, child in _registered(attributes, "_modules") if len(waiting) < MOST_ITEMS else ():
            waiting.append((f"{path}[{name}]" if name.isdigit() else f"{path}.{name}", _attributes(child)))


def _registered(own: Mapping[str, Any], kind: str) -> list[tuple[str, Any]]:
    held = own.get(kind)
    if held is None or type(held) not in (dict, OrderedDict):
        return []
    return [(name, each) for name, each in list(held.items())[:MOST_ITEMS] if type(name) is str]
