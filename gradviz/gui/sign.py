"""Painted parts of the welcome page: the program's sign, and the zone that says what can be dropped."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import FINDING_TITLE, LIST
from gradviz.gui.theme import Theme


class DropZone(QWidget):
    """Says what can be dropped. The whole window takes drops; this shows that it does."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedHeight(136)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(352, 136)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(tokens.control), 1.0)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(QColor(tokens.pane))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        draw_icon(painter, "save", self.width() / 2 - 11, 30, tokens, 22)
        painter.setFont(self._theme.font(FINDING_TITLE))
        painter.setPen(QColor(tokens.text))
        middle = Qt.AlignmentFlag.AlignCenter
        drop = self.tr("Drop a Python script or a recording here")
        painter.drawText(QRectF(0, 63, self.width(), 20), middle, drop)
        painter.setFont(self._theme.font(LIST))
        painter.setPen(QColor(tokens.text2))
        painter.drawText(QRectF(0, 87, self.width(), 18), middle, ".py · .gradviz")
        painter.end()


class Logo(QWidget):
    """The program's sign: a small graph on an accent square."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedSize(42, 42)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_logo(painter, self._theme)
        painter.end()


def draw_logo(painter: QPainter, theme: Theme, size: float = 42) -> None:
    """Draw the sign with its top left corner at the origin."""
    tokens = theme.tokens
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / 42, size / 42)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.accent))
    painter.drawRoundedRect(QRectF(0, 0, 42, 42), 8, 8)
    pen = QPen(QColor(tokens.on_fill), 2)
    painter.setPen(pen)
    for start, end in (((21, 14), (21, 22)), ((21, 24), (13, 30)), ((21, 24), (29, 30))):
        painter.drawLine(*start, *end)
    painter.setBrush(QColor(tokens.on_fill))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(QRectF(15, 8, 12, 7), 1.5, 1.5)
    painter.drawRoundedRect(QRectF(15, 19, 12, 7), 1.5, 1.5)
    painter.drawRoundedRect(QRectF(6, 29, 13, 7), 3.5, 3.5)
    painter.setBrush(QColor(tokens.accent))
    painter.setPen(pen)
    painter.drawRoundedRect(QRectF(24, 30, 11, 5.5), 2.75, 2.75)
    painter.restore()
