"""What a pass that handed on NaN was computed from: whether it began with numbers that weren't finite already.

Told for a pass that is stored, so that diagnosis can tell a fault of its own from what an earlier one spoiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps
from typing import Any

from gradviz.trace.writer import TraceWriter

NOT_FINITE = "not-finite"  # kind of note; gradviz/diagnose/rules/nonfinite_spread.py reads it


def tell_of_numbers(writer: TraceWriter, number: int, leaves: bool, constants: Iterable[int] = ()) -> None:
    """`leaves`: whether one of the pass's leaves isn't finite, or can't be looked at any more. `constants`: the numbers
    of those that the script holds and that aren't finite, of this pass or not.
    """
    detail = dumps({"pass": number, "leaves": leaves, "constants": sorted(constants)})
    writer.add("note", kind=NOT_FINITE, text="", stack=None, detail=detail)


def is_finite(numpy: Any, array: Any) -> bool:
    """Whether all its entries are; what isn't made of floating-point or complex numbers is."""
    numbers = numpy.asarray(array)
    return numbers.dtype.kind not in "fc" or bool(numpy.isfinite(numbers).all())
