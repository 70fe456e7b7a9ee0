"""Paints a row of Steps: number, state icon and name, line, shapes; a bar at the left of the row one is at."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradviz.draw.surface import QtSurface, fitted, text_width
from gradviz.draw.tokens import CAPTION, ICON, LIST, ROW, SHAPE, TextStyle
from gradviz.gui.panes.steps_model import NODE, NUMBER, REST_ROLE, SHAPES, STATE_ROLE
from gradviz.gui.theme import Theme

GAP = 6
BAR = 3


class StepsRows(QStyledItemDelegate):
    """The delegate of all columns."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        for style, weight in ((CAPTION, 400), (LIST, 400), (LIST, 600), (LIST, 0), (SHAPE, 0)):
            text_width("0", style, weight)  # loads the font now, while nobody waits for the first row

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect
        column = index.column()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        state = str(index.data(STATE_ROLE))
        strong = selected or state == "current"
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        painter.save()
        surface = QtSurface(painter, self._theme.tokens, kept=True)
        if selected:
            self._band(surface, rect, column, state)
        if column == NODE:
            self._name(surface, rect, text, str(index.data(REST_ROLE) or ""), state, strong)
        elif column == SHAPES:
            _words(surface, rect.left() + 4, rect.right() - 4, rect, text, SHAPE, _ink(state))
        else:
            style = CAPTION if column == NUMBER else LIST
            surface.text(rect.right() - 5, _middle(rect), text, style, "text2", "right", 400)
        painter.restore()

    def _band(self, surface: QtSurface, rect: QRect, column: int, state: str) -> None:
        """The row that is looked at has a soft fill and a bar at its left edge, red where it failed."""
        wrong = state == "error"
        place = (rect.x(), rect.y(), rect.width(), rect.height())
        surface.rect(*place, fill="error_soft" if wrong else "accent_soft")
        if column == NUMBER:
            surface.rect(rect.x(), rect.y(), BAR, rect.height(), fill="error" if wrong else "accent")

    def _name(self, surface: QtSurface, rect: QRect, name: str, rest: str, state: str, strong: bool) -> None:
        left, right = rect.left() + 2 + ICON + GAP, rect.right() - 2
        surface.icon(state, rect.left() + 2, rect.top() + (rect.height() - ICON) / 2, ICON)
        weight = 600 if strong else 400
        _words(surface, left, right, rect, name, LIST, _ink(state), weight)
        if rest:
            _words(surface, left + int(text_width(name, LIST, weight)) + GAP, right, rect, rest, LIST, "text2")


def _words(
    surface: QtSurface, left: int, right: int, rect: QRect, text: str, style: TextStyle, ink: str, weight: int = 0
) -> None:
    """A line between two edges, elided."""
    room = right - left + 1
    if room > 8:
        surface.text(left, _middle(rect), fitted(text, style, room, weight), style, ink, "left", weight)


def _middle(rect: QRect) -> float:
    return rect.top() + rect.height() / 2


def _ink(state: str) -> str:
    return "text2" if state == "never" else "text"
