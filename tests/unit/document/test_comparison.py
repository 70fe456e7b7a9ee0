"""Dimension by dimension: what differs, what is one too many, what was stretched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.document.comparison import (
    ABSENT,
    ADDED,
    BAD,
    DIFFERS,
    EQUAL,
    EXTRA,
    MISSING,
    PLAIN,
    RESULT,
    STRETCHED,
    compare,
    single,
    stretched,
    summed_dims,
)
from tests.example_findings import BROADCAST

SHAPES = st.lists(st.integers(0, 9), max_size=5).map(tuple)


@pytest.mark.parametrize(
    ("expected", "received", "verdicts"),
    [
        ((32, 64), (32, 64), [EQUAL, EQUAL]),
        ((3, 4), (2, 4), [DIFFERS, EQUAL]),
        ((), (164,), [EXTRA]),
        ((20, 20), (20,), [MISSING, EQUAL]),
        ((), (), [EQUAL]),
        ((4,), (3, 4), [EXTRA, EQUAL]),
    ],
)
def test_verdicts(expected: tuple[int, ...], received: tuple[int, ...], verdicts: list[str]) -> None:
    assert [verdict.kind for verdict in compare(expected, received).verdicts] == verdicts


def test_cells_line_up_at_the_right() -> None:
    above, below = compare((4,), (3, 4)).rows
    assert [(cell.text, cell.style) for cell in above.cells] == [("", ABSENT), ("4", PLAIN)]
    assert [(cell.text, cell.style) for cell in below.cells] == [("3", BAD), ("4", PLAIN)]


def test_a_size_that_differs_is_named() -> None:
    assert compare((3, 4), (2, 4)).verdicts[0].size == "3"


@given(SHAPES, SHAPES)
def test_equal_shapes_and_only_they_compare_equal(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    found = compare(first, second)
    assert found.equal == (first == second)
    assert all(len(row.cells) == found.columns for row in found.rows)


def test_operands_of_a_silent_broadcast() -> None:
    found = stretched(BROADCAST.operands, BROADCAST.result_shape, "error")
    assert found is not None
    pred, target, error = found.rows
    assert [(cell.text, cell.style) for cell in pred.cells] == [("20", PLAIN), ("1 → 20", STRETCHED)]
    assert [(cell.text, cell.style) for cell in target.cells] == [("+ 20", ADDED), ("20", PLAIN)]
    assert [cell.style for cell in error.cells] == [RESULT, RESULT]
    assert [verdict.name for verdict in found.verdicts] == ["target", "pred"]


def test_operands_without_a_result_shape_give_no_picture() -> None:
    assert stretched(BROADCAST.operands, "no shape") is None
    assert stretched((), (2,)) is None


@pytest.mark.parametrize(
    ("received", "handed_on", "dims"),
    [
        ((20, 20), (20, 1), (-1,)),
        ((20, 20), (20,), (-2,)),
        ((3, 4), (3, 4), ()),
        ((3, 4), (5,), ()),
        ((4,), (2, 4), ()),
    ],
)
def test_summed_dimensions(received: tuple[int, ...], handed_on: tuple[int, ...], dims: tuple[int, ...]) -> None:
    assert summed_dims(received, handed_on) == dims


def test_a_scalar_alone() -> None:
    (row,) = single(()).rows
    assert row.cells[0].style == ABSENT
