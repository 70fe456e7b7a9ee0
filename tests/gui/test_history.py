"""Back and forward through views, by keys, mouse buttons and commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.draw.view import View
from gradviz.gui.canvas.trail import LIMIT, Spot, Trail, far
from gradviz.gui.window import Window
from gradviz.scene.model import Kind
from tests.example_findings import SEED_MISMATCH
from tests.gui.driving import Person
from tests.large_recordings import transformer


def middle(view: View) -> tuple[float, float, float]:
    """Where one looks, whatever room the panes leave, and how close."""
    x, y = view.x + view.width / view.zoom / 2, view.y + view.height / view.zoom / 2
    return round(x, 3), round(y, 3), round(view.zoom, 6)


ALT = Qt.KeyboardModifier.AltModifier


class Wanderer(Person):
    """Goes about, and back."""

    @property
    def look(self) -> View:
        return self.canvas.view.view

    def rest(self) -> None:
        """Until the view has come to rest."""
        history = self.canvas.history
        self.until(lambda: not self.canvas.busy and not history.moving and history.trail.now is not None)

    def back(self) -> None:
        self.press(Qt.Key.Key_Left, ALT)

    def forward(self) -> None:
        self.press(Qt.Key.Key_Right, ALT)

    def can(self) -> tuple[bool, bool]:
        commands = self.window.commands
        return commands["view_back"].isEnabled(), commands["view_forward"].isEnabled()

    def until_opened(self, opened: frozenset[str]) -> None:
        self.until(lambda: self.canvas.loaded is not None and self.canvas.loaded.build.opened == opened)

    @property
    def opened(self) -> frozenset[str]:
        assert self.canvas.loaded is not None
        return self.canvas.loaded.build.opened


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Wanderer:
    window.theme.smooth = False
    person = Wanderer(window, qtbot)
    person.open(recordings["mlp"])
    person.canvas.view.setFocus()
    person.rest()
    return person


@pytest.fixture
def large(window: Window, qtbot: QtBot, tmp_path: Path) -> Wanderer:
    window.theme.smooth = False
    person = Wanderer(window, qtbot)
    person.open(transformer(tmp_path / "run.gradviz", 4))
    person.canvas.view.setFocus()
    person.rest()
    return person


def test_at_first_there_is_no_way_back(person: Wanderer) -> None:
    assert person.can() == (False, False)
    assert "There is no earlier view." in person.window.commands["view_back"].toolTip()


def test_a_selection_is_a_view_and_back_returns_the_one_before(person: Wanderer) -> None:
    start = person.look
    for node in (3, 7):
        person.window.hub.change(None, selection=Selection("node", node=node))
        person.rest()
    assert person.can() == (True, False)
    person.back()
    assert person.window.hub.view.selection == Selection("node", node=3)
    person.back()
    assert person.window.hub.view.selection == Selection()
    assert middle(person.look) == middle(start) and person.can() == (False, True)
    person.forward()
    person.forward()
    assert person.window.hub.view.selection == Selection("node", node=7)
    assert person.can() == (True, False)


def test_small_moves_are_one_view(person: Wanderer) -> None:
    view = person.canvas.view
    for _ in range(3):
        at = view.rect().center()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        for part in (6, 12, 20):
            QTest.mouseMove(view, at + QPoint(part, 0))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at + QPoint(20, 0))
        person.rest()
    assert person.can() == (False, False)
    moved = person.look
    # WHEN one jumps from there THEN back leads there, not to where one began
    person.window.hub.change(None, selection=Selection("node", node=3))
    person.back()
    assert middle(person.look) == middle(moved)


def test_a_large_move_is_a_view_once_it_has_come_to_rest(person: Wanderer) -> None:
    start = person.look
    for _ in range(4):
        person.press(Qt.Key.Key_Plus)
    person.rest()
    assert person.can()[0]
    person.back()
    assert person.look.zoom == pytest.approx(start.zoom)


def test_walking_with_arrows_and_stepping_are_small_moves(person: Wanderer) -> None:
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_F10)
    person.press(Qt.Key.Key_F10)
    person.rest()
    assert person.can() == (False, False)


def test_back_from_a_problem_returns_the_step_too(person: Wanderer) -> None:
    person.window.hub.change(None, findings=(replace(SEED_MISMATCH, pass_id=person.window.hub.view.pass_id, step=5),))
    person.press(Qt.Key.Key_F10)
    person.press(Qt.Key.Key_F10)
    person.rest()
    person.press(Qt.Key.Key_F8)
    assert person.window.hub.view.finding == 0 and person.position == 5
    person.back()
    assert (person.window.hub.view.finding, person.position) == (-1, 2)
    person.forward()
    assert (person.window.hub.view.finding, person.position) == (0, 5)


def test_back_to_another_pass(person: Wanderer) -> None:
    first = person.window.hub.view.pass_id
    person.command("next_pass")
    person.until(lambda: person.canvas.loaded.order.pass_id != first)  # type: ignore[union-attr]  # open
    person.rest()
    person.back()
    assert person.window.hub.view.pass_id == first
    person.until(lambda: person.canvas.loaded.order.pass_id == first and person.can() == (False, True))  # type: ignore[union-attr]  # open


def test_the_mouse_has_buttons_for_it(person: Wanderer) -> None:
    person.window.hub.change(None, selection=Selection("node", node=3))
    person.rest()
    handle, at = person.window.windowHandle(), QPoint(700, 400)
    QTest.mouseClick(handle, Qt.MouseButton.BackButton, Qt.KeyboardModifier.NoModifier, at)
    assert person.window.hub.view.selection == Selection()
    # AND over a list as well
    over = person.steps.table.viewport().mapTo(person.window, QPoint(40, 40))
    QTest.mouseClick(handle, Qt.MouseButton.ForwardButton, Qt.KeyboardModifier.NoModifier, over)
    assert person.window.hub.view.selection == Selection("node", node=3)


def test_a_group_that_was_opened_folds_and_opens_again(large: Wanderer) -> None:
    start, view = large.opened, large.look
    loaded = large.canvas.loaded
    assert loaded is not None
    draft = loaded.scene.draft
    group = next(box for box in range(len(draft)) if draft.kind[box] == Kind.GROUP)
    key = draft.cards[int(draft.card[group])].key
    large.canvas.folding.toggle(key)
    large.until_opened(start | {key})
    large.rest()
    large.back()
    large.until_opened(start)
    large.until(lambda: large.can()[1])
    assert middle(large.look) == middle(view)
    large.forward()
    large.until_opened(start | {key})


def test_a_press_on_the_map_is_a_jump(large: Wanderer) -> None:
    large.canvas.folding.open_all()
    large.until(lambda: len(large.opened) > 5)
    large.rest()
    view, minimap = large.look, large.canvas.minimap
    large.click(minimap, QPoint(minimap.width() - 6, minimap.height() - 6))
    large.rest()
    assert middle(large.look) != middle(view)
    large.back()
    assert middle(large.look) == middle(view)


def test_back_after_a_search_that_opened_groups(large: Wanderer) -> None:
    start, view = large.opened, large.look
    loaded = large.canvas.loaded
    assert loaded is not None
    node = next(at for at in range(len(loaded.build.graph)) if not start >= _round(large, at))
    large.window.hub.change(None, selection=Selection("node", node=node))
    large.canvas.folding.reveal(node)
    large.until(lambda: large.opened != start)
    large.rest()
    # THEN it was one jump
    large.back()
    large.until_opened(start)
    large.until(lambda: large.can()[1])
    assert middle(large.look) == middle(view)
    assert large.window.hub.view.selection == Selection() and large.can() == (False, True)


def test_a_focus_is_a_view(person: Wanderer) -> None:
    person.window.hub.change(None, selection=Selection("node", node=3))
    person.rest()
    person.press(Qt.Key.Key_N)
    assert person.canvas.focus.wanted is not None
    person.back()
    assert person.canvas.focus.wanted is None and person.window.hub.view.selection == Selection("node", node=3)
    person.forward()
    assert person.canvas.focus.wanted is not None


def test_another_recording_begins_anew(person: Wanderer, recordings: dict[str, Path]) -> None:
    person.window.hub.change(None, selection=Selection("node", node=3))
    person.rest()
    person.open(recordings["broadcast"])
    person.rest()
    assert person.can() == (False, False)


def _round(person: Wanderer, node: int) -> frozenset[str]:
    from gradviz.gui.canvas.selecting import groups_round

    assert person.canvas.loaded is not None
    return groups_round(person.canvas.loaded, node)


# -- the trail alone


def spot(x: float = 0.0, zoom: float = 1.0, **fields: Any) -> Spot:
    plain = Spot(0, 0, Selection(), -1, frozenset(), View(x, 0.0, zoom, 800, 600))
    return replace(plain, **fields)


def test_a_jump_from_the_middle_drops_what_was_ahead() -> None:
    trail = Trail()
    for position in range(4):
        trail.arrive(spot(position=position), jumped=True)
    trail.back()
    trail.back()
    trail.arrive(spot(position=9), jumped=True)
    assert not trail.can_go_forward
    assert trail.back() == spot(position=1)


def test_the_trail_has_an_end() -> None:
    trail = Trail()
    for position in range(3 * LIMIT):
        trail.arrive(spot(position=position), jumped=True)
    count = 0
    while trail.back() is not None:
        count += 1
    assert count == LIMIT - 1


@pytest.mark.parametrize(
    ("x", "zoom", "is_far"), [(30, 1.0, False), (390, 1.0, False), (410, 1.0, True), (0, 2.0, True)]
)
def test_how_far_is_far(x: float, zoom: float, is_far: bool) -> None:
    assert far(spot().view, spot(x, zoom).view) is is_far
