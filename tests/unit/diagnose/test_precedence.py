"""Expressions of the person's in a line to write keep their meaning."""

from __future__ import annotations

import ast

import pytest

from gradviz.diagnose.precedence import tight
from gradviz.diagnose.words.phrase import written


@pytest.mark.parametrize("text", ["a", "a.b", "a[0]", "f(a + b)", "(a + b)", "its input", "", "'s'", "[a, b]"])
def test_what_binds_tightly_or_is_no_expression_stays(text: str) -> None:
    assert tight(text) == text


@pytest.mark.parametrize("text", ["a + b", "-a", "(a) + (b)", "a, b", "3", "a if b else c", "a ** 2", "not a"])
def test_what_a_dot_would_tear_apart_goes_in_parentheses(text: str) -> None:
    called = ast.parse(f"{tight(text)}.sum()", mode="eval").body

    assert isinstance(called, ast.Call) and isinstance(called.func, ast.Attribute)
    assert ast.dump(called.func.value) == ast.dump(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("template", "parts", "right"),
    [
        ("{name}.sum(0)", {"name": "g * scale"}, "(g * scale).sum(0)"),
        ("{name} / ({second} + 1e-12)", {"name": "a + b", "second": "c"}, "(a + b) / (c + 1e-12)"),
        ("x - {name}", {"name": "a + b"}, "x - (a + b)"),
        ("torch.sqrt({name})", {"name": "a + b"}, "torch.sqrt(a + b)"),
        ("check SCRIPT -- {names} VALUE", {"names": "a, b"}, "check SCRIPT -- a, b VALUE"),
        ("Give {names}.", {"names": "a, b"}, "Give a, b."),
        ("{python} -m pip install {package}", {"python": "python", "package": "a-b"}, "python -m pip install a-b"),
        ("{name} = {name}.to({device!r})  # {{}}", {"name": "a", "device": "cpu"}, "a = a.to('cpu')  # {}"),
    ],
)
def test_a_template_asks_for_them_where_its_own_operators_stand(
    template: str, parts: dict[str, object], right: str
) -> None:
    assert written(template, parts) == right
