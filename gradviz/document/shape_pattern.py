"""Shapes as one types them to search: `[*, 10]`, `(3, ..., 10)`, `3×10`; `164` alone is any size in a shape."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.scene.words import shape_text
from gradviz.trace.model import Dim

ANY, MANY = "*", "..."
_BRACKETED = re.compile(r"^[\[(](.*?)[\])]?$")  # while one types, the closing one isn't there yet
_CROSSED = re.compile(r"\s*[×x]\s*")
_PART = re.compile(r"^(?:\d+|\*|\.\.\.|…)$")
_NAMED = re.compile(r"^[A-Za-z_]\w*$")  # symbolic sizes: s0

Span = tuple[int, int]


@dataclass(frozen=True)
class ShapePattern:
    """`parts`: sizes, ANY for one dimension, MANY for any number of them. `loose`: the sizes may stand anywhere."""

    parts: tuple[str, ...]
    loose: bool = False

    def fits(self, shape: Sequence[Dim]) -> bool:
        if self.loose:
            return any(str(size) in self.parts for size in shape)
        return _fits(self.parts, shape)

    def marks(self, shape: Sequence[Dim]) -> tuple[Span, ...]:
        """Where in the shape's text the sizes stand that were asked for; all of it where only wildcards were."""
        named = {part for part in self.parts if part not in (ANY, MANY)}
        if not named:
            return ((0, len(shape_text(shape))),)
        spans, at = [], 1
        for size in shape:
            end = at + len(str(size))
            if str(size) in named:
                spans.append((at, end))
            at = end + 2
        return tuple(spans)


def parsed(text: str) -> ShapePattern | None:
    """None where this is no shape."""
    typed = text.strip()
    bracketed = _BRACKETED.match(typed)
    if bracketed:
        return _exact(re.split(r"\s*,\s*|\s+", bracketed[1].replace("\u2009", " ").strip()), named=True)
    if typed.isdigit():
        return ShapePattern((typed,), loose=True)
    if "," in typed:
        return _exact(typed.split(","))
    parts = _CROSSED.split(typed)
    return _exact(parts) if len(parts) > 1 else None


def _exact(parts: list[str], named: bool = False) -> ShapePattern | None:
    """`named`: in brackets, where a size may have a name."""
    said = [part.strip() for part in parts if part.strip()]
    if not all(_PART.match(part) or (named and _NAMED.match(part)) for part in said):
        return None
    plain = tuple(MANY if part == "…" else part for part in said)
    return ShapePattern(plain) if plain or named else None


def _fits(parts: Sequence[str], shape: Sequence[Dim]) -> bool:
    """As a file name fits a pattern: each MANY takes as few dimensions as it can, and more where that doesn't do."""
    if not parts:
        return not shape
    if parts[0] == MANY:
        return any(_fits(parts[1:], shape[at:]) for at in range(len(shape) + 1))
    return bool(shape) and parts[0] in (ANY, str(shape[0])) and _fits(parts[1:], shape[1:])
