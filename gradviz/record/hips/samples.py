"""A few numbers of a value of autograd's, boxed or not, so that a heat map has something to show."""

from __future__ import annotations

from typing import Any

from gradviz.record.arraysamples import sample_of_array
from gradviz.record.hips.values import numpy, unboxed
from gradviz.record.thinning import PER_DIMENSION


def sample_of(value: Any, whole: bool = False, per_dimension: int = PER_DIMENSION) -> dict[str, Any] | None:
    """Columns of a `sample` row: strides, shape, dtype, version, data. None for what has no numbers to show."""
    try:
        return sample_of_array(numpy, numpy.asarray(unboxed(value)), whole, per_dimension)
    except Exception:  # noqa: BLE001  # foreign: subclasses of arrays with ways of their own
        return None
