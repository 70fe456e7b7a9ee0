"""Recent files with their last outcome, as a list that reads like the welcome page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gradviz.document.settings import Recent
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import BODY, LIST
from gradviz.gui.theme import Theme

ROW_HEIGHT = 46
OUTCOME_ICONS = {"error": "error", "warning": "warning", "ok": "done", "stopped": "pending"}


class RecentList(QListWidget):
    """One row per file: name and folder left, outcome and time right. Enter or a click opens it."""

    chosen = Signal(object)  # Recent

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(_Delegate(theme, self))
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Recent files"))
        self.setStyleSheet("background: transparent")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)
        theme.changed.connect(lambda: self.viewport().update())

    def show_recent(self, entries: Sequence[Recent]) -> None:
        self.clear()
        for entry in entries:
            path = Path(entry.path)
            item = QListWidgetItem(path.name + (f"::{entry.function}" if entry.function else ""), self)
            item.setData(Qt.ItemDataRole.UserRole, (entry, short_folder(path), self.outcome(entry), self.when(entry)))
            item.setToolTip(entry.path)
            item.setSizeHint(QSize(100, ROW_HEIGHT))

    def outcome(self, entry: Recent) -> str:
        """The last outcome in words."""
        if entry.outcome == "error":
            return self.tr("%n error(s)", "", entry.count) if entry.count != 1 else self.tr("1 error")
        if entry.outcome == "warning":
            return self.tr("%n warning(s)", "", entry.count) if entry.count != 1 else self.tr("1 warning")
        return {"ok": self.tr("no problems"), "stopped": self.tr("stopped")}.get(entry.outcome, "")

    def when(self, entry: Recent) -> str:
        """How long ago, as one would say it."""
        minutes = (time.time() - entry.when) / 60
        if minutes < 1:
            return self.tr("just now")
        if minutes < 60:
            return self.tr("1 minute ago") if int(minutes) == 1 else self.tr("{n} minutes ago").format(n=int(minutes))
        then, today = QDateTime.fromSecsSinceEpoch(int(entry.when)), QDateTime.currentDateTime()
        days = then.date().daysTo(today.date())
        if days == 0:
            return QLocale().toString(then.time(), QLocale.FormatType.ShortFormat)
        if days == 1:
            return self.tr("yesterday")
        return QLocale().toString(then.date(), "dddd" if days < 7 else "d MMM")

    def _open(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(Qt.ItemDataRole.UserRole)[0])


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]  # PySide's stub wants QPersistentModelIndex too
        from PySide6.QtWidgets import QStyle  # late: its many enumerations take 10 ms of the first paint

        entry, folder, outcome, when = index.data(Qt.ItemDataRole.UserRole)
        tokens, rect = self._theme.tokens, QRect(option.rect)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(rect, 4, 4)
        icon = "recording" if entry.path.endswith(".gradviz") else "document"
        draw_icon(painter, icon, rect.left() + 12, rect.top() + 15, tokens, 16)
        text = rect.adjusted(35, 5, -12, -5)
        top, bottom = text.adjusted(0, 0, 0, -text.height() // 2), text.adjusted(0, text.height() // 2, 0, 0)
        right_edge = top.adjusted(0, 0, -18, 0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._theme.font(LIST))
        outcome_width = painter.fontMetrics().horizontalAdvance(outcome)
        painter.setPen(QColor(tokens.text))
        painter.drawText(right_edge, right, outcome)
        if entry.outcome in OUTCOME_ICONS:
            draw_icon(painter, OUTCOME_ICONS[entry.outcome], text.right() - 12, top.top() + 2, tokens, 13)
        painter.setPen(QColor(tokens.text2))
        painter.drawText(bottom, right, when)
        room = bottom.width() - painter.fontMetrics().horizontalAdvance(when) - 12
        elide = Qt.TextElideMode.ElideMiddle
        painter.drawText(bottom, Qt.AlignmentFlag.AlignVCenter, painter.fontMetrics().elidedText(folder, elide, room))
        painter.setFont(self._theme.font(BODY, 500))
        painter.setPen(QColor(tokens.text))
        name = painter.fontMetrics().elidedText(index.data(), elide, top.width() - outcome_width - 30)
        painter.drawText(top, Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]  # as paint
        return QSize(100, ROW_HEIGHT)


def short_folder(path: Path) -> str:
    """The folder, with the home written ~."""
    try:
        return "~/" + path.parent.relative_to(Path.home()).as_posix()
    except ValueError:
        return str(path.parent)
