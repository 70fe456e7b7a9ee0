"""Numbers for arrays and their descriptions. Boxes are looked through; no array is kept alive.

What is written here runs inside the script: arrays are asked for their shape and dtype, and for nothing else.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from autograd.core import VSpace, sparse_object_types
from autograd.numpy.numpy_wrapper import _np
from autograd.tracer import box_types

from gradviz.trace.writer import TraceWriter

numpy: Any = _np  # the one that autograd itself computes with
ndarray = numpy.ndarray
PLAIN = frozenset({ndarray, numpy.float64, numpy.float32})  # have a shape and a dtype, surely
FIRST_CONSTANT = 1 << 30  # values made by nodes have the numbers below
CONTAINERS = {tuple: "tuple", list: "list", dict: "dict"}
DEVICE = "cpu"
NO_SHAPE = -1  # in the place of the spec of a container: no shape to compare with


def unboxed(value: Any) -> Any:
    """The array inside all boxes."""
    while type(value) in box_types:
        value = value._value
    return value


class Values:
    """Describes values."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self.known: dict[tuple[Any, Any], int] = {}  # shape and dtype -> spec
        self.shapes: dict[int, tuple[int, ...]] = {}  # of the specs of arrays and numbers: containers have none
        self._containers: dict[tuple[type, int], int] = {}
        self._numbers = itertools.count(FIRST_CONSTANT)
        self.met: Callable[[int, Any], None] = lambda number, array: None  # told of each new constant
        self._constants: dict[int, tuple[Any, int]] = {}

    def spec(self, value: Any) -> int:
        """The id of a value's description."""
        if isinstance(value, (ndarray, numpy.generic)):
            key = (value.shape, value.dtype)
            return self.known[key] if key in self.known else self._plain(key)
        return self._other(value)

    def _other(self, value: Any) -> int:
        kind = type(value)
        if kind in box_types:
            return self.spec(unboxed(value))
        if kind is float or kind is int or kind is bool or kind is complex:
            return self._plain(((), {float: "float64", complex: "complex128"}.get(kind, kind.__name__)))
        if kind in sparse_object_types:
            return self.of_space(value.vs)
        if isinstance(value, (tuple, list, dict)):
            return self._container(kind, len(value))
        return self._writer.spec(("?",), kind.__name__, DEVICE, "object")

    def of_space(self, space: Any) -> int:
        """The description of the values of a vector space: what a sparse gradient stands for."""
        shape, dtype = getattr(space, "shape", ()), getattr(space, "dtype", None)
        if dtype is None or not isinstance(space, VSpace):
            return self._container(type(shape), len(shape) if isinstance(shape, (tuple, list, dict)) else 0)
        found = self.known.get((shape, dtype))
        return self._plain((shape, dtype)) if found is None else found

    def _container(self, kind: type, parts: int) -> int:
        found = self._containers.get((kind, parts))
        if found is None:
            name = next((word for base, word in CONTAINERS.items() if issubclass(kind, base)), kind.__name__)
            found = self._writer.spec((f"{parts} parts",), name, DEVICE, "container")
            self._containers[(kind, parts)] = found
        return found

    def _plain(self, key: tuple[Any, Any]) -> int:
        found = self.known[key] = self._writer.spec(key[0], str(key[1]), DEVICE, "strided")
        self.shapes[found] = key[0]
        return found

    def living_constants(self) -> list[tuple[int, Any]]:
        """The constants that the script still holds, with their numbers."""
        found = [(number, known()) for known, number in list(self._constants.values())]
        return [(number, array) for number, array in found if array is not None]

    def constant(self, array: Any) -> int:
        """The number of an array that no node made."""
        key = id(array)
        entry = self._constants.get(key)
        if entry is not None and entry[0]() is array:
            return entry[1]
        number = next(self._numbers)
        self.met(number, array)
        forget = self._constants.pop
        self._constants[key] = (weakref.ref(array, lambda _: forget(key, None)), number)
        return number
