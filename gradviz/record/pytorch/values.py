"""Numbers for tensors, so that one tensor object has one number wherever it turns up, and specs for their looks.

A tensor is known by the id of its object, checked by a weak reference, because ids are given out again. None is ever
held.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import torch

from gradviz.trace.packing import (
    VALUE_LEAF,
    VALUE_NON_CONTIGUOUS,
    VALUE_PARAMETER,
    VALUE_REQUIRES_GRAD,
    VALUE_VIEW,
)
from gradviz.trace.writer import TraceWriter

Tensor = torch.Tensor
Parameter = torch.nn.Parameter
UNVERSIONED = 1 << 20  # flag for ourselves: an inference tensor, whose version can't be read
FOREIGN = 1 << 21  # and another: of a subclass that may answer properties with code of its own
FLAGS = UNVERSIONED - 1
SWEEP_AT = 1024  # known tensors before the dead ones are looked for: few enough to stay in the processor's cache
SWEEP_EVERY = 255  # a mask: at each 256th new number it is seen whether that many are known
# What reading a tensor of an unusual kind raises; KeyError: its spec is new.
UNREADABLE = (RuntimeError, TypeError, KeyError, AttributeError, NotImplementedError)


class Known(weakref.ref):  # type: ignore[type-arg]  # subscripting a base class needs a newer Python at run time
    """A tensor that has a number: a weak reference with its description as of when it was last written to."""

    __slots__ = ("flags", "number", "spec", "version")

    number: int
    spec: int
    flags: int
    version: int  # as of then


class Values:
    """All tensors that were seen. Threads may share it: each step is one dictionary access."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self.numbers = itertools.count()
        self.specs: dict[Any, int] = {}  # by shape, dtype, device, layout
        self._sweep_at = SWEEP_AT
        self.measurable: set[int] = set()  # specs whose numbers can be stacked and measured as they are
        self.known: dict[int, Known] = {}

    def lookup(self, tensor: Any) -> Known:
        """The tensor's entry; a new one if it was never seen."""
        found = self.known.get(id(tensor))
        if found is not None and found() is tensor:
            return found
        return self.describe(tensor, None)

    def result(self, tensor: Any) -> Known:
        """The entry of a tensor that an op just returned: read anew, its number kept if it was known."""
        known = self.known
        entry = known.get(id(tensor))
        if entry is None or entry() is not tensor:
            entry = known[id(tensor)] = Known(tensor)
            entry.number = next(self.numbers)
            if not entry.number & SWEEP_EVERY:
                self.sweep_if_due()
        if type(tensor) is not Tensor:
            return self.describe(tensor, entry)
        self.read(tensor, entry)
        return entry

    def describe(self, tensor: Any, entry: Known | None) -> Known:
        """Read the tensor's spec, flags and version into its entry, which is made if there is none."""
        if entry is None:
            entry = Known(tensor)
            entry.number = next(self.numbers)
            self.known[id(tensor)] = entry
            if not entry.number & SWEEP_EVERY:
                self.sweep_if_due()
        if type(tensor) is Tensor or type(tensor) is Parameter:
            self.read(tensor, entry)
        else:
            with torch._C.DisableTorchFunctionSubclass():  # a subclass may answer properties with code of its own
                self.read(tensor, entry)
            entry.flags |= FOREIGN
        return entry

    def forget(self, tensor: Any) -> None:
        """Let go of the tensor's entry and weak reference."""
        self.known.pop(id(tensor), None)

    def spec(self, tensor: Any) -> int:
        """The id of the tensor's spec."""
        try:
            key = (tensor.shape, tensor.dtype, tensor.device, tensor.layout)
            found = self.specs.get(key)
            if found is not None:
                return found
        except (RuntimeError, TypeError, AttributeError, NotImplementedError):  # nested, symbolic, or foreign
            return self._odd_spec(tensor)
        return self._new_spec(key, tensor)

    def metadata_spec(self, metadata: Any) -> int:
        """The id of the spec that a node's input metadata describes: what its forward output looked like."""
        try:
            key = (tuple(metadata.shape), metadata.dtype, metadata.device, torch.strided)
            found = self.specs.get(key)
            if found is not None:
                return found
        except (RuntimeError, TypeError, AttributeError, NotImplementedError):
            key = None
        if key is None or metadata.is_nested_tensor:
            shape = ["nested"] if getattr(metadata, "is_cpp_nested_tensor", True) else [str(s) for s in metadata.shape]
            return self._writer.spec(shape, _short(metadata.dtype), str(metadata.device), "nested")
        return self._new_spec(key, None)

    def read(self, tensor: Any, entry: Known) -> None:
        """Fill the entry of a tensor whose properties are torch's own."""
        try:
            entry.spec = self.specs[tensor.shape, tensor.dtype, tensor.device, tensor.layout]
            entry.version = tensor._version
            flags = VALUE_REQUIRES_GRAD if tensor.requires_grad else 0
            if tensor.is_leaf:
                flags |= VALUE_LEAF
                if type(tensor) is not Tensor and isinstance(tensor, Parameter):
                    flags |= VALUE_PARAMETER
            if tensor._is_view():
                flags |= VALUE_VIEW
            if not tensor.is_contiguous():
                flags |= VALUE_NON_CONTIGUOUS
            entry.flags = flags
        except UNREADABLE:  # a new spec, or an odd kind
            self._read_carefully(tensor, entry)

    def _read_carefully(self, tensor: Any, entry: Known) -> None:
        """One property after the other: not every tensor has them all."""
        flags = VALUE_REQUIRES_GRAD if tensor.requires_grad else 0
        try:
            is_leaf = tensor.is_leaf
        except RuntimeError:  # a view made without grad mode, written to since: torch can't make its grad_fn
            is_leaf = False
        if is_leaf:
            flags |= VALUE_LEAF
            if type(tensor) is not Tensor and isinstance(tensor, Parameter):
                flags |= VALUE_PARAMETER
        if tensor._is_view():
            flags |= VALUE_VIEW
        try:
            if not tensor.is_contiguous():
                flags |= VALUE_NON_CONTIGUOUS
        except (RuntimeError, NotImplementedError):  # compressed layouts have no answer
            pass
        try:
            entry.version = tensor._version
        except RuntimeError:  # an inference tensor
            entry.version = -1
            flags |= UNVERSIONED
        entry.spec = self.spec(tensor)
        entry.flags = flags

    def _new_spec(self, key: Any, tensor: Any) -> int:
        shape, dtype, device, layout = key
        name = _short(layout)
        if tensor is not None and is_wrapped(tensor):
            name = "functorch"  # the logical shape; not remembered, since plain tensors look the same
            return self._writer.spec(list(shape), _short(dtype), str(device), name)
        number = self._writer.spec(list(shape), _short(dtype), str(device), name)
        self.specs[key] = number
        if layout is torch.strided and dtype.is_floating_point and dtype.itemsize > 1 and device.type != "meta":
            self.measurable.add(number)
        return number

    def _odd_spec(self, tensor: Any) -> int:
        layout = "nested" if getattr(tensor, "is_nested", False) else _short(getattr(tensor, "layout", "unknown"))
        try:
            shape = list(tensor.shape)
        except (RuntimeError, TypeError, NotImplementedError):
            try:
                shape = [tensor.size(0), "*"]  # a nested tensor of the old kind knows how many it holds
            except (RuntimeError, TypeError, IndexError):
                shape = ["?"]
        return self._writer.spec(shape, _short(tensor.dtype), str(tensor.device), layout)

    def sweep_if_due(self) -> None:
        """Forget the tensors that are gone, when there may be many."""
        if len(self.known) <= self._sweep_at:
            return
        for key, entry in list(self.known.items()):
            if entry() is None and self.known.get(key) is entry:
                del self.known[key]
        self._sweep_at = max(SWEEP_AT, 2 * len(self.known))


def is_wrapped(tensor: Any) -> bool:
    """Whether a functorch transform stands round it (vmap, grad, ...): its numbers can't be read, not even printed."""
    functorch = torch._C._functorch
    return bool(functorch.is_functorch_wrapped_tensor(tensor) or functorch.is_legacy_batchedtensor(tensor))


def version_of(tensor: Any, entry: Known) -> int:
    """The tensor's version, -1 where it has none."""
    if entry.flags & UNVERSIONED:
        return -1
    if entry.flags & FOREIGN:
        with torch._C.DisableTorchFunctionSubclass():
            return int(tensor._version)
    return int(tensor._version)


def _short(thing: Any) -> str:
    """ "float32" for torch.float32."""
    return str(thing).rpartition("torch.")[2].lstrip("_")
