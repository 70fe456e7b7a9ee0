"""How shapes, numbers and names are written in the graph: one place, so that every screen says the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradviz.diagnose.finding import ShapeOrWords
from gradviz.trace.model import Dim, Spec

THIN_SPACE = "\u2009"
_SHORT_DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "complex64": "c64",
    "complex128": "c128",
    "int64": "i64",
    "int32": "i32",
}


def shape_text(shape: Sequence[Dim]) -> str:
    """A shape as torch writes it, with a thin space in the empty one."""
    return "[" + (", ".join(map(str, shape)) if shape else THIN_SPACE) + "]"


def said(value: ShapeOrWords) -> str:
    """A finding's shape, or the words that stand in its place; "" for nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else shape_text(value)


def short_dtype(dtype: str) -> str:
    return _SHORT_DTYPES.get(dtype, dtype)


def change_text(given: Spec, expected: Spec) -> str:
    """What the engine made of a gradient to fit it: summed over dimensions, or cast. "" where it fits as it is."""
    if given.shape != expected.shape:
        return f"Σ {shape_text(given.shape)} → {shape_text(expected.shape)}"
    if given.dtype != expected.dtype:
        return f"{short_dtype(given.dtype)} → {short_dtype(expected.dtype)}"
    return ""


def count_text(number: int) -> str:
    """A parameter count, short: 650, 38.6 M."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e4, "K")):
        if number >= size:
            value = number / (1e3 if letter == "K" else size)
            return f"{value:.3g} {letter}"
    return f"{number:,}"


def number_text(value: float) -> str:
    """Three figures, or a power of ten: -2.27, 0.053, -5.0e-3, 1.2e7."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if value == 0:
        return "0"
    if size < 1e-2 or size >= 1e5:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.3g}" if size < 1000 else f"{value:,.0f}"


def plain_text(text: str) -> str:
    """Without control characters: XML can't hold them, and a recording may come from anywhere."""
    return "".join(char if char.isprintable() or char in "\t\n\u2009" else "\ufffd" for char in text)


def elided(text: str, limit: int) -> str:
    """At most `limit` characters, the rest told by an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
