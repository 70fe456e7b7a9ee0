"""Colours of Python source, line by line."""

from __future__ import annotations

import tokenize
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.gui.panes.python_colors import COMMENT, KEYWORD, NUMBER, STRING, open_strings, spans
from tests.source_imports import ROOT


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("def f(self): # x", [("def", KEYWORD), ("self", KEYWORD), ("# x", COMMENT)]),
        ("x = 'a # b' + \"c\"", [("'a # b'", STRING), ('"c"', STRING)]),
        ("y = 0x1F + 1.5e-3 + x1", [("0x1F", NUMBER), ("1.5e-3", NUMBER)]),
        ('rf"{a}" """b""" c', [('rf"{a}"', STRING), ('"""b"""', STRING)]),
        ("s = 'not closed", [("'not closed", STRING)]),
        (r"s = 'it\'s' # t", [(r"'it\'s'", STRING), ("# t", COMMENT)]),
    ],
)
def test_parts_of_a_line(line: str, parts: list[tuple[str, str]]) -> None:
    assert [(line[start : start + length], token) for start, length, token in spans(line)] == parts


def test_strings_over_several_lines() -> None:
    text = 'a = """one\n# two\nthree"""; b = 1\nc = 2\n'
    assert open_strings(text) == {1: '"""', 2: '"""'}
    lines = text.split("\n")
    assert spans(lines[1], '"""') == [(0, 5, STRING)]
    assert spans(lines[2], '"""') == [(0, 8, STRING), (14, 1, NUMBER)]


@pytest.mark.parametrize("name", ["gradviz/trace/rows.py", "gradviz/gui/panes/python_colors.py", "scripts/run.py"])
def test_real_files_agree_with_pythons_own_tokens(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    inside = open_strings(text)
    lines = text.split("\n")
    colored = [spans(line, inside.get(at, "")) for at, line in enumerate(lines)]
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            assert colored[row - 1].count((column, len(token.string), COMMENT)) == 1, (name, token)


@given(st.text(alphabet="abc'\"\\#\n r1f{}", max_size=80))
def test_any_text_is_taken(text: str) -> None:
    inside = open_strings(text)
    for at, line in enumerate(text.split("\n")):
        for start, length, _ in spans(line, inside.get(at, "")):
            assert start >= 0 and length >= 0 and start + length <= len(line)
