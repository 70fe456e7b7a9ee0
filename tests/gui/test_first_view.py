"""How far open a fresh graph is shown, and from where an opened group is looked at."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from gradviz.draw.view import View
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.first_view import best, coarser, zoom_to_fit
from tests.large_recordings import transformer
from tests.unit.scene.scenes import built

NEEDED = 0.7


@pytest.mark.parametrize(
    ("zooms", "boxes", "chosen"),
    [
        ([0.9, 1.0], [30, 20], 0),  # fits as it is
        ([0.4, 0.8, 1.0], [50, 30, 10], 1),  # the first that can be read
        ([0.3, 0.6, 1.0], [50, 20, 5], 1),  # nearly fits, and next to nothing would be left
        ([0.3, 0.6, 1.0], [50, 8, 5], 2),
        ([0.2, 0.3, 0.4], [50, 40, 30], 2),  # nothing fits: the largest
        ([0.4, 0.42], [50, 49], 0),  # nothing is won by folding
    ],
)
def test_the_first_that_can_be_read_is_shown(zooms: list[float], boxes: list[int], chosen: int) -> None:
    assert best(zooms, boxes, NEEDED) == chosen


def test_a_graph_is_folded_from_the_inside_until_nothing_is_open(tmp_path: Path) -> None:
    made = built(transformer(tmp_path / "run.gradviz", 4))
    opened = frozenset(card.key for card in made.draft.cards)
    draft, steps = made.draft, [opened]
    while True:
        cards = tuple(at for at, card in enumerate(draft.cards) if card.key in steps[-1])
        further = coarser(SimpleNamespace(open_cards=cards, cards=draft.cards), steps[-1])  # type: ignore[arg-type]  # all it reads
        if further is None:
            break
        assert further < steps[-1]
        # AND nothing open lies in a folded group
        for card in draft.cards:
            assert card.key not in further or card.parent < 0 or draft.cards[card.parent].key in further
        steps.append(further)
    assert steps[-1] == frozenset() and len(steps) > 2


def test_a_drawing_of_the_windows_size_needs_no_zoom() -> None:
    assert zoom_to_fit((10.0, 10.0, 410.0, 310.0), (400.0, 300.0)) == 1.0
    assert zoom_to_fit((0.0, 0.0, 800.0, 300.0), (400.0, 300.0)) == 0.5


@pytest.mark.parametrize(
    ("area", "zoom"),
    [
        ((0.0, 0.0, 300.0, 200.0), 0.8),  # it fits at the zoom one has
        ((0.0, 0.0, 1200.0, 300.0), 752 / 1200),  # at another
        ((0.0, 0.0, 9000.0, 300.0), camera.READABLE),  # not at any at which it can be read
    ],
)
def test_an_opened_group_can_be_read(area: tuple[float, float, float, float], zoom: float) -> None:
    view = camera.on_group(View(5000, 5000, 0.8, 800, 600), area)
    left, top, right, _bottom = view.area()
    assert view.zoom == pytest.approx(zoom)
    assert left < area[0] and top < area[1]
    assert right > area[2] or zoom == camera.READABLE


def test_from_too_far_away_one_comes_nearer() -> None:
    view = camera.on_group(View(0, 0, 0.1, 800, 600), (0.0, 0.0, 300.0, 200.0))
    assert view.zoom == 1.0 and camera.fits(view, (0.0, 0.0, 300.0, 200.0))


def test_a_group_stands_beside_what_lies_over_the_window() -> None:
    area, hidden = (0.0, 0.0, 300.0, 200.0), 200.0
    view = camera.on_group(View(0, 0, 1.0, 800, 600), area, hidden)
    assert camera.fits(view, area) and view.width == 800
    assert view.x + (800 - hidden) / view.zoom >= area[2]
