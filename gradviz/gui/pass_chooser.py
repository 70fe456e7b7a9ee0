"""The list of every backward/grad call of the run, with its line and how it ended; choosing one shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget

from gradviz.document.actions import Actions
from gradviz.document.hub import Hub, View
from gradviz.errors import TraceError
from gradviz.gui.pass_words import passes_in_all
from gradviz.gui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.model import Backward

OUTCOME_ICONS = {
    "refused": "error",
    "raised": "error",
    "interrupted": "warning",
    "running": "current",
}
USUAL, WIDEST = 212, 360
SPARE = 6  # px that the style keeps free beside the words
DETAILS = Qt.ItemDataRole.UserRole + 1  # (short words, how it ended, icon)


class PassChooser(QComboBox):
    """One row per pass; the chosen one is the hub's."""

    def __init__(self, hub: Hub, actions: Actions, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hub, self._actions, self._theme = hub, actions, theme
        self._rows: tuple[tuple[int, str, int], ...] | None = None  # not filled yet
        self.setFixedWidth(USUAL)
        self.view().setMinimumWidth(320)
        self.setMaxVisibleItems(24)
        self.setAccessibleName(self.tr("Backward pass"))
        self.setToolTip(self.tr("Every call of backward and grad in this run"))
        self.activated.connect(self._chosen)
        hub.listen("pass", self, self.show_passes)
        theme.changed.connect(lambda: self._fill(force=True))
        self.show_passes(hub.view)

    def showPopup(self) -> None:
        """Open, each row also tells how the pass ended; closed, the chosen one shows its place alone."""
        self._label(long=True)
        super().showPopup()

    def hidePopup(self) -> None:
        super().hidePopup()
        self._label(long=False)

    def show_passes(self, view: View) -> None:
        self._fill(force=False)
        index = self.findData(view.pass_id)
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, index))

    def _fill(self, force: bool) -> None:
        passes = self._passes()
        rows = tuple((each.id, each.outcome, each.repeats) for each in passes)
        if rows == self._rows and not force:
            return
        self._rows = rows
        chosen = self._hub.view.pass_id
        with QSignalBlocker(self):
            if [self.itemData(row) for row in range(self.count())] != [each.id for each in passes]:
                self.clear()  # else only counts grew: an open list stays as it is
                for each in passes:
                    self.addItem("", each.id)
            total = passes_in_all(passes)
            for row, each in enumerate(passes):
                words = self._words(each.id + 1, total, each)
                self.setItemData(row, (*words, OUTCOME_ICONS.get(each.outcome, "")), DETAILS)
            if not passes:
                self.clear()
                self.addItem(self.tr("No backward pass"), None)
            self.setCurrentIndex(max(0, self.findData(chosen)))
        self._label(long=self.view().isVisible())
        self._make_room()
        self.setEnabled(bool(passes))

    def _make_room(self) -> None:
        """For the longest of the short words; wider only, since the whole window is arranged anew."""
        self.ensurePolished()
        texts = (self.itemData(row, DETAILS) for row in range(self.count()))
        need = max((self.fontMetrics().horizontalAdvance(each[0]) for each in texts if each is not None), default=0)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        inside = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self)
        around = option.rect.width() - inside.width() + SPARE
        self.setFixedWidth(max(self.width(), min(WIDEST, need + around)))

    def _passes(self) -> tuple[Backward, ...]:
        trace = self._hub.view.trace
        if trace is None:
            return ()
        try:
            return trace.passes()
        except TraceError:
            return ()

    def _label(self, long: bool) -> None:
        for row in range(self.count()):
            details = self.itemData(row, DETAILS)
            if details is not None:
                short, rest, icon = details
                self.setItemText(row, f"{short} · {rest}" if long and rest else short)
                self.setItemIcon(row, self._theme.icon(icon) if long and icon else QIcon())

    def _words(self, number: int, total: int, each: Backward) -> tuple[str, str]:
        """Which pass and where it was called; how it ended."""
        words = self.tr("Backward {number} of {total}").format(number=number, total=total)
        if each.stack:
            words += " · " + self.tr("line {line}").format(line=each.stack[0].line)
        outcome = {
            "refused": self.tr("refused"),
            "raised": self.tr("raised"),
            "interrupted": self.tr("interrupted"),
            "running": self.tr("running"),
        }.get(each.outcome, "")
        repeats = self.tr("×{count} equal").format(count=each.repeats) if each.repeats > 1 else ""
        return words, " · ".join(part for part in (outcome, repeats) if part)

    def _chosen(self, index: int) -> None:
        pass_id = self.itemData(index)
        if isinstance(pass_id, int):
            self._actions.choose_pass(pass_id, self)
