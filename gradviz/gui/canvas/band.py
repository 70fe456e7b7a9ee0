"""The rubber band: Shift and a drag select what is inside, Ctrl and a drag look closer at it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from gradviz.gui.theme import Theme

LEAST = 4.0  # px: a smaller one is a click


class Band:
    """One drag at a time; all in px of the widget."""

    def __init__(self) -> None:
        self._from: QPointF | None = None
        self._to = QPointF()
        self.zooms = False  # look closer, rather than select

    @property
    def active(self) -> bool:
        return self._from is not None

    def begin(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether this press begins a band."""
        wanted = modifiers & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        if not wanted:
            return False
        self._from, self._to = at, at
        self.zooms = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        return True

    def move(self, at: QPointF) -> None:
        self._to = at

    def rect(self) -> QRectF:
        return QRectF(self._from, self._to).normalized() if self._from is not None else QRectF()

    def end(self) -> QRectF | None:
        """The rectangle; None where it was a click, or nothing at all."""
        rect = self.rect()
        self._from = None
        return rect if max(rect.width(), rect.height()) >= LEAST else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if not self.active:
            return
        fill = theme.color("accent")
        fill.setAlpha(28)
        painter.setPen(QPen(theme.color("accent"), 1))
        painter.setBrush(fill)
        painter.drawRect(self.rect())
