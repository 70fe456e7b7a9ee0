"""Where the loops of a source file stand, and how their first lines read: `for t in range(steps)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.scene.words import elided
from gradviz.trace.model import Stack
from gradviz.trace.reader import Trace
from gradviz.trace.syntax import parse_module

LONGEST = 44  # characters of a loop's first line
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class LoopLines:
    """A loop statement: lines from 1, `last` included; `body` is the first line of what is repeated."""

    first: int
    body: int
    last: int
    text: str


class LoopFinder:
    """Finds the loop that encloses places in the sources of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[str, tuple[LoopLines, ...]] = {}

    def enclosing(self, stacks: Sequence[Stack]) -> LoopLines | None:
        """The innermost loop round all these stacks; None where the source has none, or isn't there.

        The deepest frame that all of them share is looked at first: what stands in a function that a loop calls has
        the loop further out.
        """
        if not stacks or not all(stacks):
            return None
        outside_in = [stack[::-1] for stack in stacks]
        depth = 0
        shortest = min(map(len, outside_in))
        while depth < shortest and len({(one[depth].file, one[depth].function) for one in outside_in}) == 1:
            depth += 1
        for at in range(depth - 1, -1, -1):
            frames = [one[at] for one in outside_in]
            low, high = min(frame.line for frame in frames), max(frame.end_line for frame in frames)
            around = [loop for loop in self._loops(frames[0].file) if loop.body <= low and high <= loop.last]
            around = [loop for loop in around if loop.first < low or loop.body == loop.first]
            if around:
                return max(around, key=lambda loop: (loop.first, -loop.last))
        return None

    def _loops(self, path: str) -> tuple[LoopLines, ...]:
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._read(path)
        return known

    def _read(self, path: str) -> tuple[LoopLines, ...]:
        source = self._trace.source(path)
        if source is None or source.text is None:
            return ()
        lines = source.text.splitlines()
        try:
            nodes = ast.walk(parse_module(source.text))
            return tuple(loop for node in nodes if (loop := _loop(node, lines)) is not None)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # no program, or too deep a one
            return ()


def _loop(node: ast.AST, lines: Sequence[str]) -> LoopLines | None:
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        text = " ".join(line.strip() for line in lines[node.lineno - 1 : node.body[0].lineno - 1]) or _own(node, lines)
        return LoopLines(node.lineno, node.body[0].lineno, node.end_lineno or node.lineno, _short(text))
    if isinstance(node, COMPREHENSIONS):
        first = node.generators[0]
        text = f"for {ast.unparse(first.target)} in {ast.unparse(first.iter)}"
        return LoopLines(node.lineno, node.lineno, node.end_lineno or node.lineno, _short(text))
    return None


def _own(node: ast.For | ast.AsyncFor | ast.While, lines: Sequence[str]) -> str:
    """The head of a loop whose body stands on the same line."""
    line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    return line.encode()[node.col_offset : node.body[0].col_offset].decode(errors="replace")


def _short(text: str) -> str:
    head = text.partition("#")[0] if "#" in text and "'" not in text and '"' not in text else text
    return elided(head.strip().removesuffix(":").strip(), LONGEST)
