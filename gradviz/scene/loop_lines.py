"""Where the loops of a source file stand, and how their first lines read: `for t in range(steps)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from gradviz.scene.words import elided
from gradviz.trace.model import Frame, Stack
from gradviz.trace.reader import Trace
from gradviz.trace.syntax import FUNCTIONS, parse_module, yields

Position = tuple[tuple[int, ...], ...]
CALLED = (2**31, 0, 0, 0)  # a call is done when all is done that was called in it
LONGEST = 44  # characters of a loop's first line
LOOP_WORDS = re.compile(r"\b(?:for|while|yield)\b")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class LoopLines:
    """A loop statement: lines from 1, `last` included; `body` is the first line of what is repeated."""

    first: int
    body: int
    last: int
    text: str
    path: str = ""
    several: bool = False  # a comprehension of several `for`: what a round is, lines don't tell


@dataclass(frozen=True)
class Around:
    """A loop round a place, run from one place: all things in it have the same number."""

    number: int
    depth: int = field(compare=False)  # in which of the place's frames, counted from outside
    lines: LoopLines = field(compare=False)


@dataclass(frozen=True)
class FileLoops:
    """What a source holds of interest here."""

    loops: tuple[LoopLines, ...] = ()
    generators: tuple[tuple[int, int], ...] = ()  # first and last lines of functions that yield


class LoopFinder:
    """Finds the loop that encloses places in the sources of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[str, FileLoops] = {}
        self._chains: dict[int, tuple[Stack, tuple[Around, ...]]] = {}  # by the stack's id: to hash one takes long
        self._numbers: dict[tuple[LoopLines, Stack], int] = {}  # of a loop, and the frames that it was run from
        self._places: dict[Frame, tuple[int, ...]] = {}

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
            around = [loop for loop in self._of(outside_in[0][at].file).loops if self._holds(loop, outside_in, at)]
            if around:
                return max(around, key=lambda loop: (loop.first, -loop.last))
        return None

    def chain(self, stack: Stack) -> tuple[Around, ...]:
        """All loops round a place, outermost first."""
        known = self._chains.get(id(stack))
        if known is None or known[0] is not stack:
            known = self._chains[id(stack)] = stack, self._loops_round(stack[::-1])
        return known[1]

    def _loops_round(self, outside_in: Stack) -> tuple[Around, ...]:
        found: dict[LoopLines, Around] = {}
        for at, frame in enumerate(outside_in):
            around = [loop for loop in self._of(frame.file).loops if self._holds(loop, [outside_in], at)]
            for loop in sorted(around, key=lambda loop: (loop.first, -loop.last)):
                if loop not in found:  # a comprehension is seen from outside, too
                    number = self._numbers.setdefault((loop, outside_in[:at]), len(self._numbers))
                    found[loop] = Around(number, at, loop)
        return tuple(found.values())

    def _holds(self, loop: LoopLines, outside_in: Sequence[Stack], at: int) -> bool:
        """Whether the frames at this depth stand in the loop: in its body, or in its head and in a generator that is
        asked there for the next round.
        """
        frames = [one[at] for one in outside_in]
        if max(frame.end_line for frame in frames) > loop.last:
            return False
        if all(loop.body <= frame.line for frame in frames):
            low = min(frame.line for frame in frames)
            return loop.first < low or loop.body == loop.first
        return all(
            loop.body <= one[at].line
            or _asks(loop, one[at])
            or (loop.first <= one[at].line and self._yields(one, at + 1))
            for one in outside_in
        )

    def reached(self, stack: Stack) -> Position:
        """Rises in the order in which the calls of a program are made: what ends first comes first, of those that end
        together the innermost. Where a loop asks for its next round, Python names all of it: that's done in its head.
        """
        return (*(self._place(frame) for frame in reversed(stack)), CALLED)

    def _place(self, frame: Frame) -> tuple[int, ...]:
        known = self._places.get(frame)
        if known is None:
            known = (frame.end_line, frame.end_column, -frame.line, -frame.column)
            if frame.end_line > frame.line and any(_asks(loop, frame) for loop in self._of(frame.file).loops):
                known = (frame.line, 0, 0, 0)
            self._places[frame] = known
        return known

    def _yields(self, outside_in: Stack, at: int) -> bool:
        """Whether the frame at this depth is a generator's."""
        if at >= len(outside_in):
            return False
        frame = outside_in[at]
        if frame.function.endswith(("<genexpr>", "__next__")):
            return True
        return any(first <= frame.line <= last for first, last in self._of(frame.file).generators)

    def _of(self, path: str) -> FileLoops:
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._read(path)
        return known

    def _read(self, path: str) -> FileLoops:
        source = self._trace.source(path)
        if source is None or source.text is None:
            return FileLoops()
        if LOOP_WORDS.search(source.text) is None:  # to parse a long file takes a while
            return FileLoops()
        lines = source.text.splitlines()
        try:
            nodes = list(ast.walk(parse_module(source.text)))
            loops = tuple(loop for node in nodes if (loop := _loop(node, lines, path)) is not None)
            functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
            return FileLoops(
                loops, tuple((each.lineno, each.end_lineno or each.lineno) for each in functions if yields(each))
            )
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # no program, or too deep a one
            return FileLoops()


def _asks(loop: LoopLines, frame: Frame) -> bool:
    """Whether the frame is where this loop asks for its next round."""
    return loop.first < loop.body and (frame.line, frame.end_line) == (loop.first, loop.last)


def _loop(node: ast.AST, lines: Sequence[str], path: str) -> LoopLines | None:
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        text = " ".join(line.strip() for line in lines[node.lineno - 1 : node.body[0].lineno - 1]) or _own(node, lines)
        return LoopLines(node.lineno, node.body[0].lineno, node.end_lineno or node.lineno, _short(text), path)
    if isinstance(node, COMPREHENSIONS):
        text = " ".join(map(_each, node.generators))
        return LoopLines(
            node.lineno, node.lineno, node.end_lineno or node.lineno, _short(text), path, len(node.generators) > 1
        )
    return None


def _each(part: ast.comprehension) -> str:
    """`for x in xs if x` of a comprehension, which may have several."""
    conditions = "".join(f" if {ast.unparse(one)}" for one in part.ifs)
    return f"for {ast.unparse(part.target)} in {ast.unparse(part.iter)}{conditions}"


def _own(node: ast.For | ast.AsyncFor | ast.While, lines: Sequence[str]) -> str:
    """The head of a loop whose body stands on the same line."""
    line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    return line.encode()[node.col_offset : node.body[0].col_offset].decode(errors="replace")


def _short(text: str) -> str:
    head = text.partition("#")[0] if "#" in text and "'" not in text and '"' not in text else text
    return elided(head.strip().removesuffix(":").strip(), LONGEST)
