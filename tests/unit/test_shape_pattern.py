"""Shapes as they are typed into the search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.document.shape_pattern import ShapePattern, parsed
from gradviz.scene.words import shape_text

SHAPES: list[tuple[int | str, ...]] = [(), (164,), (32, 10), (3, 10), (3, 4, 10), (3, 4, 5, 10), (2, "s0")]


@pytest.mark.parametrize(
    ("typed", "fitting"),
    [
        ("[]", [()]),
        ("[\u2009]", [()]),
        ("164", [(164,)]),
        ("10", [(32, 10), (3, 10), (3, 4, 10), (3, 4, 5, 10)]),
        ("[*, 10]", [(32, 10), (3, 10)]),
        ("[ * , 10", [(32, 10), (3, 10)]),
        ("(3, ..., 10)", [(3, 10), (3, 4, 10), (3, 4, 5, 10)]),
        ("[3, …, 10]", [(3, 10), (3, 4, 10), (3, 4, 5, 10)]),
        ("[3 ... 10]", [(3, 10), (3, 4, 10), (3, 4, 5, 10)]),
        ("[..., 4, ...]", [(3, 4, 10), (3, 4, 5, 10)]),
        ("[...]", SHAPES),
        ("3×10", [(3, 10)]),
        ("3 x 4 x 10", [(3, 4, 10)]),
        ("*×10", [(32, 10), (3, 10)]),
        ("3, 10", [(3, 10)]),
        ("(164,)", [(164,)]),
        ("[2, s0]", [(2, "s0")]),
    ],
)
def test_what_fits(typed: str, fitting: list[tuple[int | str, ...]]) -> None:
    pattern = parsed(typed)
    assert pattern is not None
    assert [shape for shape in SHAPES if pattern.fits(shape)] == fitting


@pytest.mark.parametrize("typed", ["", "relu", "matrix", "layers.0", "x", "a, b", "3 10", ":18", "loss = x"])
def test_what_is_no_shape(typed: str) -> None:
    assert parsed(typed) is None


@pytest.mark.parametrize(
    ("typed", "shape", "marked"),
    [
        ("10", (32, 10), ["10"]),
        ("[32, *]", (32, 10), ["32"]),
        ("[*, *]", (3, 4), ["[3, 4]"]),
        ("4", (4, 4), ["4", "4"]),
    ],
)
def test_the_sizes_that_were_asked_for_are_marked(typed: str, shape: tuple[int, ...], marked: list[str]) -> None:
    pattern = parsed(typed)
    assert pattern is not None
    assert [shape_text(shape)[start:end] for start, end in pattern.marks(shape)] == marked


@given(st.lists(st.integers(0, 300), max_size=6), st.data())
def test_a_shape_fits_itself_and_whatever_wildcards_make_of_it(shape: list[int], data: st.DataObject) -> None:
    assert ShapePattern(tuple(map(str, shape))).fits(shape)
    any_of = [data.draw(st.sampled_from([str(size), "*"])) for size in shape]
    assert ShapePattern(tuple(any_of)).fits(shape)
    start = data.draw(st.integers(0, len(shape)))
    end = data.draw(st.integers(start, len(shape)))
    assert ShapePattern((*any_of[:start], "...", *any_of[end:])).fits(shape)
    assert not ShapePattern((*any_of, "*")).fits(shape)
