"""What a screen reader gets of the window: names of all controls, and the graph box by box."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gradviz.gui.canvas.accessible import tell_focus
from gradviz.gui.window import Window
from tests.gui.driving import Person

CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QAbstractItemView, QSlider)


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Person:
    person = Person(window, qtbot)
    person.open(recordings["mlp"])
    return person


def test_the_graph_is_read_box_by_box(person: Person) -> None:
    view, scene = person.canvas.view, person.canvas.loaded.scene  # type: ignore[union-attr]  # loaded when opened
    graph = QAccessible.queryAccessibleInterface(view)
    assert graph.childCount() == len(scene.draft) and graph.role() == QAccessible.Role.List
    # WHEN the current step's box is asked for
    person.command("step")
    current = view.states.current if view.states is not None else -1
    box = graph.child(current)
    words = box.text(QAccessible.Text.Name)
    # THEN it is told in the order name, state, line, step, shapes
    assert words.startswith("LogSoftmaxBackward0, current, ") and "step 2 of 11" in words
    assert words.endswith("expects [32, 10]")
    # AND where it is
    middle = view.mapFromGlobal(box.rect().center())
    assert view.hit_at(middle.toPointF()).at == current
    at = view.mapToGlobal(QPoint(middle))
    assert graph.indexOfChild(graph.childAt(at.x(), at.y())) == current


def test_what_is_selected_has_the_reader_s_focus(person: Person) -> None:
    view = person.canvas.view
    graph = QAccessible.queryAccessibleInterface(view)
    view.setFocus()
    person.press(Qt.Key.Key_Down)
    focused = graph.focusChild()
    assert focused is not None and focused.state().selected and focused.state().focused
    assert graph.indexOfChild(focused) == view.selected.at
    # AND an event names that very box
    event = QAccessibleEvent(view, QAccessible.Event.Focus)
    event.setChild(view.selected.at)
    assert event.accessibleInterface().text(QAccessible.Text.Name) == focused.text(QAccessible.Text.Name)
    tell_focus(view, view.selected.at)


def test_boxes_of_a_scene_that_is_gone_are_not_there(person: Person, recordings: dict[str, Path]) -> None:
    graph = QAccessible.queryAccessibleInterface(person.canvas.view)
    last = graph.child(graph.childCount() - 1)
    assert last.isValid()
    person.open(recordings["broadcast"])
    person.until(lambda: graph.childCount() < 12)
    assert not last.isValid() and last.text(QAccessible.Text.Name) == "" and last.rect().isNull()


def test_every_control_has_a_name(person: Person) -> None:
    nameless = [control for control in controls(person.window) if not name_of(control)]
    assert not nameless, [f"{type(each).__name__} in {type(each.parent()).__name__}" for each in nameless]


def test_every_button_can_be_reached_by_keyboard_or_has_a_command(person: Person) -> None:
    """By Tab, or because its command is in a menu."""
    commanded = {action for action in person.window.actions() if action.text()}
    unreachable = []
    for control in controls(person.window):
        if not isinstance(control, QAbstractButton) or not control.isVisible() or not control.isEnabled():
            continue
        tabbed = control.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not tabbed and not commanded & set(control.actions()):
            unreachable.append(f"{name_of(control)} ({type(control).__name__} in {type(control.parent()).__name__})")
    assert not unreachable


def controls(window: Window) -> list[QWidget]:
    found: list[QWidget] = []
    for kind in CONTROLS:
        found += window.findChildren(kind)
    return [each for each in found if not _of_qt(each)]


def _of_qt(control: QWidget) -> bool:
    """A part that Qt put into a widget of its own: the list of a combo box, the icon in a field, a table's header."""
    parent = control.parent()
    inner = (
        isinstance(parent, (QLineEdit, QComboBox))
        or isinstance(control, QHeaderView)
        or (parent is not None and "ComboBoxPrivate" in parent.metaObject().className())
    )
    return inner or control.objectName().startswith("qt_")


def name_of(control: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(control)
    return interface.text(QAccessible.Text.Name) if interface is not None else control.accessibleName()
