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
        ((12,), "for t in range(3)"),
        ((14,), "for name in [\"#\", 'b']"),
    ],
)
def test_the_loop_round_a_line(lines: tuple[int, ...], text: str, tmp_path: Path) -> None:
    found = finder(tmp_path).enclosing([(frame(line),) for line in lines])

    assert found is not None and found.text == text


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
