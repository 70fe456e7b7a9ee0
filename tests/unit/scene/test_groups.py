"""Module groups: which are open at first, folding, stacks of equal blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.scene.build import Shown
from gradviz.scene.model import Kind, State
from gradviz.scene.states import states_at
from tests import recordings
from tests.large_recordings import transformer
from tests.unit.scene.scenes import built, names, placed


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return transformer(tmp_path_factory.mktemp("groups") / "run.gradviz")


def test_a_fresh_large_graph_can_be_read(language_model: Path) -> None:
    made = built(language_model)
    assert len(made.graph) > 800
    assert len(made.draft) <= 60


def test_equal_blocks_in_a_row_are_one_stack(language_model: Path) -> None:
    made = built(language_model)
    stack = next(card for card in made.draft.cards if card.copies > 1)
    assert (stack.copies, stack.title, stack.class_name) == (15, "layers.0 – layers.14", "TransformerEncoderLayer")
    assert stack.shapes == "[8, 128, 256] → [8, 128, 256]"
    assert stack.parameters == 15 * 789_760
    assert stack.title in names(made)


def test_everything_can_be_opened_and_folded(language_model: Path) -> None:
    fresh = built(language_model)
    opened = built(language_model, shown=Shown(opened=frozenset(card.key for card in fresh.draft.cards)))
    assert not (opened.draft.kind == Kind.GROUP).any()
    assert len(opened.draft) > len(opened.graph)
    folded = built(language_model, shown=Shown(opened=frozenset()))
    assert int((folded.draft.kind == Kind.GROUP).sum()) == 3  # embed, encoder, head
    assert folded.draft.open_cards == ()


def test_folding_never_makes_a_circle(language_model: Path) -> None:
    import networkx as nx

    fresh = built(language_model)
    keys = [card.key for card in fresh.draft.cards]
    for cut in (0, 1, 2, 5, 20, len(keys)):
        draft = built(language_model, shown=Shown(opened=frozenset(keys[:cut]))).draft
        graph = nx.DiGraph(zip(draft.tail.tolist(), draft.head.tolist(), strict=True))
        assert nx.is_directed_acyclic_graph(graph), cut


def test_every_node_is_in_a_box_and_frames_hold_what_is_theirs(language_model: Path) -> None:
    made = built(language_model)
    assert (made.draft.box_of >= 0).all() and (made.draft.box_of < len(made.draft)).all()
    scene = placed(made)
    position = {card: at for at, card in enumerate(made.draft.open_cards)}
    for box in np.flatnonzero(made.draft.inside >= 0).tolist():
        x, y, width, height = scene.frames[position[int(made.draft.inside[box])]]
        left, top, box_width, box_height = scene.rect(box)
        assert x <= left and left + box_width <= x + width + 0.5
        assert y <= top and top + box_height <= y + height + 0.5


def test_a_small_network_is_framed_by_its_layers_only(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"))
    # The model round all of it and the ReLU round one node say nothing.
    assert [made.draft.cards[card].title for card in made.draft.open_cards] == ["0", "2"]
    assert [made.draft.cards[card].class_name for card in made.draft.open_cards] == ["Linear", "Linear"]


def test_gradient_norms_become_bars(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"), shown=Shown(opened=frozenset()))
    assert all(len(card.bars) == 2 and all(bar > 0 for bar in card.bars) for card in made.draft.cards)


def test_a_folded_group_has_the_state_of_what_is_in_it(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"), shown=Shown(opened=frozenset()))
    boxes = {made.draft.cards[int(made.draft.card[box])].title: box for box in np.flatnonzero(made.draft.card >= 0)}
    for position, last, first in ((0, State.PENDING, State.PENDING), (3, State.CURRENT, State.PENDING)):
        states = states_at(made.timeline, position)
        assert (states.box[boxes["2"]], states.box[boxes["0"]]) == (last, first)
    assert states_at(made.timeline, 11).box[boxes["0"]] == State.DONE


def test_modules_can_be_switched_off(tmp_path: Path) -> None:
    made = built(recordings.mlp(tmp_path / "run.gradviz"), shown=Shown(modules=False))
    assert made.draft.cards == () and (made.draft.inside == -1).all()
