"""Stepping through a pass: the state of every box and edge at a position, held against their plain definitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.scene.build import Build, Shown
from gradviz.scene.model import Kind, Look, State
from gradviz.scene.states import states_at, timeline
from gradviz.trace.reader import Trace
from gradviz.trace.replay import first_steps
from tests import large_recordings, recordings
from tests.unit.scene.scenes import box_named, built

NODES = 180


class Unrolled:
    """Made once; short of words, for hypothesis prints its arguments."""

    def __init__(self, path: Path) -> None:
        large_recordings.lstm(path, NODES)
        self.made, self.trace = built(path, shown=Shown(modules=False)), Trace(path)


@pytest.fixture(scope="module")
def unrolled(tmp_path_factory: pytest.TempPathFactory) -> Unrolled:
    return Unrolled(tmp_path_factory.mktemp("states") / "run.gradviz")


def cut(made: Build, trace: Trace, drop: int, failed: int) -> tuple[Build, list[int]]:
    """The same pass without its last `drop` steps, raised at `failed` (-1: nowhere), and the step of each node."""
    steps = trace.steps(0)
    steps = replace(steps, node=steps.node[: len(steps) - drop])
    step_of = first_steps(len(made.graph), steps.node).astype(np.int32)
    draft = made.draft
    of_box = np.append(step_of, -1)[np.where(draft.kind == Kind.SEED, -1, draft.node)]
    is_failed = np.zeros(len(draft), bool)
    if failed >= 0:
        is_failed[draft.box_of[failed]] = True
    draft = replace(draft, step_first=of_box, step_last=of_box, failed=is_failed)
    fixed = np.full(len(draft), -1, np.int8)
    special = np.full(draft.edges, -1, np.int8)
    return replace(made, draft=draft, timeline=timeline(draft, made.graph, steps, fixed, special)), step_of.tolist()


def expected(node: int, step: int, position: int, steps: int, failed: int, current: int) -> State:
    """One node's state, by definition."""
    reached = step < position if step >= 0 else position >= steps
    if node == failed and reached:
        return State.FAILED
    if node == current:
        return State.CURRENT
    if step < 0:
        return State.PENDING if node == failed else State.NEVER
    return State.DONE if step < position else State.PENDING


@settings(deadline=None, max_examples=60)
@given(st.integers(-3, NODES + 20), st.integers(-1, 9), st.integers(0, 50))
def test_at_any_position_each_node_is_in_the_state_that_its_step_says(
    unrolled: Unrolled, position: int, failed: int, drop: int
) -> None:
    # GIVEN a pass of which some nodes never ran, and one may have raised
    made, step_of = cut(unrolled.made, unrolled.trace, drop, failed)
    line, draft = made.timeline, made.draft
    current = int(line.step_node[position]) if 0 <= position < len(line) else -1
    # WHEN the person is anywhere in it
    states = states_at(line, position)
    # THEN every node's box looks as it should
    for box in np.flatnonzero((draft.node >= 0) & (draft.kind != Kind.SEED)).tolist():
        node = int(draft.node[box])
        assert states.box[box] == expected(node, step_of[node], position, len(line), failed, current), node
    # AND the edges of the current box lead the eye, those into the past are done
    for edge in np.flatnonzero(draft.edge >= 0).tolist():
        ends = {int(states.box[draft.tail[edge]]), int(states.box[draft.head[edge]])}
        if State.NEVER in ends:
            assert states.edge[edge] == Look.NEVER
        elif State.CURRENT in ends:
            assert states.edge[edge] == Look.CURRENT
        elif ends == {int(State.PENDING)}:
            assert states.edge[edge] == Look.PENDING


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, NODES), min_size=2, max_size=8))
def test_the_way_to_a_position_makes_no_difference(unrolled: Unrolled, moves: list[int]) -> None:
    made = unrolled.made
    walked = [states_at(made.timeline, position) for position in moves][-1]
    straight = states_at(made.timeline, moves[-1])
    assert np.array_equal(walked.box, straight.box) and np.array_equal(walked.edge, straight.edge)


def test_each_step_makes_one_node_current_and_then_leaves_it_done(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"))
    nodes = (made.draft.kind == Kind.BUILTIN) | (made.draft.kind == Kind.LEAF)
    for position in range(len(made.timeline)):
        now, later = states_at(made.timeline, position), states_at(made.timeline, position + 1)
        assert now.current >= 0 and later.box[now.current] == State.DONE
        assert (now.box[nodes] == State.DONE).sum() < (later.box[nodes] == State.DONE).sum()


def test_a_node_that_raised_fails_after_the_steps_before_it(tmp_path: Path) -> None:
    path = recordings.silent_broadcast(tmp_path / "run.gradviz")
    made, _ = cut(built(path, shown=Shown(modules=False)), Trace(path), 0, 4)
    box = int(made.draft.box_of[4])
    looks = [State(int(states_at(made.timeline, position).box[box])) for position in (1, 4, 5)]
    assert looks == [State.PENDING, State.CURRENT, State.FAILED]


def test_a_refused_pass_never_began(tmp_path: Path) -> None:
    made = built(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"))
    states = states_at(made.timeline, 0)
    assert states.box[box_named(made, "SumBackward0")] == State.FAILED
    assert (states.edge[made.draft.edge >= 0] == Look.NEVER).all()
