"""Paints a row of the palette: a sign for its kind, the text with what matches marked, details, keys at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradviz.document.shape_pattern import Span
from gradviz.draw.surface import QtSurface, fitted, text_width
from gradviz.draw.tokens import CAPTION, CELL, ICON, LIST, TextStyle
from gradviz.gui.palette.model import ROW_ROLE
from gradviz.gui.palette.rows import Row
from gradviz.gui.theme import Theme

HIGH, HEAD = 26, 25
LEFT, TEXT, GAP, RIGHT = 14, 40, 10, 14
LEAST_DETAIL = 48  # px: with less room there is none
ICONS = {
    "module": "module",
    "line": "document",
    "error": "error",
    "warning": "warning",
    "note": "note",
    "command": "chevron_right",
}


class PaletteRows(QStyledItemDelegate):
    """The delegate of the palette's list."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row = index.data(ROW_ROLE)
        return QSize(200, HEAD if isinstance(row, Row) and row.kind == "head" else HIGH)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, Row):
            return
        painter.save()
        surface = QtSurface(painter, self._theme.tokens, kept=True)
        rect: QRect = option.rect
        if row.kind == "head":
            self._head(surface, rect, row)
        else:
            chosen = bool(option.state & QStyle.StateFlag.State_Selected) and row.can_be_chosen
            if chosen:
                surface.rect(rect.x() + 4, rect.y(), rect.width() - 8, rect.height(), 4, fill="accent_soft")
            self._entry(surface, rect, row)
        painter.restore()

    def _head(self, surface: QtSurface, rect: QRect, row: Row) -> None:
        middle = rect.bottom() - 9
        surface.text(rect.left() + LEFT, middle, row.text, CAPTION, "text2", weight=600)
        surface.text(rect.right() - RIGHT, middle, row.right, CAPTION, "text2", "right", 400)

    def _entry(self, surface: QtSurface, rect: QRect, row: Row) -> None:
        middle = rect.top() + rect.height() / 2
        ink = (
            "disabled"
            if not row.enabled
            else "accent"
            if row.kind == "more"
            else "text2"
            if row.kind == "note"
            else "text"
        )
        self._sign(surface, rect.left() + LEFT, middle, row)
        right: float = rect.right() - RIGHT
        if row.right:
            style = CELL if row.kind == "command" else CAPTION
            surface.text(right, middle, row.right, style, "text2" if row.enabled else "disabled", "right", 400)
            right -= text_width(row.right, style, 400) + GAP
        left = rect.left() + TEXT
        end = _runs(surface, left, right, middle, row.text, row.marks, CELL if row.mono else LIST, ink)
        if row.detail and right - end - GAP > LEAST_DETAIL:
            quiet = "text2" if row.enabled else "disabled"
            _runs(surface, end + GAP, right, middle, row.detail, row.detail_marks, LIST, quiet)

    def _sign(self, surface: QtSurface, x: float, middle: float, row: Row) -> None:
        """Nodes and leaves have the forms that they have on the canvas."""
        if row.icon in ("node", "leaf"):
            surface.rect(x + 0.5, middle - 4.5, 15, 9, 2 if row.icon == "node" else 4.5, stroke="text2", pen=1.2)
        elif row.icon == "shape":
            surface.text(x + ICON / 2, middle, "[ ]", CELL, "text2", "center", 600)
        elif row.icon in ICONS:
            ink = "text2" if row.enabled else "disabled"
            surface.icon(ICONS[row.icon], x, middle - ICON / 2, ICON, ink)


def _runs(
    surface: QtSurface,
    left: float,
    right: float,
    middle: float,
    text: str,
    marks: Sequence[Span],
    style: TextStyle,
    ink: str,
) -> float:
    """A line of text with its marked parts strong and coloured, elided; where it ends."""
    at = 0
    for start, end, marked in (*((start, end, True) for start, end in marks), (len(text), len(text), False)):
        for part, strong in ((text[at:start], False), (text[start:end], marked)):
            if not part:
                continue
            weight, color = (600, "accent") if strong else (400, ink)
            wide = text_width(part, style, weight)
            if left + wide > right:
                surface.text(left, middle, fitted(part, style, right - left, weight), style, color, weight=weight)
                return right
            surface.text(left, middle, part, style, color, weight=weight)
            left += wide
        at = end
    return left
