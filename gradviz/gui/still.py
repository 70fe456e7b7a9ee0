"""Holds the painting while parts are arranged: arranging is one turn of the event loop, painting another."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

ROUNDS = 2  # of the event loop: sizes of docks hold only in the second


class Still(QObject):
    """Of a widget: `begin` before a change of many parts; what stood on the screen stands until it is over."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._left = 0
        self._round = QTimer(self)
        self._round.setInterval(0)
        self._round.timeout.connect(self._pass)

    def begin(self) -> None:
        if self._widget.isVisible():
            self._left = ROUNDS
            self._widget.setUpdatesEnabled(False)
            self._round.start()

    def _pass(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._round.stop()
            paint_again(self._widget)


def paint_again(widget: QWidget) -> None:
    """Updates are painted again, what has come together at once.

    Qt forgets a request to paint that it meets while updates are off, but not that the widget waits for one: an
    update() of a widget that waits asks for none. So it would stay as it was, until somebody resizes the window.
    """
    widget.setUpdatesEnabled(True)
    widget.repaint()
