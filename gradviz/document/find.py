"""Search in one backward pass: nodes, parameters, modules, lines (`:18`, or their text) and shapes (`164`, `[*, 10]`).

The index is built once for a pass, away from the window's thread, with a reader of its own. A query looks at each
name, module, line and shape once and finds their nodes in columns: of 50,000 nodes between two letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gradviz.document.find_columns import MOST_LINES, Columns, Numbers, Shape, nothing, read_columns
from gradviz.document.shape_pattern import ShapePattern, Span, parsed
from gradviz.scene.words import shape_text
from gradviz.trace.reader import Trace

FEW, MANY = 6, 200  # of a kind: at first, and when all of it is asked for
MOST_RINGED = 2000  # nodes of a shape or a line that a hit takes along
KINDS = ("node", "module", "line", "shape")
_LINE = re.compile(r"^(?:line\s*|:)(\d+)$", re.IGNORECASE)
_NONE = 9  # a rank: doesn't match


@dataclass(frozen=True)
class Hit:
    """One place that matches. `marks` and `detail_marks` are the parts of the texts that do."""

    kind: str  # node | leaf | module | line | shape
    title: str
    detail: str = ""
    node: int = -1  # the first of `nodes`, -1 none
    nodes: tuple[int, ...] = ()
    file: str = ""
    line: int = 0
    module: int = -1  # its id
    marks: tuple[Span, ...] = ()
    detail_marks: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Found:
    """The hits of one kind, the best first, and how many there are in all."""

    kind: str  # one of KINDS
    total: int
    hits: tuple[Hit, ...]


class Index:
    """All that a pass can be searched for."""

    def __init__(self, columns: Columns) -> None:
        self._all = columns
        text = [(one.path, number, line) for one in columns.sources for number, line in _lines(one.text)]
        self._lines = text[:MOST_LINES]
        self._folded = [line.casefold() for _, _, line in self._lines]
        self._place_of = {place: at for at, place in enumerate(columns.places)}

    @classmethod
    def build(cls, path: Path, pass_id: int) -> Index:
        """Read what can be searched for. Raises TraceError."""
        with Trace(path) as trace:
            return cls(read_columns(trace, pass_id))

    @classmethod
    def empty(cls) -> Index:
        return cls(nothing())

    def search(self, query: str, wide: Iterable[str] = ()) -> tuple[Found, ...]:
        """By kind, those without a hit left out. Of the kinds in `wide` up to MANY are told, else FEW."""
        text = " ".join(query.split())
        if not text:
            return ()
        line = _LINE.match(text)
        pattern = parsed(text)
        limits = {kind: MANY if kind in set(wide) else FEW for kind in KINDS}
        if line:
            found = [self._lines_at(int(line[1]), limits["line"]), self._nodes_at(int(line[1]), limits["node"])]
        elif pattern is not None and not pattern.loose:
            found = [self._shapes(pattern, limits["shape"]), self._nodes_of(pattern, [], limits["node"])]
        else:
            words = text.casefold().split()
            shapes = self._shapes(pattern, limits["shape"]) if pattern is not None else Found("shape", 0, ())
            here = self._lines_at(int(text), 1) if text.isdigit() else Found("line", 0, ())
            said = self._lines_with(words, limits["line"])
            lines = Found("line", here.total + said.total, (*here.hits, *said.hits)[: limits["line"]])
            found = [
                self._nodes_of(pattern, words, limits["node"]),
                self._modules(words, limits["module"]),
                lines,
                shapes,
            ]
        return tuple(each for each in found if each.total)

    # -- nodes
    def _nodes_of(self, pattern: ShapePattern | None, words: Sequence[str], limit: int) -> Found:
        """Nodes whose names hold all the words, and those that receive such a shape."""
        columns = self._all
        rank = np.full(len(columns), _NONE, np.int64)
        if words:
            rank = np.zeros(len(columns), np.int64)
            for word in words:
                own = np.minimum(_ranks(columns.names, word)[columns.name], _ranks(columns.leaves, word)[columns.leaf])
                near = np.minimum(_ranks(columns.modules, word), _ranks(columns.classes, word))[columns.module]
                rank = np.maximum(rank, np.minimum(own, np.where(near < _NONE, 3, _NONE)))
        if pattern is not None and len(columns.shape):
            having = columns.shaped[self._fitting(pattern)[columns.shape]]
            rank[having] = np.minimum(rank[having], 4)
        matching = np.flatnonzero(rank < _NONE)
        best = matching[np.argsort(rank[matching], kind="stable")[:limit]]
        return Found("node", len(matching), tuple(self._node(at, words, pattern) for at in best.tolist()))

    def _nodes_at(self, line: int, limit: int) -> Found:
        places = [at for at, place in enumerate(self._all.places) if place[1] == line]
        nodes = np.flatnonzero(np.isin(self._all.place, places))
        return Found("node", len(nodes), tuple(self._node(at, [f":{line}"], None) for at in nodes[:limit].tolist()))

    def _node(self, node: int, words: Sequence[str], pattern: ShapePattern | None) -> Hit:
        columns = self._all
        leaf, name = columns.leaves[int(columns.leaf[node])], columns.names[int(columns.name[node])]
        file, line = columns.places[int(columns.place[node])]
        title, module = leaf or name, columns.modules[int(columns.module[node])]
        detail = _Detail()
        detail.add(name if leaf else "", words)
        detail.add("" if leaf and leaf.startswith(module) else module, words)
        detail.add(f"{Path(file).name}:{line}" if line else "", [word for word in words if word.startswith(":")])
        for number in columns.shapes_of(node)[:2]:
            shape = columns.shapes[number]
            fits = pattern is not None and pattern.fits(shape)
            detail.add(shape_text(shape), (), pattern.marks(shape) if pattern is not None and fits else ())
        hit = Hit("leaf" if leaf else "node", title, node=node, nodes=(node,), file=file, line=line)
        return replace(hit, marks=marks_of(title, words), detail=detail.text, detail_marks=tuple(detail.marks))

    def leaves(self, query: str, limit: int = MANY) -> Found:
        """Parameters and variables whose names hold all the words; all of them for an empty query."""
        columns, words = self._all, query.casefold().split()
        _, first = np.unique(columns.leaf, return_index=True)
        named = [at for at in first.tolist() if columns.leaf[at]]
        fitting = [at for at in named if all(word in columns.leaves[columns.leaf[at]].casefold() for word in words)]
        return Found("leaf", len(fitting), tuple(self._node(at, words, None) for at in fitting[:limit]))

    # -- modules
    def _modules(self, words: Sequence[str], limit: int) -> Found:
        columns = self._all
        rank = np.zeros(len(columns.modules), np.int64)
        for word in words:
            named = np.minimum(_ranks(columns.modules, word), _ranks(columns.classes, word) + 3)
            rank = np.maximum(rank, np.where(named >= _NONE, _NONE, named))
        rank[:1] = _NONE  # of those in none
        matching = np.flatnonzero(rank < _NONE)
        best = matching[np.argsort(rank[matching], kind="stable")[:limit]].tolist()
        return Found("module", len(matching), tuple(self._module(at, words) for at in best))

    def _module(self, at: int, words: Sequence[str]) -> Hit:
        path, kind = self._all.modules[at], self._all.classes[at]
        detail = kind if path else ""
        hit = Hit("module", path or kind, detail, module=at - 1, detail_marks=marks_of(detail, words))
        return replace(hit, marks=marks_of(hit.title, words))

    # -- lines
    def _lines_with(self, words: Sequence[str], limit: int) -> Found:
        """Lines of the sources that hold all the words; those that made nodes first."""
        matching = [at for at, text in enumerate(self._folded) if all(word in text for word in words)]
        matching.sort(key=lambda at: self._lines[at][:2] not in self._place_of)
        return Found("line", len(matching), tuple(self._line(at, words) for at in matching[:limit]))

    def _lines_at(self, number: int, limit: int) -> Found:
        """The line of this number, of each file."""
        matching = [at for at, (_, line, _) in enumerate(self._lines) if line == number]
        if not matching:  # a recording without its source
            places = [place for place in self._all.places if place[1] == number]
            hits = tuple(self._place(*place, "", [str(number)]) for place in places)
            return Found("line", len(hits), hits[:limit])
        matching.sort(key=lambda at: self._lines[at][:2] not in self._place_of)
        return Found("line", len(matching), tuple(self._line(at, [f":{number}"]) for at in matching[:limit]))

    def _line(self, at: int, words: Sequence[str]) -> Hit:
        file, number, text = self._lines[at]
        return self._place(file, number, text.strip(), words)

    def _place(self, file: str, line: int, text: str, words: Sequence[str]) -> Hit:
        at = self._place_of.get((file, line), -1)
        nodes = np.flatnonzero(self._all.place == at)[:MOST_RINGED].tolist() if at >= 0 else []
        where = f"{Path(file).name}:{line}"
        first = nodes[0] if nodes else -1
        hit = Hit("line", text or where, where if text else "", first, tuple(nodes), file, line)
        return replace(hit, marks=marks_of(hit.title, words), detail_marks=marks_of(hit.detail, words))

    # -- shapes
    def _fitting(self, pattern: ShapePattern) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([pattern.fits(shape) for shape in self._all.shapes], bool)

    def _shapes(self, pattern: ShapePattern, limit: int) -> Found:
        """Each shape once, the commonest first."""
        columns = self._all
        counts = np.bincount(columns.shape, minlength=len(columns.shapes))
        matching = np.flatnonzero(self._fitting(pattern)) if len(columns.shapes) else np.empty(0, np.int64)
        best = matching[np.argsort(-counts[matching], kind="stable")[:limit]].tolist()
        return Found("shape", len(matching), tuple(self._shape(columns.shapes[at], at, pattern) for at in best))

    def _shape(self, shape: Shape, at: int, pattern: ShapePattern) -> Hit:
        nodes: Numbers = np.unique(self._all.shaped[self._all.shape == at])
        first = int(nodes[0]) if len(nodes) else -1
        return Hit(
            "shape", shape_text(shape), "", first, tuple(nodes[:MOST_RINGED].tolist()), marks=pattern.marks(shape)
        )


class _Detail:
    """Parts joined by dots, with the places of what matches in them."""

    def __init__(self) -> None:
        self.text = ""
        self.marks: list[Span] = []

    def add(self, part: str, words: Sequence[str], spans: Sequence[Span] = ()) -> None:
        if part:
            self.text += " · " if self.text else ""
            at = len(self.text)
            self.text += part
            self.marks += [(at + start, at + end) for start, end in (*spans, *marks_of(part, words))]


def _ranks(texts: Sequence[str], word: str) -> Numbers:
    """0 the whole text, 1 its beginning, 2 a part of it, _NONE not in it."""
    found = np.full(len(texts), _NONE, np.int64)
    for at, text in enumerate(texts):
        folded = text.casefold()
        where = folded.find(word)
        if where >= 0:
            found[at] = 0 if folded == word else 1 if where == 0 else 2
    return found


def marks_of(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    spans = [each.span() for word in words for each in re.finditer(re.escape(word), text, re.IGNORECASE)]
    return joined(spans)


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """In order, with those that touch made one."""
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return tuple(whole)


def _lines(text: str | None) -> Iterable[tuple[int, str]]:
    return ((number, line) for number, line in enumerate((text or "").splitlines(), 1) if line.strip())
