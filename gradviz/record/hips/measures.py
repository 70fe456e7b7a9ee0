"""The numbers that autograd's values are made of: boxes looked through, containers taken apart."""

from __future__ import annotations

from typing import Any

from gradviz.record.arraymeasures import ArrayMeasures
from gradviz.record.hips.values import ndarray, numpy, unboxed


def measures() -> ArrayMeasures:
    """Measures with the numpy that autograd itself computes with."""
    return ArrayMeasures(numpy)


def arrays_in(value: Any) -> list[Any]:
    """The arrays that a result is made of."""
    value = unboxed(value)
    if isinstance(value, (list, tuple, dict)):
        return [array for each in (value.values() if isinstance(value, dict) else value) for array in arrays_in(each)]
    return [value] if isinstance(value, ndarray) else []


def figures_of(value: Any) -> tuple[Any, ...] | None:
    """nans, infs, zeros, min, max, mean, norm of one value; None where it has no numbers."""
    alone = measures()
    alone.add(0, as_array(value))
    return alone.of(0)


def as_array(value: Any) -> Any:
    """The numbers of a number, or of all parts of a container end to end."""
    value = unboxed(value)
    if isinstance(value, (list, tuple, dict)):
        parts = [as_array(each) for each in (value.values() if isinstance(value, dict) else value)]
        return numpy.concatenate(parts, axis=None) if parts else numpy.zeros(0)
    return numpy.asarray(value)
