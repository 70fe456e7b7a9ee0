"""Stepping: by keys, timeline, steps and canvas; every pane follows, and the one that was clicked doesn't move."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gradviz.gui.window import Window
from tests.gui.driving import Person


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Person:
    """With a healthy two-layer network open: 11 steps."""
    person = Person(window, qtbot)
    person.open(recordings["mlp"])
    return person


@pytest.mark.parametrize(("forward", "back"), [(Qt.Key.Key_F10, Qt.Key.Key_F11), (Qt.Key.Key_Period, Qt.Key.Key_Comma)])
def test_keys_step(person: Person, forward: Qt.Key, back: Qt.Key) -> None:
    person.canvas.view.setFocus()
    person.press(forward)
    person.press(forward)
    assert person.position == 2
    assert person.window.timeline.slider.value() == 2
    person.press(back)
    assert person.position == 1


def test_first_and_last(person: Person) -> None:
    person.command("last")
    assert person.position == 11
    assert person.window.timeline.where_text() == "End of backward · 11 steps"
    assert not person.window.commands["step"].isEnabled()
    person.command("first")
    assert person.position == 0
    assert "This is the first step." in person.window.commands["back"].toolTip()


def test_home_and_end_belong_to_canvas_and_steps(person: Person) -> None:
    person.canvas.view.setFocus()
    person.press(Qt.Key.Key_End)
    assert person.position == 11
    person.steps.table.setFocus()
    person.press(Qt.Key.Key_Home)
    assert person.position == 0


def test_a_click_in_the_timeline_moves_everything(person: Person) -> None:
    # WHEN
    slider = person.window.timeline.slider
    person.click(slider, QPoint(round(slider.x_of(6)), 18))
    # THEN
    assert person.position == 6
    assert person.window.timeline.where_text() == "Step 7 of 11 · ReluBackward0"
    states = person.canvas.view.states
    assert states is not None
    current = person.canvas.loaded.scene.draft.node[states.current]  # type: ignore[union-attr]  # loaded: settled
    assert person.window.hub.view.trace.node(0, int(current)).name == "ReluBackward0"  # type: ignore[union-attr]  # open


def test_keys_in_the_timeline(person: Person) -> None:
    person.window.timeline.slider.setFocus()
    person.press(Qt.Key.Key_Right)
    assert person.position == 1
    person.press(Qt.Key.Key_PageDown)
    assert person.position == 11
    person.press(Qt.Key.Key_Left)
    assert person.position == 10


def test_a_click_in_steps_moves_the_timeline(person: Person) -> None:
    table = person.steps.table
    place = table.visualRect(person.steps.model.index(5, 1)).center()
    person.click(table.viewport(), place)
    assert person.position == 4  # row 5 is the fifth step
    assert person.window.timeline.slider.value() == 4


def test_a_click_on_the_canvas_selects_and_a_double_click_goes_there(person: Person) -> None:
    # GIVEN the box of the last step
    loaded = person.canvas.loaded
    assert loaded is not None
    person.canvas.fit()
    node = int(loaded.build.timeline.step_node[10])
    box = int(loaded.scene.draft.box_of[node])
    x, y, width, height = loaded.scene.rect(box)
    view = person.canvas.view.view
    at = QPoint(round((x + width / 2 - view.x) * view.zoom), round((y + height / 2 - view.y) * view.zoom))
    # WHEN
    person.click(person.canvas.view, at)
    # THEN
    assert person.window.hub.view.selection.kind == "node"
    assert person.window.hub.view.selection.node == node
    person.qtbot.mouseDClick(person.canvas.view, Qt.MouseButton.LeftButton, pos=at)
    assert person.window.hub.view.selection.node == node


def test_choosing_another_pass(person: Person) -> None:
    chooser = person.window.timeline.chooser
    assert chooser.count() == 3
    person.command("next_pass")
    assert person.window.hub.view.pass_id == person.window.hub.view.trace.passes()[1].id  # type: ignore[union-attr]  # open
    chooser.activated.emit(2)
    assert person.window.hub.view.pass_id == person.window.hub.view.trace.passes()[2].id  # type: ignore[union-attr]  # as above


def test_f6_walks_the_panes(person: Person) -> None:
    person.window.timeline.slider.setFocus()
    seen = set()
    for _ in range(12):
        person.command("next_pane")
        focus = person.window.focusWidget()
        seen.add(next((n for n, pane in person.window.docks.panes.items() if pane.isAncestorOf(focus)), "other"))
    assert {"steps", "inspector", "problems", "source"} <= seen
