"""Statistics of numpy arrays taken many at a time are those of each taken by itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.record.arraymeasures import BIG, ArrayMeasures

DTYPES = ("float64", "float32", "float16", "complex128", "complex64", "int64", "bool")
SIZES = st.sampled_from((1, 2, 7, BIG - 1, BIG, BIG + 3))


def figures(value: np.ndarray) -> tuple[float, ...]:
    """As the schema describes them; of complex numbers those of their sizes."""
    numbers = (np.abs(value) if value.dtype.kind == "c" else value).astype(np.float64)
    counts = (np.isnan(value).sum(), np.isinf(value).sum(), (numbers == 0).sum())
    extremes = (numbers.min(), numbers.max(), numbers.mean(), math.sqrt(np.dot(numbers.ravel(), numbers.ravel())))
    return tuple(float(each) for each in (*counts, *extremes))


def made(dtype: str, size: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=size) * (np.arange(size) % 3)
    return (drawn + 1j * drawn[::-1] if dtype.startswith("c") else drawn).astype(dtype)


@given(st.lists(st.tuples(st.sampled_from(DTYPES), SIZES, st.integers(0, 99)), min_size=1, max_size=6), st.booleans())
def test_figures_are_those_of_each_array(drawn: list[tuple[str, int, int]], asked_amid: bool) -> None:
    arrays = [made(*each) for each in drawn]
    measures = ArrayMeasures(np)
    for slot, each in enumerate(arrays):
        measures.add(slot, each)
        if asked_amid:
            assert measures.of(slot) is not None

    rows = list(zip(*measures.columns(len(arrays) + 1)))

    for row, each in zip(rows, arrays):
        rough = each.dtype.itemsize < 8 * (1 + (each.dtype.kind == "c"))
        np.testing.assert_allclose(row, figures(each), rtol=1e-4 if rough else 1e-9, atol=1e-4 if rough else 1e-9)
    assert rows[-1][:3] == (-1, -1, -1) and all(math.isnan(each) for each in rows[-1][3:])
    assert not measures.non_finite


@pytest.mark.parametrize("size", [3, BIG])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_what_isnt_finite_is_counted_and_handed_out(dtype: str, size: int) -> None:
    value = np.ones(size, dtype)
    value[:2] = math.nan, math.inf
    measures = ArrayMeasures(np)
    measures.add(0, np.ones(size))
    measures.add(1, value)

    measures.flush()

    assert [(slot, given is value) for slot, given in measures.non_finite] == [(1, True)]
    found: Any = measures.of(1)
    assert found[:2] == (1, 1)
    other: Any = measures.of(0)
    assert other[:2] == (0, 0)


def test_what_overflows_its_type_is_finite_all_the_same() -> None:
    measures = ArrayMeasures(np)
    measures.add(0, np.full(BIG, 1e38, np.float32))

    found: Any = measures.of(0)

    assert found[:3] == (0, 0, 0)
    assert found[6] == pytest.approx(1e38 * math.sqrt(BIG), rel=1e-6)
    assert not measures.non_finite


@pytest.mark.parametrize("size", [3, BIG])
def test_an_array_that_is_handed_on_has_the_figures_it_had(size: int) -> None:
    value = np.arange(float(size))
    measures = ArrayMeasures(np)
    measures.add(0, value)
    measures.add(1, value)
    measures.same(2, 0)

    assert measures.of(0) == measures.of(1) == measures.of(2)


@pytest.mark.parametrize("size", [3, BIG])
def test_what_is_written_after_the_pass_is_not_measured(size: int) -> None:
    value = np.ones(size)
    measures = ArrayMeasures(np)
    measures.add(0, value)

    measures.settle([value[1:]])
    value[:] = 5.0

    found: Any = measures.of(0)
    assert found[3:5] == (1.0, 1.0)
