"""A long text parsed in pieces gives the tree that it gives at once, places included; what is none raises as ever."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from gradviz.trace.syntax import PIECE, parse_module
from tests.source_imports import ROOT

FILES = sorted((ROOT / "gradviz").rglob("*.py")) + sorted((ROOT / "tests" / "unit").rglob("*.py"))
TRICKY = '''
@decorated

# between
def f(x):
    """A text

at the left
"""
    return x
value = (
1 + 2
)
if value:
    pass
else:
    pass
try:
    f(1)
except ValueError:
    pass
finally:
    pass
total = 1 + \\
2
text = f"""
{value}
x = 1
"""
class A:
    def g(self):
        return [
0
]
'''


def dumped(tree: ast.Module) -> str:
    return ast.dump(tree, include_attributes=True)


@pytest.mark.parametrize("seed", range(4))
def test_files_of_our_own_in_a_row(seed: int) -> None:
    chosen = random.Random(seed).sample(FILES, 25)
    text = "\n".join(
        path.read_text(encoding="utf-8").replace("from __future__ import annotations", "") for path in chosen
    )
    assert text.count("\n") > 2 * PIECE

    assert dumped(parse_module(text)) == dumped(ast.parse(text))


@pytest.mark.parametrize("shift", range(0, 40, 3))
def test_pieces_never_end_amid_a_statement(shift: int) -> None:
    text = "x = 1\n" * shift + TRICKY * 40

    assert dumped(parse_module(text)) == dumped(ast.parse(text))


@pytest.mark.parametrize("end", ["x = (\n", "def f(:\n", '"""\n', "  x = 1\n", "\0"])
def test_what_is_no_program_is_told_where_it_is(end: str) -> None:
    text = "x = 1\n" * (3 * PIECE) + end
    with pytest.raises((SyntaxError, ValueError)) as whole:
        ast.parse(text)

    with pytest.raises(type(whole.value)) as told:
        parse_module(text)

    assert str(told.value) == str(whole.value)


def test_a_text_with_other_line_ends_is_parsed_at_once(tmp_path: Path) -> None:
    text = "x = 1\r\ny = 2\r\n" * (2 * PIECE)

    assert dumped(parse_module(text)) == dumped(ast.parse(text))
