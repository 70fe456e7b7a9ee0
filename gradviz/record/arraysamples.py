"""A few numbers of a numpy array as bytes: every k-th entry per dimension, so that a heat map has something to show."""

from __future__ import annotations

from json import dumps
from typing import Any

from gradviz.record.thinning import MOST, PER_DIMENSION, strides_for

NAMES = {"float32", "float64", "int64", "int32", "uint8", "complex64", "complex128"}
WIDENED = {"bool": "uint8", "int8": "int32", "int16": "int32", "float16": "float32"}


def sample_of_array(
    numpy: Any, given: Any, whole: bool = False, per_dimension: int = PER_DIMENSION
) -> dict[str, Any] | None:
    """Columns of a `sample` row: strides, shape, dtype, version, data. None for what has no numbers to show."""
    if given.dtype.kind not in "fciub":
        return None
    most = min(MOST, per_dimension**2)
    strides = [1] * given.ndim if whole else strides_for(list(given.shape), most, per_dimension)
    kept = given[tuple(slice(None, None, step) for step in strides)]
    name = WIDENED.get(kept.dtype.name, kept.dtype.name)
    if name not in NAMES:
        name = "complex128" if kept.dtype.kind == "c" else "float64"
    kept = kept.astype(numpy.dtype(name).newbyteorder("<"), order="C")
    return {
        "strides": dumps(strides),
        "shape": dumps(list(kept.shape)),
        "dtype": name,
        "version": -1,
        "data": kept.tobytes(),
    }
