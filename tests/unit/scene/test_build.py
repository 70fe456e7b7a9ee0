"""What is drawn of a pass: boxes, names, shapes, leaves per consumer, seeds, constants."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.layout.simple import SimpleEngine
from gradviz.scene.atoms import split_leaves
from gradviz.scene.build import Shown
from gradviz.scene.model import NO_EDGE, Kind, Look, State
from gradviz.scene.place import place, request
from gradviz.scene.states import states_at
from gradviz.trace.graph import PassGraph
from tests import recordings
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH
from tests.unit.scene.scenes import box_named, built, names, placed


def test_the_refused_seed_is_told_where_it_arose(tmp_path: Path) -> None:
    # GIVEN out.backward(z), refused before the first node
    made = built(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"), (SEED_MISMATCH,))
    draft = made.draft
    # THEN the seed's edge says both shapes, expected first
    seed = int(np.flatnonzero(draft.kind == Kind.SEED)[0])
    label = next(label for label in draft.framed if draft.tail[label.edge] == seed)
    assert (label.expected, label.text, label.look) == ("[\u2009]", "[164]", Look.FAILED)
    # AND seed and leaf bear the tensor's name and are tied
    leaf = int(np.flatnonzero(draft.kind == Kind.LEAF)[0])
    assert draft.chips == {seed: "z", leaf: "z"}
    assert [(tie.one, tie.other, tie.text) for tie in draft.ties] == [(seed, leaf, "same tensor")]
    # AND the seed and the node that refused have failed, all others were never reached
    states = states_at(made.timeline, 0)
    failed = {seed, box_named(made, "SumBackward0")}
    assert set(np.flatnonzero(states.box == State.FAILED).tolist()) == failed
    assert (np.delete(states.box, list(failed)) == State.NEVER).all()


def test_second_lines_say_line_and_source(tmp_path: Path) -> None:
    made = built(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"))
    seconds = {made.texts.second(made.draft, box) for box in range(len(made.draft))}
    assert {"line 16 · G @ y", "line 15 · .sum(1)", "line 13 · eigh", "line 12 · 2 * z"} <= seconds


def test_ops_inside_a_library_module_are_named_by_their_op(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"))
    assert made.texts.second(made.draft, box_named(made, "ReluBackward0")) == "line 19 · relu"


def test_a_silent_broadcast_shows_operands_constant_and_panel(tmp_path: Path) -> None:
    made = built(recordings.silent_broadcast(tmp_path / "run.gradviz"), (BROADCAST,))
    draft = made.draft
    constant = int(np.flatnonzero(draft.kind == Kind.CONSTANT)[0])
    assert draft.names[draft.name[constant]] == "target"
    assert draft.edge[draft.head == constant].tolist() == [NO_EDGE]
    sub = box_named(made, "SubBackward0")
    texts = {(int(draft.tail[label.edge]), label.text) for label in draft.framed}
    assert {(sub, "[20]"), (sub, "[20, 1]"), (box_named(made, "PowBackward0"), "[20, 20]")} <= texts
    assert [panel.box for panel in draft.panels] == [sub]
    assert [badge.box for badge in draft.badges] == [sub]
    # AND the panel stands beside all that is drawn at its height, inside the scene's bounds
    scene = placed(made)
    panel = scene.panels[0]
    assert panel.x > float((scene.x + draft.width / 2)[sub])
    assert panel.x + panel.width <= scene.bounds[2] and panel.y + panel.height <= scene.bounds[3]


@pytest.mark.parametrize("columns", [1, 3])
def test_a_panel_stands_where_the_nearest_room_is(tmp_path: Path, columns: int) -> None:
    # GIVEN a node by itself, or in the first of several columns
    made = built(recordings.silent_broadcast(tmp_path / "run.gradviz"), (BROADCAST,))
    draft, plain = made.draft, SimpleEngine().arrange(request(made.draft))
    box = draft.panels[0].box
    x, y = plain.x.copy(), plain.y.copy()
    others = [at for at in range(len(x)) if at != box]
    if columns > 1:
        x[others], y[others] = x[box] + 300 * (1 + np.arange(len(others)) % columns), y[box]
    lines = np.broadcast_to(np.array([x[box], y[box]], np.float32), plain.points.shape)
    result = replace(plain, x=x, y=y, points=lines, labels=plain.labels * np.nan)
    panel = place(draft, result).panels[0]
    # THEN it is at the side where less is in its way, over none of them, and within the picture's bounds
    left, right = x - draft.width / 2, x + draft.width / 2
    assert panel.x > right[box] if columns == 1 else panel.x + panel.width < left[box]
    assert all(panel.x > right[at] or panel.x + panel.width < left[at] for at in others if columns > 1)
    assert place(draft, result).bounds[0] <= panel.x


def test_constants_can_be_left_out(tmp_path: Path) -> None:
    made = built(recordings.silent_broadcast(tmp_path / "run.gradviz"), (BROADCAST,), Shown(constants=False))
    assert not (made.draft.kind == Kind.CONSTANT).any()


def test_without_shapes_only_what_is_framed_takes_room(tmp_path: Path) -> None:
    made = built(recordings.silent_broadcast(tmp_path / "run.gradviz"), (BROADCAST,), Shown(shapes=False))
    framed = {label.edge for label in made.draft.framed}
    assert framed == set(np.flatnonzero(made.draft.label_width).tolist())


def test_a_shared_leaf_is_drawn_once_per_consumer(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    one = trace.backward(trace.at(3))
    w = one.node("AccumulateGrad", [3], leaf=trace.leaf("w", [3], trace.at(1)))
    uses = [one.node("MulBackward0", [3], to=[w, w]), one.node("SinBackward0", [3], to=[w])]
    root = one.node("AddBackward0", [3], to=uses)
    path = one.root(root, [3]).steps([root, *reversed(uses), w]).end().save()
    made = built(path)
    leaves = np.flatnonzero(made.draft.kind == Kind.LEAF)
    assert len(leaves) == 2
    # AND both run edges of x * x lead to the same box
    assert sorted(np.bincount(made.draft.head, minlength=len(made.draft))[leaves].tolist()) == [1, 2]
    # AND both are current when the leaf is
    states = states_at(made.timeline, 3)
    assert (states.box[leaves] == State.CURRENT).all()


def test_nan_and_what_the_engine_changed_is_told_on_the_edge(tmp_path: Path) -> None:
    made = built(recordings.non_finite(tmp_path / "run.gradviz"))
    assert {label.text for label in made.draft.framed} == {"Inf 4 of 4", "NaN 4 of 4"}
    states = states_at(made.timeline, len(made.timeline))
    broken = [label.edge for label in made.draft.framed]
    assert (states.edge[broken] == Look.NAN).all()
    # AND not before the gradient has arrived
    assert not (states_at(made.timeline, 0).edge == Look.NAN).any()


def test_states_follow_the_position(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"))
    states = states_at(made.timeline, 6)
    assert states.current == box_named(made, "ReluBackward0")
    done, pending = (int((states.box == state).sum()) for state in (State.DONE, State.PENDING))
    assert (done, pending) == (7, 4)  # the seed and six nodes; four to come
    touching = (made.draft.tail == states.current) | (made.draft.head == states.current)
    assert (states.edge[touching] == Look.CURRENT).all()
    end = states_at(made.timeline, 11)
    assert end.current == -1 and (end.box == State.DONE).all() and (end.edge == Look.DONE).all()


def test_while_a_pass_runs_nothing_is_called_never(tmp_path: Path) -> None:
    made = built(recordings.chain(tmp_path / "run.gradviz", 5, ended=False))
    assert not (states_at(made.timeline, 0).box == State.NEVER).any()


def test_many_roots_get_few_seeds(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    one = trace.backward(trace.at(3))
    nodes = [one.node("SumBackward0", []) for _ in range(50)]
    for node in nodes:
        one.root(node, [])
    made = built(one.steps(nodes).end().save())
    assert int((made.draft.kind == Kind.SEED).sum()) == 6
    assert made.draft.hidden_seeds == 44


def test_an_empty_pass_makes_an_empty_scene(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    made = built(trace.backward(trace.at(3)).end().save())
    assert names(made) == []
    assert placed(made).bounds == (0.0, 0.0, 1.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.data())
def test_splitting_leaves_keeps_every_edge(count: int, data: st.DataObject) -> None:
    """Any acyclic graph: tails stay, heads are the same node, no two consumers share a leaf atom."""
    edges = data.draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda e: e[0] < e[1]))
    )
    leaves = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    leaf = np.array([at if is_leaf else -1 for at, is_leaf in enumerate(leaves)], np.int32)
    edges = [(tail, head) for tail, head in edges if leaf[tail] < 0]
    zeros = np.zeros(count, np.int32)
    tail, head = (np.array([edge[side] for edge in edges], np.int32) for side in (0, 1))
    slots = np.zeros(len(edges), np.int32)
    graph = PassGraph(
        zeros,
        zeros.astype(np.int64),
        zeros,
        zeros - 1,
        zeros - 1,
        leaf,
        zeros,
        zeros,
        zeros,
        zeros[:0],
        tail,
        slots,
        head,
        slots,
    )
    atoms = split_leaves(graph)
    assert (atoms.tail == tail).all()
    assert (atoms.node[atoms.head] == head).all()
    consumers: dict[int, set[int]] = {}
    for at, atom in enumerate(atoms.head.tolist()):
        if atoms.leaf[atom]:
            consumers.setdefault(atom, set()).add(int(tail[at]))
    assert all(len(one) == 1 for one in consumers.values())


@pytest.mark.parametrize("position", [0, 3, 11])
def test_a_position_far_outside_is_no_harm(tmp_path: Path, position: int) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"))
    for far in (position - 100, position + 100):
        assert states_at(made.timeline, far).current == -1
