"""Kept numbers as pictures and figures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradviz.document.sample_values import (
    MOST_CELLS,
    MOST_VALUES,
    Floats,
    deviation,
    histogram,
    row_length,
    slice_of,
    slices,
    stats_of,
    values_of,
)
from gradviz.scene.words import number_text
from gradviz.trace.model import Sample
from gradviz.trace.reader import Trace
from tests import recordings

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
TENSORS = arrays.arrays(np.float64, SHAPES, elements=FLOATS)


def seed_sample(folder: Path) -> Sample:
    with Trace(recordings.eigh_seed_mismatch(folder / "run.gradviz")) as trace:
        return trace.samples(0, -1)[0]


def test_a_vector_is_folded_into_rows(tmp_path: Path) -> None:
    part = slice_of(values_of(seed_sample(tmp_path)).values)
    assert part.cells.shape == (4, 41) and part.folded
    assert not part.blank.any()


@given(st.integers(0, 100_000))
def test_rows_hold_all_entries(count: int) -> None:
    length = row_length(count)
    assert length >= 1
    assert count <= 64 or length < count


def test_slices_of_leading_dimensions() -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    assert slices(values) == 2
    assert slice_of(values, 1).cells[0, 0] == 12


def test_a_large_slice_is_thinned() -> None:
    part = slice_of(np.zeros((1000, 10)))
    assert part.cells.shape[0] <= MOST_CELLS and (part.row_step, part.column_step) == (4, 1)


@given(TENSORS)
@example(np.array([-1.0, 2.0**1023]))
def test_any_tensor_has_a_picture_and_a_histogram(values: Floats) -> None:
    for number in range(min(slices(values), 2)):
        part = slice_of(values, number)
        assert part.cells.ndim == 2 and part.cells.shape == part.blank.shape
    bars = histogram(values)
    assert bars.counts.sum() + bars.zeros + bars.others == values.size
    assert (np.diff(bars.edges) > 0).all()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-2.2712, "-2.27"),
        (0.0529, "0.0529"),
        (-0.005, "-5.0e-3"),
        (12_345_678.0, "1.2e7"),
        (1036.0, "1,036"),
        (math.nan, "NaN"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


def test_figures_agree_with_numpy() -> None:
    values = np.random.default_rng(0).normal(3, 2, (20, 30))
    stats = stats_of(values)
    assert math.isclose(deviation(stats, values.size), values.std(), rel_tol=1e-9)
    assert math.isnan(deviation(stats, 0))


def test_complex_numbers_are_shown_by_magnitude() -> None:
    data = np.array([3 + 4j], "complex64")
    sample = Sample(0, 0, 0, "received", None, (1,), (1,), "complex64", 0, data.tobytes())  # type: ignore[arg-type]  # unused
    assert values_of(sample).values == [5.0]


def test_more_numbers_than_a_picture_needs_are_thinned() -> None:
    data = np.zeros((3000, 1000), "float32")
    sample = Sample(0, 0, 0, "received", None, (1, 2), data.shape, "float32", 0, data.tobytes())  # type: ignore[arg-type]  # unused
    kept = values_of(sample)
    assert kept.values.size <= MOST_VALUES and kept.steps == (4, 2) and not kept.whole
