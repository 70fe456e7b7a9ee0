"""Numbers for tensors and their descriptions. TensorFlow numbers its eager tensors, and uses no number twice.

No tensor is kept, and none is asked for more than its shape and type, but where a gradient is measured.
"""

from __future__ import annotations

import sys
from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.framework import dtypes, indexed_slices, ops

from gradviz.trace.packing import FIRST_TENSORFLOW_VALUE
from gradviz.trace.writer import TraceWriter

numpy: Any = sys.modules["numpy"]  # TensorFlow has imported it: it hands its numbers out as numpy arrays
EagerTensor = ops.EagerTensor
IndexedSlices = indexed_slices.IndexedSlices
FIRST_VALUE = FIRST_TENSORFLOW_VALUE  # values of other frameworks have the numbers below
MOST_KNOWN = 50_000
TRAINABLE = (
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64, dtypes.complex128,
    dtypes.resource, dtypes.variant,
)  # fmt: skip  # what a tape follows
TRAINABLE_ENUMS = frozenset(each.as_datatype_enum for each in TRAINABLE)


class Values:
    """Describes tensors."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._specs: dict[tuple[Any, ...], int] = {}
        self.known: dict[int, int] = {}  # number of a tensor -> its spec: each is an input of several ops
        self.trainable: set[int] = set()  # specs of tensors that a tape follows
        self.shapes: dict[int, tuple[Any, ...]] = {}
        self._has_devices: bool | None = None  # whether a tensor may lie elsewhere than on the processor

    def spec(self, tensor: Any) -> int:
        """The id of an eager tensor's description."""
        number = tensor._id
        found = self.known.get(number)
        if found is None:
            if len(self.known) > MOST_KNOWN:
                self.known.clear()
            found = self.known[number] = self._describe(tensor)
        return found

    def _describe(self, tensor: Any) -> int:
        key: tuple[Any, ...] = (tensor._shape_tuple(), tensor._datatype_enum())
        if self._has_devices is None:
            self._has_devices = bool(context.context().num_gpus())
        if self._has_devices:
            key = (*key, device_name(tensor.device))
        return self._new(key)

    def _new(self, key: tuple[Any, ...]) -> int:
        found = self._specs.get(key)
        if found is not None:
            return found
        shape = tuple("?" if size is None else int(size) for size in key[0] or ())
        device = key[2] if len(key) > 2 else "cpu"
        found = self._specs[key] = self._writer.spec(shape, dtypes.as_dtype(key[1]).name, device, "strided")
        self.shapes[found] = shape
        if key[1] in TRAINABLE_ENUMS:
            self.trainable.add(found)
        return found

    def of_array(self, value: Any) -> int:
        """The same of a tensor, or of a numpy array that stands for one."""
        if isinstance(value, EagerTensor):
            return self.spec(value)
        return self.like(value.shape, dtypes.as_dtype(value.dtype))

    def like(self, shape: Any, dtype: Any, layout: str = "strided") -> int:
        """The description of a variable, or of a sparse gradient: what it stands for."""
        sizes = tuple("?" if size is None else int(size) for size in shape)
        if layout == "strided":
            return self._new((sizes, dtype.as_datatype_enum))
        found = self._writer.spec(sizes, dtype.name, "cpu", layout)
        self.shapes[found] = sizes
        return found

    def of_gradient(self, gradient: Any) -> int:
        """The same of a gradient, which may be sparse; -1 for None."""
        if gradient is None:
            return -1
        if isinstance(gradient, EagerTensor):
            return self.spec(gradient)
        if isinstance(gradient, IndexedSlices):
            shape = gradient.shape
            sizes = shape.as_list() if shape.rank is not None else ["?"]
            return self.like(sizes, gradient.dtype, "indexed_slices")
        return self._writer.spec(("?",), type(gradient).__name__, "cpu", "object")


def number_of(tensor: Any) -> int:
    """The value number of a tensor."""
    return FIRST_VALUE + int(tensor._id)


def device_name(device: str) -> str:
    """`cuda:0` of `/job:localhost/replica:0/task:0/device:GPU:0`."""
    kind, _, index = device.rpartition("device:")[2].lower().partition(":")
    return "cpu" if kind == "cpu" else f"{'cuda' if kind == 'gpu' else kind}:{index}"


def array_of(gradient: Any) -> Any:
    """The numbers of a gradient, without a copy where it lies in the processor's memory; None for what has none."""
    if isinstance(gradient, IndexedSlices):
        gradient = gradient.values
    if not isinstance(gradient, EagerTensor) or gradient._datatype_enum() not in TRAINABLE_ENUMS:
        return None
    found = numpy.asarray(gradient._numpy())
    return found.astype(numpy.float32) if found.dtype.kind == "V" else found  # bfloat16 is a type of its own
