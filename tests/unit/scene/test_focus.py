"""What stands out: all that leads to a node, all that follows, what is near; held against plain definitions."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.scene.build import Build, Shown
from gradviz.scene.focus import AFTER, AROUND, BEFORE, BOTH, Focus, closure, part_in_focus
from gradviz.scene.model import Draft, Kind
from gradviz.scene.part import draft_of_part
from tests import large_recordings, recordings
from tests.unit.scene.scenes import box_named, built


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return built(recordings.mlp(tmp_path_factory.mktemp("focus") / "run.gradviz"))


def names(draft: Draft, boxes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> set[str]:
    return {draft.names[int(draft.name[box])] for box in boxes.tolist()}


def focused(made: Build, kind: str, name: str, hops: int = 1) -> set[str]:
    node = int(made.draft.node[box_named(made, name)])
    part = part_in_focus(made.draft, made.graph, Focus(kind, node, hops=hops))
    return names(made.draft, part.boxes)


LOSS = {"Seed gradient", "NllLossBackward0", "LogSoftmaxBackward0", "AddmmBackward0"}


def test_the_path_from_the_loss_to_a_parameter(network: Build) -> None:
    assert focused(network, BEFORE, "2.weight") == LOSS | {"TBackward0", "2.weight"}
    assert focused(network, BEFORE, "0.bias") == LOSS | {"ReluBackward0", "0.bias"}


def test_what_follows_and_both(network: Build) -> None:
    below = {"ReluBackward0", "AddmmBackward0", "TBackward0", "0.weight", "0.bias"}
    assert focused(network, AFTER, "ReluBackward0") == below
    assert focused(network, BOTH, "ReluBackward0") == below | LOSS


@pytest.mark.parametrize(
    ("hops", "more"),
    [
        (1, {"AddmmBackward0"}),
        (2, {"LogSoftmaxBackward0", "TBackward0", "2.bias", "0.bias"}),
        (3, {"NllLossBackward0", "2.weight", "0.weight"}),
        (99, {"Seed gradient"}),
    ],
)
def test_the_neighbourhood_grows_by_hops(network: Build, hops: int, more: set[str]) -> None:
    near, nearer = focused(network, AROUND, "ReluBackward0", hops), focused(network, AROUND, "ReluBackward0", hops - 1)
    assert nearer | more <= near
    if hops < 4:
        assert near == nearer | more


def test_a_node_that_isnt_there_has_no_part(network: Build) -> None:
    for kind in (AROUND, BEFORE, AFTER, BOTH):
        part = part_in_focus(network.draft, network.graph, Focus(kind, 10_000))
        assert not len(part.boxes) and not len(part.edges)


def test_ways_are_those_of_nodes_though_groups_are_folded(tmp_path: Path) -> None:
    # GIVEN a transformer, all folded, and all open
    path = large_recordings.transformer(tmp_path / "run.gradviz", 4)
    folded, opened = built(path, shown=Shown(opened=frozenset())), built(path, shown=Shown(modules=False))
    node = int(opened.draft.node[box_named(opened, "encoder.layers.2.linear1.bias")])
    whole = part_in_focus(opened.draft, opened.graph, Focus(BEFORE, node))
    part = part_in_focus(folded.draft, folded.graph, Focus(BEFORE, node))
    # THEN the folded boxes are those that hold a node of the way, and no others
    nodes = opened.draft.node[whole.boxes]
    held = {int(folded.draft.box_of[node]) for node in nodes[opened.draft.kind[whole.boxes] != Kind.SEED].tolist()}
    seeds = set(np.flatnonzero(folded.draft.kind == Kind.SEED).tolist())
    assert set(part.boxes.tolist()) == held | seeds


def test_a_part_is_a_draft_of_its_own(network: Build) -> None:
    draft = network.draft
    node = int(draft.node[box_named(network, "2.weight")])
    part = part_in_focus(draft, network.graph, Focus(BEFORE, node))
    own = draft_of_part(draft, part, [])
    assert names(own, np.arange(len(own))) == names(draft, part.boxes)
    ends = [(int(draft.tail[edge]), int(draft.head[edge])) for edge in part.edges]
    assert [(int(part.boxes[one]), int(part.boxes[two])) for one, two in zip(own.tail, own.head)] == ends
    assert {int(box) for box in own.box_of} == {-1, *range(len(own))} - set(
        np.flatnonzero(own.kind == Kind.SEED).tolist()
    )


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40), st.sets(st.integers(0, 11)))
def test_closure_reaches_what_a_walk_reaches(edges: list[tuple[int, int]], nodes: set[int]) -> None:
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from(edges)
    start, end = (np.array([edge[at] for edge in edges], np.int32) for at in (0, 1))
    expected = set(nodes).union(*(networkx.descendants(graph, node) for node in nodes))
    assert set(np.flatnonzero(closure(start, end, 12, nodes)).tolist()) == expected
