"""How shapes are written, broadcast and compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.diagnose import shapes
from gradviz.diagnose.vocabulary import plain, reflected

SIZES = st.lists(st.sampled_from([1, 2, 3]), max_size=4).map(tuple)


@given(SIZES, SIZES)
def test_broadcasting_agrees_with_numpy(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    made = shapes.broadcast(first, second)

    try:
        expected = np.broadcast_shapes(first, second)
    except ValueError:
        assert made is None
        assert shapes.clash(first, second)
        return
    assert made is not None
    assert made.result == expected
    assert not shapes.clash(first, second)


@given(SIZES, SIZES)
def test_what_is_enlarged_is_what_differs_from_the_result(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    made = shapes.broadcast(first, second)
    if made is None:
        return

    for side in (made.first, made.second):
        assert {d for d in range(-len(made.result), 0) if shapes.at(side.shape, d) != made.result[d]} - {
            d for d in range(-len(made.result), 0) if shapes.at(side.shape, d) is None and made.result[d] == 1
        } == side.enlarged


@pytest.mark.parametrize(
    ("first", "second", "mutual"),
    [
        ((20, 1), (20,), True),
        ((20, 1), (20, 1), False),
        ((5, 3), (3,), False),
        ((4, 4), (4, 1, 4), True),
        ((6, 1), (1, 6), True),
        ((), (3,), False),
    ],
)
def test_mutual_means_each_repeats_the_other(first: shapes.Shape, second: shapes.Shape, mutual: bool) -> None:
    made = shapes.broadcast(first, second)

    assert made is not None
    assert made.mutual is mutual


def test_shapes_are_written_as_torch_writes_them() -> None:
    assert shapes.text(()) == "[ ]"
    assert shapes.text((2, 3)) == "[2, 3]"
    assert shapes.text(("B", 2)) == "[B, 2]"


def test_the_bad_dimensions_are_counted_from_the_right() -> None:
    assert shapes.differing((), (6,)) == (-1,)
    assert shapes.differing((4, 2), (4, 1)) == (-1,)
    assert shapes.differing((3,), (2, 3)) == (-2,)


def test_a_gradient_may_be_summed_to_a_smaller_shape() -> None:
    assert shapes.reduces_to((5, 3), (3,))
    assert shapes.reduces_to((5, 3), (5, 1))
    assert not shapes.reduces_to((5, 3), (5,))


@pytest.mark.parametrize(
    ("name", "family"),
    [("__rsub__", "sub"), ("__iadd__", "add"), ("add_", "add"), ("__eq__", "eq"), ("true_divide", "div"),
     ("__getitem__", "getitem"), ("__float__", "__float__"), ("float", "float"), ("T", "T"), ("relu_", "relu")],
)  # fmt: skip
def test_names_of_calls_are_brought_to_their_family(name: str, family: str) -> None:
    assert plain(name) == family


def test_a_reflected_call_has_its_operands_turned() -> None:
    assert reflected("__rsub__")
    assert not reflected("__sub__")
