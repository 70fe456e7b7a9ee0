"""Paints a row of Modules: icon, name and class with a finding's mark, figures, the bar of the gradient's norm."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from gradviz.document.leaf_gradients import Fate
from gradviz.document.module_tree import Branch
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import ICON, LIST, SHAPE
from gradviz.gui.panes.leaf_table import BAR_HEIGHT, draw_bar
from gradviz.gui.panes.modules_model import BRANCH_ROLE, GRADIENT, HIGHEST_ROLE, NAME, SHAPES, STATE
from gradviz.gui.panes.modules_words import is_wrong
from gradviz.gui.theme import Theme

ROW_HEIGHT = 22
FIGURE = 46  # px for the norm, left of its bar
LEAST_BAR = 24
NO_GRADIENT = -1.0  # to a bar: full and hatched


CHEVRON = 12
HATCHED_END = 12  # px of a bar that say: some of the tensors have no gradient


class ModulesTree(QTreeView):
    """With chevrons of our own: the platform's can't be seen on a selected row."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        if self.selectionModel().isRowSelected(index.row(), index.parent()):
            painter.fillRect(rect, self._theme.color("accent_soft"))
        if self.model().hasChildren(index):
            name = "chevron_down" if self.isExpanded(index) else "chevron_right"
            left = rect.right() + 1 - self.indentation() / 2 - CHEVRON / 2
            top = rect.top() + (rect.height() - CHEVRON) / 2
            draw_icon(painter, name, left, top, self._theme.tokens, CHEVRON)


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
        text = str(index.data() or "")
        painter.save()
        if selected:
            painter.fillRect(box, self._theme.color("accent_soft"))
        if index.column() == NAME:
            self._name(painter, box, branch, selected)
        elif index.column() == GRADIENT:
            self._gradient(painter, box, branch, text, float(index.data(HIGHEST_ROLE)))
        else:
            token = "error" if index.column() == STATE and is_wrong(branch) else "text2"
            style = LIST if index.column() == STATE else SHAPE
            painter.setFont(self._theme.font(style, 400))
            painter.setPen(self._theme.color(token))
            left = index.column() in (SHAPES, STATE)
            side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
            room = box.adjusted(6 if left else 0, 0, -4, 0)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def _gradient(self, painter: QPainter, box: QRectF, branch: Branch, text: str, highest: float) -> None:
        """The figure at the left of its bar; where the column is narrow, the bar goes."""
        fate = branch.fate
        if fate is None:
            return
        wrong = is_wrong(branch)
        right = box.right() - 8
        bar = right - (box.left() + FIGURE + 6)
        end = box.left() + FIGURE if bar >= LEAST_BAR else right
        quiet = fate in (Fate.FROZEN, Fate.UNKNOWN, Fate.ELSEWHERE)
        painter.setFont(self._theme.font(SHAPE, 600 if wrong else 400))
        painter.setPen(self._theme.color("error" if wrong else "text2" if quiet else "text"))
        room = QRectF(box.left(), box.top(), end - box.left(), box.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        if bar >= LEAST_BAR and (wrong or fate in (Fate.MEASURED, Fate.ZERO)):
            norm = NO_GRADIENT if wrong or branch.norm is None else branch.norm
            place = QRectF(box.left() + FIGURE + 6, box.top() + (box.height() - BAR_HEIGHT) / 2, bar, BAR_HEIGHT)
            draw_bar(painter, place, norm, self._theme, highest)
            if not wrong and branch.fates[Fate.MISSING]:
                place.setLeft(place.right() - HATCHED_END)
                painter.fillRect(place, self._theme.color("pane"))
                draw_bar(painter, place, NO_GRADIENT, self._theme)

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
