"""The ring round what has the keyboard, when that is destroyed: panes rebuild their pages at each step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gradviz.gui.focus_ring import FocusRing
from gradviz.gui.theme import Theme


@pytest.fixture
def host(qtbot: QtBot, qapp: QApplication) -> Iterator[QWidget]:
    """A window with two controls; the keyboard is in use, so that the ring stands round the first."""
    window = QWidget()
    qtbot.addWidget(window)
    rows = QVBoxLayout(window)
    for name in ("first", "second"):
        button = QPushButton(name, window)
        button.setObjectName(name)
        rows.addWidget(button)
    with qtbot.waitActive(window):
        window.show()
    ring = FocusRing(Theme("light"), qapp)
    ring.watch(window.windowHandle())
    control(window, "first").setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Shift)
    yield window
    delete(ring)


def control(window: QWidget, name: str) -> QPushButton:
    found = window.findChild(QPushButton, name)
    assert isinstance(found, QPushButton)
    return found


def rings(window: QWidget) -> list[QObject]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [each for each in window.children() if type(each).__name__ == "_Ring" and each.isVisible()]  # type: ignore[attr-defined]  # a ring is a widget


def test_it_goes_with_its_control(host: QWidget) -> None:
    assert len(rings(host)) == 1
    # WHEN the control is destroyed
    delete(control(host, "first"))
    # THEN no ring stands where it was
    assert not rings(host)
    # AND the next control gets one
    control(host, "second").setFocus()
    assert len(rings(host)) == 1


def test_many_are_destroyed_one_after_the_other(host: QWidget) -> None:
    for _ in range(5):
        made = QLineEdit(host)
        made.show()
        made.setFocus()
        assert len(rings(host)) == 1
        delete(made)
        QTest.keyClick(host.windowHandle(), Qt.Key.Key_Shift)
        assert len(rings(host)) <= 1
    control(host, "second").setFocus()
    assert len(rings(host)) == 1


def test_leaving_a_control_leaves_nothing_of_it_behind(host: QWidget) -> None:
    # WHEN the keyboard has left, and the control is destroyed after that
    control(host, "second").setFocus()
    delete(control(host, "first"))
    # THEN the ring stays round the other
    assert len(rings(host)) == 1
