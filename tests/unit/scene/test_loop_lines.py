"""The loop round places of the code: statements, comprehensions, loops further out; broken sources have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.scene.loop_lines import LoopFinder
from gradviz.trace.model import Frame
from gradviz.trace.reader import Trace
from tests.builders import TraceBuilder

SCRIPT = """\
def step(h):
    h = h * 2
    return h + 1

for t in range(9):  # a comment
    h = step(h)
while (
    h.sum() < 9
):
    h = h + 1
total = sum(f(x) for x in things)
for t in range(3): h = h * 3; h = h + 1
for name in ["#", 'b']:
    h = h + table[name]
pairs = [g(a, b) for a in rows if a for b in a]
def rounds(h):
    h = h * 2
    yield h
for h in rounds(h):
    out.append(h + 1)
for h in plain(h):
    out.append(h + 1)
"""
FILE = "/home/me/s.py"


def finder(folder: Path, text: str = SCRIPT) -> LoopFinder:
    trace = TraceBuilder(folder / "run.gradviz", FILE, text)
    return LoopFinder(Trace(trace.save()))


def frame(line: int, function: str = "<module>", file: str = FILE) -> Frame:
    return Frame(file, line, line, 0, 1, function)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ((6,), "for t in range(9)"),
        ((10,), "while ( h.sum() < 9 )"),
        ((11,), "for x in things"),
        ((15,), "for a in rows if a for b in a"),
        ((12,), "for t in range(3)"),
        ((14,), "for name in [\"#\", 'b']"),
    ],
)
def test_the_loop_round_a_line(lines: tuple[int, ...], text: str, tmp_path: Path) -> None:
    found = finder(tmp_path).enclosing([(frame(line),) for line in lines])

    assert found is not None and found.text == text


def test_a_generator_runs_in_the_loop_that_asks_it(tmp_path: Path) -> None:
    # what it made stands, in the caller's frame, in the loop's head
    stacks = [(frame(17, "rounds"), frame(19)), (frame(20),)]

    found = finder(tmp_path).enclosing(stacks)

    assert found is not None and found.text == "for h in rounds(h)"


def test_what_a_loop_goes_through_is_made_before_it(tmp_path: Path) -> None:
    assert finder(tmp_path).enclosing([(frame(3, "plain"), frame(21)), (frame(22),)]) is None


def test_all_loops_round_a_place_from_the_outside(tmp_path: Path) -> None:
    text = "def f(h):\n    for k in range(2):\n        h = h * 2\n    return h\nfor t in range(3):\n    h = f(h)\n"
    chain = finder(tmp_path, text).chain((frame(3, "f"), frame(6)))

    assert [(one.lines.text, one.depth) for one in chain] == [("for t in range(3)", 0), ("for k in range(2)", 1)]


def test_lines_of_a_function_that_a_loop_calls_are_in_that_loop(tmp_path: Path) -> None:
    stacks = [(frame(2, "step"), frame(6)), (frame(3, "step"), frame(6))]

    found = finder(tmp_path).enclosing(stacks)

    assert found is not None and (found.first, found.last) == (5, 6)


@pytest.mark.parametrize("stacks", [[], [()], [(frame(2, "step"),)], [(frame(6),), (frame(10),)]])
def test_places_in_no_common_loop(stacks: list[tuple[Frame, ...]], tmp_path: Path) -> None:
    assert finder(tmp_path).enclosing(stacks) is None


@pytest.mark.parametrize("text", ["for x in (", "\0", "x = " + "(" * 500 + ")" * 500])
def test_what_is_no_program_has_no_loops(text: str, tmp_path: Path) -> None:
    assert finder(tmp_path, text).enclosing([(frame(1),)]) is None


def test_a_file_that_the_recording_lacks(tmp_path: Path) -> None:
    assert finder(tmp_path).enclosing([(frame(6, file="/elsewhere.py"),)]) is None


def spanning(line: int, end_line: int, end_column: int) -> Frame:
    return Frame(FILE, line, end_line, 0, end_column, "<module>")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        # what a call calls is done before it: `sum(f(x) for x in things)` multiplies, then adds
        ((frame(11, "<genexpr>"), frame(11)), (frame(11),)),
        # `for h in rounds(h):` asks for h before its body runs, though Python names the whole statement there
        ((frame(17, "rounds"), spanning(19, 20, 21)), (frame(20),)),
        ((frame(5),), (frame(6),)),
    ],
)
def test_what_the_code_comes_to_first(first: tuple[Frame, ...], then: tuple[Frame, ...], tmp_path: Path) -> None:
    here = finder(tmp_path)

    assert here.reached(first) < here.reached(then)
