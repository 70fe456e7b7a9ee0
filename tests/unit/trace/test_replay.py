"""Stepping both ways gives what a look at the whole pass gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.trace.model import Backward
from gradviz.trace.reader import Trace
from gradviz.trace.replay import CURRENT, DONE, FAILED, NEVER, PENDING, Replay
from tests import large_recordings, recordings


def opened(path: Path) -> tuple[Trace, Backward]:
    trace = Trace(path)
    return trace, trace.passes()[0]


def replay(path: Path) -> Replay:
    trace, backward = opened(path)
    return Replay(trace.graph(backward.id), trace.steps(backward.id), backward)


def test_a_healthy_pass_from_first_to_last(tmp_path: Path) -> None:
    # GIVEN a pass of 7 steps
    states = replay(recordings.silent_broadcast(tmp_path / "run.gradviz"))
    top, powered, difference = 0, 1, 2
    # THEN before the first step only the first node is current
    assert states.current == top and list(states.nodes) == [CURRENT] + [PENDING] * 6
    # AND after two the third is, with its edges
    states.move(2)
    assert states.current == difference and states.nodes[top] == states.nodes[powered] == DONE
    assert sorted(states.edges) == [PENDING] * 3 + [CURRENT] * 2 + [DONE]
    # AND at the end all is done
    states.move(99)
    assert states.position == 7 and states.current == -1
    assert set(states.nodes) == {DONE} and set(states.edges) == {DONE}


def test_a_refused_pass(tmp_path: Path) -> None:
    states = replay(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"))
    assert states.failed == 0 and states.nodes[0] == FAILED
    assert set(states.nodes[1:]) == {NEVER} and set(states.edges) == {NEVER}


@pytest.mark.parametrize("ended", [True, False])
def test_never_is_said_only_of_a_pass_that_ended(ended: bool, tmp_path: Path) -> None:
    states = replay(large_recordings.lstm(tmp_path / "run.gradviz", 200, ended))
    assert NEVER not in states.nodes
    states.move(len(states))
    assert (PENDING in states.nodes) is not ended


def test_a_node_that_raised_fails_after_the_steps_before_it(tmp_path: Path) -> None:
    trace, backward = opened(recordings.silent_broadcast(tmp_path / "run.gradviz"))
    raised = Backward(**{**backward.__dict__, "outcome": "raised", "failed_node": 4})
    states = Replay(trace.graph(0), trace.steps(0), raised)
    states.move(4)
    assert states.current == 4 and states.nodes[4] == CURRENT
    states.move(5)
    assert states.nodes[4] == FAILED
    states.move(1)
    assert states.nodes[4] == PENDING


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-3, 190), min_size=1, max_size=12), st.integers(-1, 9), st.integers(0, 50))
def test_any_way_to_a_position_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, moves: list[int], failed: int, drop: int
) -> None:
    # GIVEN a pass of which some nodes never ran
    path = tmp_path_factory.mktemp("replay") / "run.gradviz"
    trace, backward = opened(large_recordings.lstm(path, 180))
    graph, steps = trace.graph(0), trace.steps(0)
    steps = type(steps)(**{**steps.__dict__, "node": steps.node[: len(steps) - drop]})
    fields = {**backward.__dict__, "outcome": "raised", "failed_node": None if failed < 0 else failed}
    walked = Replay(graph, steps, Backward(**fields))
    for position in moves:
        before = walked.nodes.copy()
        touched = walked.move(position)
        # THEN stepping there gives what going there at once gives, and says what changed
        straight = Replay(graph, steps, Backward(**fields))
        straight.move(position)
        assert np.array_equal(walked.nodes, straight.nodes)
        assert np.array_equal(walked.edges, straight.edges)
        assert set(np.flatnonzero(before != walked.nodes)) <= set(touched.tolist())
