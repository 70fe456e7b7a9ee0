"""Modules and canvas together in the window: what is opened and selected in the one is in the other; the direction."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.document.settings import Settings
from gradviz.gui.app import make_window
from gradviz.gui.panes.modules import ModulesPane
from gradviz.gui.window import Window
from gradviz.scene.model import Scene
from tests import large_recordings
from tests.gui.driving import Person
from tests.gui.panes import click, press


@pytest.fixture
def person(window: Window, qtbot: QtBot, tmp_path: Path) -> Person:
    person = Person(window, qtbot)
    person.open(large_recordings.transformer(tmp_path / "run.gradviz", 4))
    window.docks.front("modules")
    QApplication.processEvents()
    return person


def pane_of(person: Person) -> ModulesPane:
    pane = person.window.docks.panes["modules"]
    assert isinstance(pane, ModulesPane)
    return pane


def scene_of(person: Person) -> Scene:
    assert person.canvas.loaded is not None
    return person.canvas.loaded.scene


def opened(person: Person) -> list[str]:
    draft = scene_of(person).draft
    return [draft.cards[card].path for card in draft.open_cards]


def row(pane: ModulesPane, path: str) -> QPoint:
    index = pane.index_of(path)
    above = index.parent()
    while above.isValid():
        pane.tree.expand(above)
        above = above.parent()
    pane.tree.scrollTo(index)
    return pane.tree.visualRect(index).center()


def test_a_double_click_in_modules_opens_the_group_and_looks_at_it(person: Person) -> None:
    pane, path = pane_of(person), "encoder.layers.2.self_attn"
    at = row(pane, path)
    click(pane.tree.viewport(), at)
    click(pane.tree.viewport(), at, double=True)
    person.until(lambda: path in opened(person))
    person.until(lambda: person.canvas.view.selected.kind == "frame")
    x, y, width, height = scene_of(person).frames[person.canvas.view.selected.at]
    left, top, right, bottom = person.canvas.view.view.area()
    assert left <= x and top <= y and right >= x + width and bottom >= y + height
    # AND the inspector speaks of it
    person.until(lambda: person.window.hub.view.selection.path == path)


def test_a_group_clicked_on_the_canvas_is_the_current_row(person: Person) -> None:
    pane, view = pane_of(person), person.canvas.view
    draft = scene_of(person).draft
    card = next(at for at, one in enumerate(draft.cards) if one.path == "encoder" and at in draft.open_cards)
    x, y, _, _ = scene_of(person).frames[draft.open_cards.index(card)]
    view.zoom_by(1.0 / view.view.zoom)
    shown = view.view
    view.set_view(shown.__class__(float(x) - 20, float(y) - 20, shown.zoom, shown.width, shown.height))
    person.click(view, QPoint(round(60 * shown.zoom), round(35 * shown.zoom)))
    person.until(lambda: pane.tree.currentIndex().data() == "encoder")


def test_the_direction_is_remembered_by_the_next_window(person: Person, qtbot: QtBot, qapp: QApplication) -> None:
    person.canvas.view.setFocus()
    press(person.canvas.view, Qt.Key.Key_D)
    person.until(lambda: scene_of(person).draft.across)
    assert person.window.settings.choice("direction") == "right"
    # WHEN another window opens a recording
    other, _ = make_window(qapp, Settings())
    qtbot.addWidget(other)
    with qtbot.waitExposed(other):
        other.show()
    other.ready()
    second = Person(other, qtbot)
    recording = person.window.document.state.recording
    assert recording is not None
    second.open(recording)
    # THEN it is drawn as the last one was
    assert scene_of(second).draft.across and second.canvas.header.switches["across"].isChecked()
    other.close()
    other.close_everything()


def test_the_direction_is_a_command_too(person: Person) -> None:
    across = person.window.commands["across"]
    assert across.isEnabled() and not across.isChecked()
    person.command("across")
    person.until(lambda: scene_of(person).draft.across)
    assert across.isChecked() and person.canvas.header.switches["across"].isChecked()
    person.command("across")
    person.until(lambda: not scene_of(person).draft.across)
    assert not across.isChecked()


def test_typing_into_the_filter_leaves_the_graph_alone(person: Person) -> None:
    pane, scene = pane_of(person), scene_of(person)
    person.click(pane.filter)
    QTest.keyClicks(pane.filter, "fdvn")  # keys that mean something on the canvas
    assert scene_of(person) is scene and pane.filter.text() == "fdvn"
