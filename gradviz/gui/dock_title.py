"""The head of a dock that stands alone: it looks like the one tab that it is, and is what one drags."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.draw.tokens import LIST, TAB_STRIP
from gradviz.gui.theme import Theme

BADGE_COLORS = {
    "error": ("error_soft", "error"),
    "warning": ("warn_soft", "warn"),
    "note": ("note_soft", "note"),
    "done": ("done_soft", "done"),
}


class DockTitle(QWidget):
    """Name, a word of detail, and a badge."""

    def __init__(self, dock: QDockWidget, theme: Theme) -> None:
        super().__init__(dock)
        self._theme = theme
        self._text, self._detail = dock.windowTitle(), ""
        self._badge, self._severity = "", "done"
        self._shown = True
        theme.changed.connect(self.update)

    def set_shown(self, shown: bool) -> None:
        if shown != self._shown:
            self._shown = shown
            self.updateGeometry()
            self.setFixedHeight(TAB_STRIP if shown else 0)

    def set_text(self, text: str, detail: str) -> None:
        self._text, self._detail = text, detail
        self.update()

    def set_badge(self, text: str, severity: str) -> None:
        self._badge, self._severity = text, severity
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(60, TAB_STRIP if self._shown else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, TAB_STRIP if self._shown else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(tokens.window))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.border))
        painter.setFont(self._theme.font(LIST, 600))
        painter.setPen(QColor(tokens.text))
        width = painter.fontMetrics().horizontalAdvance(self._text)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(14, 0, width + 4, self.height() - 2), middle, self._text)
        end = 14.0 + width
        if self._badge:
            end = self._paint_badge(painter, end + 8)
        elif self._detail:
            painter.setFont(self._theme.font(LIST))
            painter.setPen(QColor(tokens.text2))
            painter.drawText(QRectF(end + 8, 0, self.width() - end - 16, self.height() - 2), middle, self._detail)
            end = min(self.width() - 8.0, end + 8 + painter.fontMetrics().horizontalAdvance(self._detail))
        painter.fillRect(QRectF(12, self.height() - 2, end - 10, 2), QColor(tokens.accent))
        painter.end()

    def _paint_badge(self, painter: QPainter, left: float) -> float:
        soft, ink = BADGE_COLORS[self._severity]
        painter.setFont(self._theme.font(LIST, 600))
        width = max(18.0, painter.fontMetrics().horizontalAdvance(self._badge) + 10.0)
        place = QRectF(left, self.height() / 2 - 9, width, 16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.tokens.color(soft)))
        painter.drawRoundedRect(place, 8, 8)
        painter.setPen(QColor(self._theme.tokens.color(ink)))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self._badge)
        return place.right()
