"""What a view does to dimensions, and what the dimensions of a product are."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.diagnose.products import product, turned
from gradviz.diagnose.regrouping import Regrouping
from gradviz.trace import model
from tests.unit.diagnose.fake_trace import FakeTrace

Sizes = tuple[int, ...]


@pytest.mark.parametrize(
    ("before", "after", "neighbourly", "splitting", "order"),
    [
        ((4, 6, 12), (4, 6, 3, 4), True, True, None),
        ((4, 4, 16), (16, 4, 4), True, True, (2, 0, 1)),  # heads of a linear attention: 4 x 4 merged, 16 split
        ((2, 5, 4, 1, 3), (10, 12), True, True, (0, 1, 2, 3)),
        ((4, 3, 6, 4), (4, 6, 12), False, True, (0, 2, 1, 3)),
        ((2, 3, 8), (3, 16), False, False, (1, 0, 2)),
        ((6, 16, 16, 3), (6, 3, 16, 16), False, False, (0, 3, 1, 2)),
        ((6, 16, 16, 4), (6, 4, 16, 16), False, True, (0, 3, 1, 2)),
        ((7, 4, 16), (7, 8, 8), False, True, None),
        ((5, 4, 15), (30, 10), False, False, None),
        ((1, 1), (1,), True, True, ()),
    ],
)
def test_what_a_view_does(
    before: Sizes, after: Sizes, neighbourly: bool, splitting: bool, order: tuple[int, ...] | None
) -> None:
    change = Regrouping.of(before, after)

    assert change is not None
    assert (change.neighbourly(), change.by_splitting(), change.order()) == (neighbourly, splitting, order)


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=3), min_size=1, max_size=4), st.data())
def test_splits_and_merges_of_neighbours_are_neighbourly(pieces: list[list[int]], data: st.DataObject) -> None:
    sides = [([math.prod(p)], p) if data.draw(st.booleans()) else (p, [math.prod(p)]) for p in pieces]

    change = Regrouping.of([d for side, _ in sides for d in side], [d for _, side in sides for d in side])

    assert change is not None and change.neighbourly() and change.by_splitting()


def test_a_size_that_is_no_number_says_nothing() -> None:
    assert Regrouping.of((2, "n"), ("n", 2)) is None
    assert Regrouping.of((2, 0), (0, 2)) is None


def made(name: str, first: Sizes, second: Sizes, result: Sizes, **arguments: Any) -> model.Op:
    trace = FakeTrace("y = f(x)\n")
    return trace.op(name, "f(x)", (trace.tensor(first), trace.tensor(second)), trace.tensor(result), **arguments)


@pytest.mark.parametrize(
    ("name", "shapes", "equation", "roles"),
    [
        ("matmul", ((2, 4, 7, 7), (2, 4, 7, 3), (2, 4, 7, 3)), None, "shared shared kept summed"),
        ("matmul", ((2, 4, 7, 7), (2, 1, 7, 3), (2, 4, 7, 3)), None, "shared kept kept summed"),
        ("matmul", ((2, 4, 7, 7), (7, 3), (2, 4, 7, 3)), None, "kept kept kept summed"),
        ("bmm", ((2, 5, 7), (2, 7, 3), (2, 5, 3)), None, "shared kept summed"),
        ("einsum", ((2, 7, 5, 4), (2, 4, 5, 3), (2, 4, 7, 3)), "bqkh,bhkd->bhqd", "shared kept summed shared"),
        ("einsum", ((2, 4, 7, 5), (2, 4, 5, 3), (2, 4, 7, 3)), "... i j, ... j d -> ... i d",
         "shared shared kept summed"),
    ],
)  # fmt: skip
def test_dimensions_of_a_product(
    name: str, shapes: tuple[Sizes, Sizes, Sizes], equation: str | None, roles: str
) -> None:
    arguments: dict[str, Any] = {"argument 0": equation} if equation else {}
    found = product(made(name, *shapes, **arguments))

    assert found is not None
    assert [found.role(0, dim) for dim in range(len(shapes[0]))] == roles.split()
    assert len(found.result) == len(shapes[2])


@pytest.mark.parametrize(
    ("name", "equation"), [("mul", None), ("__rmatmul__", None), ("einsum", "ii,ij->j"), ("einsum", "ij,jk")]
)
def test_no_such_product(name: str, equation: str | None) -> None:
    assert product(made(name, (3, 3), (3, 3), (3, 3), **({"argument 0": equation} if equation else {}))) is None


@pytest.mark.parametrize(
    ("name", "arguments", "order"),
    [("transpose", {"dim0": 1, "dim1": -1}, (0, 3, 2, 1)), ("swapaxes", {"axis0": 0, "axis1": 1}, (1, 0, 2, 3)),
     ("permute", {"dims": [0, -1, 1, 2]}, (0, 3, 1, 2)), ("mT", {}, (0, 1, 3, 2)), ("movedim", {}, None),
     ("view", {}, None), ("transpose", {}, None)],
)  # fmt: skip
def test_where_dimensions_go(name: str, arguments: dict[str, Any], order: tuple[int, ...] | None) -> None:
    trace = FakeTrace("y = f(x)\n")
    op = trace.op(name, "f(x)", (trace.tensor((2, 3, 4, 5)),), trace.tensor(()), **arguments)

    assert turned(op, 4) == order
