"""Paints a row of Modules: icon and name with a finding behind, parameter count, bar of the gradient's norm."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradviz.document.module_tree import Branch
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import ICON, LIST, SHAPE
from gradviz.gui.panes.leaf_table import BAR_HEIGHT, draw_bar
from gradviz.gui.panes.modules_model import BRANCH_ROLE, GRADIENT, NAME
from gradviz.gui.theme import Theme

ROW_HEIGHT = 22


class ModulesRows(QStyledItemDelegate):
    """The delegate of all columns."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        branch = index.data(BRANCH_ROLE)
        if not isinstance(branch, Branch):
            return
        box = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(box, self._theme.color("accent_soft"))
        if index.column() == NAME:
            self._name(painter, box, branch, selected)
        elif index.column() == GRADIENT:
            if branch.norm is not None:
                top = box.top() + (box.height() - BAR_HEIGHT) / 2
                draw_bar(painter, QRectF(box.left() + 6, top, box.width() - 16, BAR_HEIGHT), branch.norm, self._theme)
        else:
            painter.setFont(self._theme.font(SHAPE))
            painter.setPen(self._theme.color("text2"))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box.adjusted(0, 0, -4, 0), right, str(index.data() or ""))
        painter.restore()

    def _name(self, painter: QPainter, box: QRectF, branch: Branch, selected: bool) -> None:
        top = box.top() + (box.height() - ICON) / 2
        draw_icon(painter, "module", box.left(), top, self._theme.tokens, ICON)
        font = self._theme.font(LIST, 600 if selected else 400)
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        room = box.adjusted(ICON + 6, 0, -(ICON + 4) if branch.severity else -2, 0)
        shown = painter.fontMetrics().elidedText(branch.name, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        used = room.left() + painter.fontMetrics().horizontalAdvance(shown) + 5
        if branch.severity:
            draw_icon(painter, branch.severity, used, box.top() + (box.height() - 14) / 2, self._theme.tokens, 14)
            used += 19
        painter.setFont(self._theme.font(LIST))
        painter.setPen(self._theme.color("text2"))
        rest = QRectF(used, box.top(), box.right() - used - 2, box.height())
        name = branch.module.class_name
        if rest.width() > 40 and name != branch.name:
            shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(rest.width()))
            painter.drawText(rest, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
