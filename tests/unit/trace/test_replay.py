"""Which step executed which node, and where a pass ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.trace.reader import Trace
from gradviz.trace.replay import failed_node, first_steps
from tests import recordings


@given(st.integers(1, 20).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n - 1), max_size=60))))
def test_the_first_step_of_a_node_is_the_one_that_counts(pass_of: tuple[int, list[int]]) -> None:
    count, order = pass_of
    found = first_steps(count, np.array(order, np.int32))
    assert found.tolist() == [order.index(node) if node in order else -1 for node in range(count)]


@pytest.mark.parametrize(("failed", "running", "expected"), [(None, None, -1), (0, None, 0), (None, 3, 3), (2, 3, 2)])
def test_a_pass_ended_at_the_node_that_raised_or_else_at_the_one_that_was_running(
    tmp_path: Path, failed: int | None, running: int | None, expected: int
) -> None:
    with Trace(recordings.mlp(tmp_path / "run.gradviz")) as trace:
        backward = replace(trace.passes()[0], failed_node=failed, running_node=running)
    assert failed_node(backward) == expected
