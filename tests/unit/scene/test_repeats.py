"""Repetitions in a row of tokens: all are periodic, none overlaps another, and what was written n times is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.scene.repeats import SHORTEST, Stretch, stretches

TOKENS = st.lists(st.integers(0, 3), max_size=60)


def found_in(tokens: list[int]) -> list[Stretch]:
    return stretches(np.array(tokens, np.int64))


@given(TOKENS)
def test_what_is_found_repeats_and_overlaps_nothing(tokens: list[int]) -> None:
    found = found_in(tokens)

    for each in found:
        assert each.end - each.start >= SHORTEST * each.period
        assert all(tokens[at] == tokens[at + each.period] for at in range(each.start, each.end - each.period))
    spans = sorted((each.start, each.end) for each in found)
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:]))


@given(
    before=st.lists(st.integers(100, 103), max_size=5, unique=True),
    body=st.lists(st.integers(0, 50), min_size=1, max_size=8, unique=True),
    copies=st.integers(SHORTEST, 7),
    after=st.lists(st.integers(200, 203), max_size=5, unique=True),
)
def test_a_body_written_several_times_is_found_whole(
    before: list[int], body: list[int], copies: int, after: list[int]
) -> None:
    found = found_in(before + body * copies + after)

    assert found == [Stretch(len(before), len(before) + len(body) * copies, len(body))]


@pytest.mark.parametrize("tokens", [[], [1], [1, 2], [1, 1], [1, 2, 1, 2], list(range(50))])
def test_twice_is_no_repetition(tokens: list[int]) -> None:
    assert found_in(tokens) == []


def test_the_shortest_body_counts() -> None:
    assert found_in([7] * 9) == [Stretch(0, 9, 1)]
    assert found_in([1, 2] * 6) == [Stretch(0, 12, 2)]
