"""The arguments of a call that are no tensors, as short JSON: {"dim": 1, "keepdim": true}."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from types import FunctionType, MethodType
from typing import Any

import torch

from gradviz.record.pytorch.functions import FunctionInfo
from gradviz.record.userframes import UserFrames
from gradviz.trace.writer import TraceWriter

LONGEST_TEXT = 60
LONGEST_LIST = 16
MOST_REMEMBERED = 20_000
SIMPLE = frozenset({int, float, bool, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format})
SEQUENCES = frozenset({tuple, list, torch.Size})
NOT_SIMPLE = -2  # of `named`: among the arguments are some to be looked at one by one


class Arguments:
    """Interns arguments; equal simple ones cost one dictionary access."""

    def __init__(self, writer: TraceWriter, frames: UserFrames) -> None:
        self._writer = writer
        self._frames = frames
        self._known: dict[Any, int] = {}

    def of(self, info: FunctionInfo, extra: Sequence[Any]) -> int:
        """The id of the JSON string for `extra`: position or name, value, position or name, value, ..."""
        if len(extra) == 2 and type(extra[1]) in SIMPLE:
            short = (info.name_id, extra[0], type(extra[1]), extra[1])
            number = self._known.get(short)
            if number is None:
                number = self._remember(short, self._make(info, extra))
            return number
        key: list[Any] = [info.name_id]
        for value in extra:
            kind = type(value)
            if kind in SIMPLE:
                key += (kind, value)
                continue
            part = _key(value)
            if part is None:
                return self._make(info, extra)
            key += (kind, part)
        whole = tuple(key)
        found = self._known.get(whole)
        if found is None:
            found = self._remember(whole, self._make(info, extra))
        return found

    def named(self, info: FunctionInfo, given: dict[str, Any]) -> int:
        """The id of the JSON string for keyword arguments; NOT_SIMPLE where they aren't all simple."""
        kinds = tuple(map(type, given.values()))
        if not SIMPLE.issuperset(kinds):
            return NOT_SIMPLE
        key = (info.name_id, kinds, *given.items())
        number = self._known.get(key)
        if number is None:
            extra = [part for pair in given.items() for part in pair]
            number = self._remember(key, self._make(info, extra))
        return number

    def _remember(self, key: tuple[Any, ...], number: int) -> int:
        if len(self._known) >= MOST_REMEMBERED:
            self._known.clear()
        self._known[key] = number
        return number

    def _make(self, info: FunctionInfo, extra: Sequence[Any]) -> int:
        found: dict[str, Any] = {}
        starred: list[Any] = []
        for where, value in zip(extra[::2], extra[1::2]):
            if isinstance(where, str):
                if value is not None:
                    found[where] = self._value(value)
            elif 0 <= info.star <= where:
                starred.append(value)
            else:
                name = info.parameters[where] if where < len(info.parameters) else f"argument {where}"
                found[name] = _index(value) if name == "index" else self._value(value)
        if starred:
            only = starred[0] if len(starred) == 1 and isinstance(starred[0], (list, tuple)) else starred
            found[info.parameters[info.star]] = self._value(only)
        return self._writer.string(dumps(found, ensure_ascii=False)) if found else -1

    def _value(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, float):
            return value if value - value == 0 else str(value)  # JSON knows neither nan nor inf
        if isinstance(value, (list, tuple)):
            short = [self._value(each) for each in value[:LONGEST_LIST]]
            return [*short, "…"] if len(value) > LONGEST_LIST else short
        if isinstance(value, str):
            return value[:LONGEST_TEXT]
        function = value.__func__ if type(value) is MethodType else value
        if type(function) is FunctionType:  # a hook, a comparison: where it is written. Of nothing else it is asked for
            code = function.__code__
            stack = self._frames.place_of_function(code)
            name = function.__name__
            return {"function": name, "file": code.co_filename, "line": code.co_firstlineno, "stack": stack}
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value).rpartition("torch.")[2]
        if isinstance(value, (torch.device, complex)):
            return str(value)
        if type(value).__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "shape"):
            return f"numpy {value.dtype} {list(value.shape)}"
        return type(value).__name__  # never its repr: that is the user's code


def _key(value: Any) -> Any:
    """Something hashable that stands for the value without calling code of the user's; None if there is none."""
    kind = type(value)
    if kind is slice:
        parts: Any = (value.start, value.stop, value.step)
    elif kind in SEQUENCES and len(value) <= LONGEST_LIST:
        parts = value
    elif value is Ellipsis:
        return "..."
    else:
        return None
    found: list[Any] = []
    for part in parts:
        inner = part if type(part) in SIMPLE else _key(part)
        if inner is None and part is not None:
            return None
        found += (type(part), inner)
    return tuple(found)


def _index(value: Any) -> str:
    """As it stands between the brackets: ":, -3:"."""
    parts = value if isinstance(value, tuple) else (value,)
    return ", ".join(_index_part(part) for part in parts[:LONGEST_LIST])


def _index_part(part: Any) -> str:
    if isinstance(part, slice):
        text = ":".join("" if bound is None else _index_part(bound) for bound in (part.start, part.stop))
        return text if part.step is None else f"{text}:{_index_part(part.step)}"
    if part is Ellipsis:
        return "..."
    if part is None or isinstance(part, (bool, int)):
        return str(part)
    if isinstance(part, torch.Tensor):
        return "tensor"
    if isinstance(part, (list, tuple)):
        return "[" + ", ".join(_index_part(each) for each in part[:LONGEST_LIST]) + "]"
    return type(part).__name__
