"""What is known of each primitive, learned when it is first called; its arguments that aren't arrays, as JSON."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from types import CodeType, FunctionType
from typing import Any

from autograd import core
from autograd.tracer import box_types

from gradviz.record.hips.values import ndarray, numpy
from gradviz.record.userframes import UserFrames
from gradviz.trace.packing import NODE_CUSTOM
from gradviz.trace.writer import TraceWriter

SIMPLE = (int, float, bool, str, type(None), complex)
LONGEST_LIST = 16
LONGEST_TEXT = 80
MOST_KEYS = 50_000
LIBRARIES = ("autograd", "numpy", "scipy")
DEEPEST = 3  # functions inside functions that make up a vjp
WITHOUT_NAMES: dict[str, tuple[str, ...]] = {  # C functions and the like don't tell the names of their parameters
    "outer": ("a", "b"),
    "dot": ("a", "b"),
}


class FunctionInfo:
    """One primitive."""

    __slots__ = ("flags", "name", "names", "parameters", "text", "vjps")

    def __init__(self, text: str, name: int, parameters: tuple[str, ...], strings: Sequence[int]) -> None:
        self.text = text
        self.name = name  # string id
        self.parameters = parameters
        self.names = dict(enumerate(strings))  # position -> string id
        self.flags = 0  # NODE_*
        self.vjps: dict[str, Any] = {}  # where the person's own vjps are written


class Functions:
    """The primitives seen so far. Those of the person's own are known weakly: their closures may hold arrays."""

    def __init__(self, writer: TraceWriter, frames: UserFrames) -> None:
        self._writer = writer
        self._frames = frames
        self.known: dict[Any, FunctionInfo] = {}  # of the libraries
        self._foreign: Any = weakref.WeakKeyDictionary()
        self._texts: dict[Any, int] = {}

    def learn(self, fun: Any) -> FunctionInfo:
        """The primitive `fun`, seen for the first time, or not one of a library's."""
        found: FunctionInfo | None = self._foreign.get(fun)
        if found is not None:
            return found
        raw = getattr(fun, "fun", fun)
        text = str(getattr(fun, "__name__", None) or getattr(raw, "__name__", "primitive"))
        code = getattr(raw, "__code__", None)
        parameters = _parameters(code) or WITHOUT_NAMES.get(text, ())
        info = FunctionInfo(text, self._writer.string(text), parameters, [self._writer.string(p) for p in parameters])
        for name, vjp in _vjps(core.primitive_vjps.get(fun)):
            stack = self._frames.place_of_function(vjp.__code__)
            if stack >= 0:
                info.flags |= NODE_CUSTOM
                place = vjp.__code__
                info.vjps[name] = {
                    "function": vjp.__name__,
                    "file": place.co_filename,
                    "line": place.co_firstlineno,
                    "stack": stack,
                }
        library = str(getattr(raw, "__module__", "") or "").startswith(LIBRARIES) or not hasattr(raw, "__code__")
        (self.known if library else self._foreign)[fun] = info
        return info

    def arguments(self, info: FunctionInfo, extra: Sequence[Any], kwargs: Mapping[str, Any] | None) -> int:
        """The string of a call's arguments that are no arrays: positions with values, and those given by name."""
        key = (info, *[_key(each) for each in extra], *[(n, _key(v)) for n, v in (kwargs or {}).items()])
        found = self._texts.get(key)
        if found is None:
            if len(self._texts) >= MOST_KEYS:
                self._texts.clear()
            found = self._texts[key] = self._writer.string(self._make(info, extra, kwargs or {}))
        return found

    def _make(self, info: FunctionInfo, extra: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        found: dict[str, Any] = {}
        for position, value in zip(extra[::2], extra[1::2]):
            known = position < len(info.parameters)
            found[info.parameters[position] if known else f"argument {position}"] = _value(value)
        found.update({name: _value(value) for name, value in kwargs.items() if value is not None})
        if info.vjps:
            found["vjps"] = info.vjps
        return dumps(found, ensure_ascii=False, default=str)


def _parameters(code: CodeType | None) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def _vjps(maker: Any, name: str = "vjp", depth: int = 0) -> Iterator[tuple[str, FunctionType]]:
    """The functions that a primitive's gradient is made of: what defvjp keeps in closures, and dicts of those."""
    if depth > DEEPEST:
        return
    if isinstance(maker, dict):
        for key, each in list(maker.items())[:LONGEST_LIST]:
            yield from _vjps(each, str(key), depth + 1)
    elif isinstance(maker, FunctionType):
        yield name, maker
        if str(maker.__module__).startswith("autograd.core"):
            for cell in maker.__closure__ or ():
                try:
                    inside = cell.cell_contents
                except ValueError:  # an empty cell
                    continue
                if isinstance(inside, (dict, FunctionType)) and not hasattr(inside, "fun"):
                    yield from _vjps(inside, name, depth + 1)


def _key(value: Any) -> Any:
    """Something hashable that stands for the value without calling code of the person's."""
    kind = type(value)
    if kind in SIMPLE:
        return (kind, value)
    if kind is slice:
        return (kind, _key(value.start), _key(value.stop), _key(value.step))
    if kind is tuple or kind is list:
        return (kind, len(value), *[_key(each) for each in value[:LONGEST_LIST]])
    if value is Ellipsis:
        return kind
    if isinstance(value, numpy.generic):
        return (kind, value.item())
    return (kind, getattr(value, "shape", None)) if kind is ndarray else kind


def _value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, float):
        return value if value - value == 0 else str(value)  # JSON knows neither nan nor inf
    if isinstance(value, (list, tuple)):
        short = [_value(each) for each in value[:LONGEST_LIST]]
        return [*short, "…"] if len(value) > LONGEST_LIST else short
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, slice):
        parts = [value.start, value.stop] + ([value.step] if value.step is not None else [])
        return ":".join("" if part is None else str(part) for part in parts)
    if value is Ellipsis:
        return "..."
    if type(value) is ndarray:
        return f"numpy {value.dtype} {list(value.shape)}"
    if isinstance(value, complex):
        return str(value)
    return "array" if type(value) in box_types else type(value).__name__  # never its repr: that may be user code
