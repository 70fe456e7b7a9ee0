"""The margin of Source: finding or arrow, line number, and how many nodes the line made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import CAPTION, SOURCE

if TYPE_CHECKING:
    from gradviz.gui.panes.source_view import SourceView

ICON_LEFT, ICON_SIZE = 6, 14
NUMBER_LEFT = 26
GAP = 8


class SourceGutter(QWidget):
    """Belongs to its view, which holds all the figures."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view
        self.setAccessibleName(self.tr("Line numbers"))

    def needed_width(self) -> int:
        return int(NUMBER_LEFT + self._number_width() + GAP + self._count_width() + GAP)

    def sizeHint(self) -> QSize:
        return QSize(self.needed_width(), 0)

    def _number_width(self) -> float:
        metrics = QFontMetricsF(self._view.theme.font(SOURCE, 700))
        return metrics.horizontalAdvance("8") * max(2, len(str(self._view.blockCount())))

    def _count_width(self) -> float:
        most = max(self._view.counts.values(), default=0)
        return QFontMetricsF(self._view.theme.font(CAPTION)).horizontalAdvance("8") * max(1, len(str(most)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        view, theme = self._view, self._view.theme
        painter.fillRect(self.rect(), theme.color("pane"))
        numbers = self._number_width()
        for block, box in view.visible_blocks():
            line = block.blockNumber() + 1
            band = view.band(line)
            if band:
                painter.fillRect(QRectF(0, box.top(), self.width(), box.height()), theme.color(band))
            icon = self.icon(line)
            if icon:
                draw_icon(painter, icon, ICON_LEFT, box.top() + (box.height() - ICON_SIZE) / 2, theme.tokens, ICON_SIZE)
            mark = view.marks.get(line)
            strong = mark is not None or line == view.current
            painter.setFont(theme.font(SOURCE, 700 if strong else 400))
            cause = mark is not None and mark.kind == "cause" and mark.severity == "error"
            painter.setPen(theme.color("error" if cause else "text" if strong else "text2"))
            middle = Qt.AlignmentFlag.AlignVCenter
            room = QRectF(NUMBER_LEFT, box.top(), numbers, box.height())
            painter.drawText(room, middle | Qt.AlignmentFlag.AlignRight, str(line))
            count = view.counts.get(line, 0)
            if count:
                painter.setFont(theme.font(CAPTION, 400))
                painter.setPen(theme.color("text2"))
                room = QRectF(NUMBER_LEFT + numbers + GAP, box.top(), self._count_width(), box.height())
                painter.drawText(room, middle | Qt.AlignmentFlag.AlignLeft, str(count))
        painter.end()

    def icon(self, line: int) -> str:
        """A finding before the arrow: the band tells the current line as well."""
        mark = self._view.marks.get(line)
        if mark is not None and mark.kind == "cause":
            return mark.severity
        return "line" if line == self._view.current else ""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._view.tell_click(event.position().y())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        line = self._view.line_at(event.position().y())
        if line:
            self._view.line_double_clicked.emit(line)

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._view.verticalScrollBar(), event)
