"""A few numbers of an array as bytes: every k-th entry per dimension, so that a heat map has something to show."""

from __future__ import annotations

import json
from typing import Any

from gradviz.record.hips.values import numpy, unboxed
from gradviz.record.thinning import MOST, PER_DIMENSION, strides_for

NAMES = {"float32", "float64", "int64", "int32", "uint8", "complex64", "complex128"}
WIDENED = {"bool": "uint8", "int8": "int32", "int16": "int32", "float16": "float32"}


def sample_of(value: Any, whole: bool = False, per_dimension: int = PER_DIMENSION) -> dict[str, Any] | None:
    """Columns of a `sample` row: strides, shape, dtype, version, data. None for what has no numbers to show."""
    try:
        given = numpy.asarray(unboxed(value))
        most = min(MOST, per_dimension**2)
        strides = [1] * given.ndim if whole else strides_for(list(given.shape), most, per_dimension)
        kept = given[tuple(slice(None, None, step) for step in strides)]
        name = WIDENED.get(kept.dtype.name, kept.dtype.name)
        if kept.dtype.kind not in "fciub":
            return None
        if name not in NAMES:
            name = "complex128" if kept.dtype.kind == "c" else "float64"
        kept = kept.astype(numpy.dtype(name).newbyteorder("<"), order="C")
        return {
            "strides": json.dumps(strides),
            "shape": json.dumps(list(kept.shape)),
            "dtype": name,
            "version": -1,
            "data": kept.tobytes(),
        }
    except Exception:  # noqa: BLE001  # foreign: subclasses of arrays with ways of their own
        return None
