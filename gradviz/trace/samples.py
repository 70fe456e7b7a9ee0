"""Kept numbers of tensors: each sample's shape, strides and bytes agree, or it is damage."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradviz.trace.interned import Interned
from gradviz.trace.model import Sample
from gradviz.trace.opening import TraceFile
from gradviz.trace.rows import Row

ITEM_BYTES = {
    **dict.fromkeys(("bool", "uint8", "int8"), 1),
    **dict.fromkeys(("int16", "uint16", "float16"), 2),
    **dict.fromkeys(("int32", "uint32", "float32"), 4),
    **dict.fromkeys(("int64", "uint64", "float64", "complex64"), 8),
    "complex128": 16,
}
ROLES = ("received", "returned", "seed", "leaf-grad", "operand")


def read_samples(file: TraceFile, interned: Interned, where: str, arguments: Sequence[object]) -> tuple[Sample, ...]:
    rows = file.rows("sample", f"WHERE {where} ORDER BY id", arguments)
    return tuple(sample_of(row, interned) for row in rows)


def sample_of(row: Row, interned: Interned) -> Sample:
    shape = row.integers("shape")
    strides = row.integers("strides", 1)
    spec = interned.known_spec(row.integer("spec"))
    dtype = row.choice("dtype", tuple(ITEM_BYTES))
    data = row.blob("data")
    if not len(shape) == len(strides) == len(spec.shape):
        raise row.damaged("shape", "has another number of dimensions than its tensor")
    if len(data) != math.prod(shape) * ITEM_BYTES[dtype]:
        raise row.damaged("data", f"has {len(data):,} bytes, which {list(shape)} of {dtype} doesn't fill")
    return Sample(
        pass_id=row.optional_integer("pass"),
        step=row.optional_integer("step", -1),
        slot=row.integer("slot"),
        role=row.choice("role", ROLES),
        spec=spec,
        strides=strides,
        shape=shape,
        dtype=dtype,
        version=row.integer("version", -1),
        data=data,
    )
