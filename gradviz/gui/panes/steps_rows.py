"""Paints a row of Steps: number, state icon and name, line, shapes; a bar at the left of the row one is at."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import CAPTION, ICON, LIST, ROW, SHAPE
from gradviz.gui.panes.steps_model import LINE, NODE, NUMBER, REST_ROLE, SHAPES, STATE_ROLE
from gradviz.gui.theme import Theme

GAP = 6
BAR = 3


class StepsRows(QStyledItemDelegate):
    """The delegate of all columns."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        state = str(index.data(STATE_ROLE))
        strong = selected or state == "current"
        painter.save()
        self._band(painter, rect, index.column(), state, selected)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        if index.column() == NODE:
            self._name(painter, rect, text, str(index.data(REST_ROLE) or ""), state, strong)
        elif index.column() == SHAPES:
            painter.setFont(self._theme.font(SHAPE))
            self._text(painter, rect.adjusted(4, 0, -4, 0), text, "never" if state == "never" else "text")
        else:
            painter.setFont(self._theme.font(CAPTION if index.column() == NUMBER else LIST, 400))
            room = rect.adjusted(BAR, 0, -6, 0)
            painter.setPen(self._theme.color("text2"))
            assert index.column() in (NUMBER, LINE)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _band(self, painter: QPainter, rect: QRect, column: int, state: str, selected: bool) -> None:
        """The row that is looked at has a soft fill and a bar at its left edge, red where it failed."""
        if not selected:
            return
        wrong = state == "error"
        painter.fillRect(rect, self._theme.color("error_soft" if wrong else "accent_soft"))
        if column == NUMBER:
            bar = QRect(rect.left(), rect.top(), BAR, rect.height())
            painter.fillRect(bar, self._theme.color("error" if wrong else "accent"))

    def _name(self, painter: QPainter, rect: QRect, name: str, rest: str, state: str, strong: bool) -> None:
        top = rect.top() + (rect.height() - ICON) / 2
        draw_icon(painter, state, rect.left() + 2, top, self._theme.tokens, ICON)
        room = rect.adjusted(2 + ICON + GAP, 0, -2, 0)
        font = self._theme.font(LIST, 600 if strong else 400)
        painter.setFont(font)
        self._text(painter, room, name, "text2" if state == "never" else "text")
        if rest:
            used = int(QFontMetricsF(font).horizontalAdvance(name)) + GAP
            painter.setFont(self._theme.font(LIST))
            self._text(painter, room.adjusted(used, 0, 0, 0), rest, "text2")

    def _text(self, painter: QPainter, room: QRect, text: str, token: str) -> None:
        if room.width() <= 8:
            return
        painter.setPen(self._theme.color(token))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
