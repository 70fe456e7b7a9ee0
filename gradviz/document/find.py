"""Search in one backward pass: by node name, module, parameter or variable, shape (`164`, `[*, 10]`) and line (`:18`).

The index is built once for a pass, away from the window's thread, with a reader of its own; queries on it are quick.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Dim
from gradviz.trace.reader import Trace

LIMIT = 60
_SHAPE = re.compile(r"^[\[(](.*)[\])]$")
_LINE = re.compile(r"^(?:line\s*|:)(\d+)$", re.IGNORECASE)


@dataclass(frozen=True)
class Hit:
    """One place that matches: a node of the pass, or a line of the script."""

    kind: str  # node | leaf | module | line | shape: what matched
    title: str
    detail: str
    node: int
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Entry:
    """What one node can be found by."""

    name: str
    leaf: str
    module: str
    file: str
    line: int
    shapes: tuple[tuple[Dim, ...], ...]


class Index:
    """All nodes of a pass, in a form to search in."""

    def __init__(self, pass_id: int, entries: list[Entry]) -> None:
        self.pass_id = pass_id
        self._entries = entries

    @classmethod
    def build(cls, path: Path, pass_id: int) -> Index:
        """Read what can be searched for. Raises TraceError."""
        with Trace(path) as trace:
            return cls(pass_id, _entries(trace, trace.graph(pass_id)))

    def search(self, query: str, limit: int = LIMIT) -> tuple[Hit, ...]:
        """The best matches first: whole names, then beginnings, then parts; each node at most once."""
        text = query.strip()
        if not text:
            return ()
        line = _LINE.match(text)
        if line:
            return self._by_line(int(line[1]), limit)
        shape = _SHAPE.match(text)
        if shape:
            return self._by_shape(_pattern(shape[1]), limit)
        if text.isdigit():
            found = self._by_line(int(text), limit) + self._by_size(int(text), limit)
            return _once(found + self._by_text(text, limit), limit)
        return self._by_text(text, limit)

    def _by_line(self, line: int, limit: int) -> tuple[Hit, ...]:
        return self._hits("line", (i for i, each in enumerate(self._entries) if each.line == line), limit)

    def _by_size(self, size: int, limit: int) -> tuple[Hit, ...]:
        having = (i for i, each in enumerate(self._entries) if any(size in shape for shape in each.shapes))
        return self._hits("shape", having, limit)

    def _by_shape(self, pattern: tuple[str, ...], limit: int) -> tuple[Hit, ...]:
        having = (i for i, each in enumerate(self._entries) if any(_fits(pattern, shape) for shape in each.shapes))
        return self._hits("shape", having, limit)

    def _by_text(self, text: str, limit: int) -> tuple[Hit, ...]:
        needle = text.casefold()
        ranked: list[tuple[int, int, str]] = []
        for index, each in enumerate(self._entries):
            for kind, name in (("leaf", each.leaf), ("node", each.name), ("module", each.module)):
                where = name.casefold().find(needle)
                if where >= 0:
                    rank = 0 if len(name) == len(needle) else 1 if where == 0 else 2
                    ranked.append((rank, index, kind))
                    break
        ranked.sort()
        return tuple(self._hit(kind, index) for _, index, kind in ranked[:limit])

    def _hits(self, kind: str, indices: Iterable[int], limit: int) -> tuple[Hit, ...]:
        found: list[Hit] = []
        for index in indices:
            found.append(self._hit(kind, index))
            if len(found) == limit:
                break
        return tuple(found)

    def _hit(self, kind: str, index: int) -> Hit:
        each = self._entries[index]
        place = f"{Path(each.file).name}:{each.line}" if each.line else ""
        parts = [each.module, place, *map(shape_text, each.shapes[:2])]
        title = f"{each.leaf} {each.name}" if each.leaf else each.name
        return Hit(kind, title, " · ".join(part for part in parts if part), index, each.file, each.line)


def shape_text(shape: tuple[Dim, ...]) -> str:
    """A shape as torch writes it, with a thin space in the empty one."""
    return "[" + (", ".join(map(str, shape)) if shape else "\u2009") + "]"


def _once(hits: tuple[Hit, ...], limit: int) -> tuple[Hit, ...]:
    seen: dict[int, Hit] = {}
    for hit in hits:
        seen.setdefault(hit.node, hit)
    return tuple(seen.values())[:limit]


def _pattern(inside: str) -> tuple[str, ...]:
    return tuple(part for part in (each.strip() for each in inside.split(",")) if part)


def _fits(pattern: tuple[str, ...], shape: tuple[Dim, ...]) -> bool:
    """`*` is any size, `...` any number of dimensions (once)."""
    if "..." in pattern:
        cut = pattern.index("...")
        before, after = pattern[:cut], pattern[cut + 1 :]
        if len(shape) < len(before) + len(after):
            return False
        return _fits(before, shape[: len(before)]) and _fits(after, shape[len(shape) - len(after) :])
    return len(pattern) == len(shape) and all(want in ("*", str(size)) for want, size in zip(pattern, shape))


def _entries(trace: Trace, graph: PassGraph) -> list[Entry]:
    leaves, modules = trace.leaves(), trace.modules()
    strings: dict[int, str] = {}
    specs: dict[int, tuple[Dim, ...] | None] = {}
    calls: dict[int, str] = {}
    places: dict[int, tuple[str, int]] = {}

    def name(number: int) -> str:
        if number not in strings:
            strings[number] = trace.string(number)
        return strings[number]

    def shape(number: int) -> tuple[Dim, ...] | None:
        if number not in specs:
            spec = trace.spec(number)
            specs[number] = spec.shape if spec is not None else None
        return specs[number]

    def module(number: int) -> str:
        if number not in calls:
            call = trace.call(number) if number >= 0 else None
            calls[number] = modules[call.module].path if call is not None and call.module < len(modules) else ""
        return calls[number]

    def place(number: int) -> tuple[str, int]:
        if number not in places:
            op = trace.op(number) if number >= 0 else None
            places[number] = (op.stack[0].file, op.stack[0].line) if op is not None and op.stack else ("", 0)
        return places[number]

    expected = graph.expected_spec.tolist()
    rows = zip(
        graph.name.tolist(),
        graph.leaf.tolist(),
        graph.call.tolist(),
        graph.op.tolist(),
        graph.expected_start.tolist(),
        graph.expected_end.tolist(),
    )
    entries: list[Entry] = []
    for name_id, leaf, call, op, start, end in rows:
        leaf_of = leaves[leaf] if 0 <= leaf < len(leaves) else None
        file, line = place(op)
        if not line and leaf_of is not None and leaf_of.stack:
            file, line = leaf_of.stack[0].file, leaf_of.stack[0].line
        shapes = tuple(found for found in map(shape, expected[start:end]) if found is not None)
        entries.append(Entry(name(name_id), leaf_of.name if leaf_of else "", module(call), file, line, shapes))
    return entries
