"""While parts are arranged nothing is painted; afterwards everything is."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.gui.still import Still


class Painted(QWidget):
    """Counts its paintings."""

    count = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.count += 1


def test_what_changed_meanwhile_is_painted_when_it_is_over(qtbot: QtBot) -> None:
    # GIVEN a window that waits to be painted as the holding begins
    window = QWidget()
    part = Painted(window)
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.show()
    qtbot.waitExposed(window)
    qtbot.waitUntil(lambda: part.count > 0)
    window.update()
    part.update()
    # WHEN
    Still(window).begin()
    part.setGeometry(QRect(10, 10, 50, 60))
    part.count = 0
    # THEN
    qtbot.waitUntil(lambda: window.updatesEnabled())
    qtbot.waitUntil(lambda: part.count > 0)
