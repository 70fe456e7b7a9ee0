"""Where the keyboard is after Run and Open, and what stray keys and the wheel leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.gui.window import Window
from tests.gui.driving import LONG, Person

LOOP = """
import torch
weight = torch.ones(3, requires_grad=True)
for _ in range(3):
    (weight * 2).sum().backward()
"""


@pytest.fixture
def person(window: Window, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    path = tmp_path / "loop.py"
    path.write_text(LOOP, encoding="utf-8")
    return path


def has_keyboard(person: Person, pane: QWidget) -> bool:
    here = person.window.focusWidget()
    return here is not None and (here is pane or pane.isAncestorOf(here))


def turn_wheel(field: QWidget) -> None:
    at = QPointF(field.rect().center())
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    where = QPointF(field.mapToGlobal(at))
    turn = QWheelEvent(at, where, QPoint(), QPoint(0, -120), none, Qt.KeyboardModifier.NoModifier, phase, False)
    QApplication.sendEvent(field, turn)


@pytest.mark.parametrize("way", ["toolbar", "F5", "middle"])
def test_after_a_run_arrows_lead_through_the_steps(person: Person, loop: Path, way: str) -> None:
    # GIVEN
    person.open(loop)
    window = person.window
    # WHEN it is run in one of the ways there are
    if way == "toolbar":
        person.click(window.toolbar.run_button)
    elif way == "F5":
        person.press(Qt.Key.Key_F5)
    else:
        person.click(window.centre.message.buttons[0])
    person.until(lambda: window.document.state.phase == "ended", LONG)
    person.until_settled()
    # THEN
    level = window.toolbar.level.currentData()
    person.until(lambda: has_keyboard(person, person.steps))
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Down)
    assert person.position == 2
    assert window.toolbar.level.currentData() == level == "summaries"


def test_a_recording_opens_with_the_keyboard_in_its_steps(person: Person, recordings: dict[str, Path]) -> None:
    person.open(recordings["mlp"])
    person.until(lambda: has_keyboard(person, person.steps))
    before = person.position
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Down)
    assert person.position > before


def test_where_steps_are_out_of_sight_the_canvas_has_it(person: Person, loop: Path) -> None:
    # GIVEN Modules in front of Steps
    person.open(loop)
    person.window.docks.front("modules")
    person.until(lambda: person.window.docks["steps"].visibleRegion().isEmpty())
    person.steps.table.clearFocus()
    # WHEN
    person.run()
    # THEN
    person.until(lambda: has_keyboard(person, person.canvas))


def test_who_types_goes_on_typing(person: Person, loop: Path) -> None:
    # GIVEN a person at the arguments
    person.open(loop)
    person.window.docks.front("run")
    field = person.run_panel.arguments
    person.until(field.isVisible)
    person.click(field)
    person.qtbot.keyClicks(field, "--epochs")
    # WHEN
    person.press(Qt.Key.Key_F5)
    person.until(lambda: person.window.document.state.phase == "ended", LONG)
    person.until_settled()
    # THEN
    person.qtbot.keyClicks(person.window.focusWidget(), " 3")
    assert field.text() == "--epochs 3"


def test_the_level_is_only_changed_on_purpose(person: Person, loop: Path) -> None:
    person.open(loop)
    level = person.window.toolbar.level
    # the wheel passes over it
    turn_wheel(level)
    assert level.currentData() == "summaries"
    assert not level.hasFocus()
    # AND an arrow opens its list and changes nothing
    level.setFocus(Qt.FocusReason.TabFocusReason)
    person.qtbot.keyClick(level, Qt.Key.Key_Down)
    assert level.view().isVisible()
    assert person.window.document.run_settings.level == "summaries"
    # AND in the list it can be chosen by keyboard
    person.qtbot.keyClick(level.view(), Qt.Key.Key_Down)
    person.qtbot.keyClick(level.view(), Qt.Key.Key_Return)
    assert person.window.document.run_settings.level == "values"
