"""Second lines of boxes, made when they are drawn: of tens of thousands of nodes, few hundred show at a time."""

from __future__ import annotations

from gradviz.scene.model import Draft, Kind
from gradviz.scene.snippets import short_piece, source_piece
from gradviz.scene.wording import ENGLISH, Wording
from gradviz.scene.words import shape_text
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Frame, Op
from gradviz.trace.reader import Trace


class Texts:
    """Texts of one pass's nodes, read from the trace on demand and kept."""

    def __init__(self, trace: Trace, graph: PassGraph, wording: Wording = ENGLISH) -> None:
        self._trace = trace
        self._graph = graph
        self._words = wording
        self._leaves = trace.leaves()
        self._sources: dict[str, str | None] = {}
        self._pieces: dict[Frame, str] = {}
        self._seconds: dict[int, str] = {}

    def name(self, draft: Draft, box: int) -> str:
        return draft.names[int(draft.name[box])]

    def second(self, draft: Draft, box: int) -> str:
        """The quiet line under a box's name; "" where there is nothing to say."""
        known: str | None = draft.seconds.get(box)
        if known is not None:
            return known
        node = int(draft.node[box])
        if node < 0 or draft.kind[box] == Kind.SEED:
            return ""
        return self.of_node(node)

    def of_node(self, node: int) -> str:
        found = self._seconds.get(node)
        if found is None:
            leaf = int(self._graph.leaf[node])
            found = self._leaf(leaf) if leaf >= 0 else self._made_by(int(self._graph.op[node]))
            self._seconds[node] = found
        return found

    def line(self, node: int) -> tuple[str, int]:
        """File and line that made a node; ("", 0) unknown."""
        leaf = int(self._graph.leaf[node])
        if 0 <= leaf < len(self._leaves):
            stack = self._leaves[leaf].stack
        else:
            op = self._op(node)
            stack = op.stack if op is not None else ()
        return (stack[0].file, stack[0].line) if stack else ("", 0)

    def _op(self, node: int) -> Op | None:
        number = int(self._graph.op[node])
        return self._trace.op(number) if number >= 0 else None

    def _leaf(self, number: int) -> str:
        if number >= len(self._leaves):
            return ""
        leaf = self._leaves[number]
        where = f" · {self._words.at_line(leaf.stack[0].line)}" if leaf.kind == "variable" and leaf.stack else ""
        return shape_text(leaf.spec.shape) + where

    def _made_by(self, number: int) -> str:
        op = self._trace.op(number) if number >= 0 else None
        if op is None:
            return ""
        if not op.stack:
            return op.name
        return f"{self._words.at_line(op.stack[0].line)} · {self._piece(op)}"

    def _piece(self, op: Op) -> str:
        call = self._trace.call(op.call) if op.call >= 0 else None
        if call is not None and call.stack[:1] == op.stack[:1]:
            return op.name  # inside a library module: the span is the module's call, the same for all its ops
        frame = op.stack[0]
        found = self._pieces.get(frame)
        if found is None:
            found = self._pieces[frame] = short_piece(source_piece(self._text(frame.file), frame))
        return found or op.name

    def _text(self, path: str) -> str | None:
        if path not in self._sources:
            source = self._trace.source(path)
            self._sources[path] = source.text if source is not None else None
        return self._sources[path]
