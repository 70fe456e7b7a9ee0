"""The letters of the menus show while Alt is pressed, and open them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.gui.window import Window


def titles(window: Window) -> list[str]:
    return [action.text() for action in window.menuBar().actions()]


@pytest.mark.parametrize("focused", ["window", "field"])
def test_letters_show_while_alt_is_pressed(window: Window, qtbot: QtBot, focused: str) -> None:
    # GIVEN the keyboard anywhere
    if focused == "field":
        window.commands["find"].trigger()
    assert titles(window)[:2] == ["File", "Edit"]
    # WHEN Alt is held
    handle = window.windowHandle()
    QTest.keyPress(handle, Qt.Key.Key_Alt, Qt.KeyboardModifier.AltModifier)
    # THEN
    qtbot.waitUntil(lambda: titles(window)[:2] == ["&File", "&Edit"])
    # WHEN a letter is pressed with it, its menu opens
    QTest.keyClick(handle, Qt.Key.Key_V, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    opened = QApplication.activePopupWidget()
    assert opened is not None and opened.windowTitle() is not None
    opened.close()
    QTest.keyRelease(handle, Qt.Key.Key_Alt)
    window.menuBar().clearFocus()
    qtbot.waitUntil(lambda: titles(window)[:2] == ["File", "Edit"])
