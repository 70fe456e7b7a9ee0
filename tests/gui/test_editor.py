"""A line opens in the person's editor, from menu and keys; the command is chosen in a dialog; failures are told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QMenu
from pytestqt.qtbot import QtBot

from gradviz.gui.editor import EditorDialog
from gradviz.gui.panes.source import SourcePane
from gradviz.gui.window import Window
from tests.gui.driving import Person


@pytest.fixture
def person(window: Window, qtbot: QtBot, tmp_path: Path) -> Person:
    """With a script open, in a folder whose name has a space."""
    person = Person(window, qtbot)
    script = tmp_path / "my scripts" / "plan.py"
    script.parent.mkdir()
    script.write_text("one = 1\ntwo = 2\nthree = 3\n")
    person.window.open_path(script)
    person.until(lambda: source(person).view.toPlainText())
    return person


def source(person: Person) -> SourcePane:
    pane = person.window.docks.panes["source"]
    assert isinstance(pane, SourcePane)
    return pane


def choose(person: Person, command: str) -> None:
    """In the dialog of the menu."""
    person.command("editor")
    dialog = person.window.findChild(EditorDialog)
    assert isinstance(dialog, EditorDialog)
    person.qtbot.keyClicks(dialog.field, command)
    person.click(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok))
    person.until(lambda: person.window.findChild(EditorDialog) is None)


def test_a_line_opens_in_the_editor_that_was_chosen(person: Person, tmp_path: Path) -> None:
    # GIVEN an editor that notes what it is asked for
    told = tmp_path / "told.txt"
    editor = tmp_path / "editor.py"
    editor.write_text(f"import pathlib, sys\npathlib.Path({str(told)!r}).write_text('|'.join(sys.argv[1:]))\n")
    choose(person, f'"{sys.executable}" "{editor}" {{file}}:{{line}} --wait')
    # WHEN the second line is clicked, and its key pressed
    view = source(person).view
    block = view.document().findBlockByNumber(1)
    place = view.blockBoundingGeometry(block).translated(view.contentOffset()).center().toPoint()
    person.click(view.viewport(), QPoint(20, place.y()))
    person.window.activateWindow()
    person.until(person.window.isActiveWindow)
    assert person.window.commands["open_line"].isEnabled()
    person.press(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    # THEN
    person.until(lambda: told.is_file() and told.read_text())
    assert told.read_text() == f"{source(person).file}:2|--wait"


def test_the_menu_of_a_line_offers_it(person: Person, tmp_path: Path) -> None:
    choose(person, "no-such-editor {file}")
    view = source(person).view
    at = QPoint(20, 10)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(view.viewport(), QContextMenuEvent(reason, at, view.viewport().mapToGlobal(at)))
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    person.click(menu, menu.actionGeometry(menu.actions()[-1]).center())
    # THEN an editor that isn't there is told, with the way to another
    person.until(lambda: "no-such-editor {file}" in person.told("editor"))
    strip = person.window.strips.standing()["editor"]
    assert strip.action is not None
    person.click(strip.action)
    dialog = person.window.findChild(EditorDialog)
    assert isinstance(dialog, EditorDialog) and dialog.field.text() == "no-such-editor {file}"
    person.qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_a_command_without_a_file_is_not_taken(person: Person) -> None:
    person.command("editor")
    dialog = person.window.findChild(EditorDialog)
    assert isinstance(dialog, EditorDialog)
    person.qtbot.keyClicks(dialog.field, "code")
    assert dialog.fault.text() == "The command doesn't say where {file} goes."
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    person.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
