"""The list of every backward/grad call of the run, with its line and how it ended; choosing one shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QIcon, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from gradviz.document.actions import Actions
from gradviz.document.hub import Hub, View
from gradviz.errors import TraceError
from gradviz.gui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.model import Backward

OUTCOME_ICONS = {
    "refused": "error",
    "raised": "error",
    "interrupted": "warning",
    "running": "current",
}


class PassChooser(QComboBox):
    """One row per pass; the chosen one is the hub's."""

    def __init__(self, hub: Hub, actions: Actions, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hub, self._actions, self._theme = hub, actions, theme
        self._rows: tuple[tuple[int, str], ...] | None = None  # not filled yet
        self.setFixedWidth(212)
        self.view().setMinimumWidth(320)
        self.setMaxVisibleItems(24)
        self.setAccessibleName(self.tr("Backward pass"))
        self.setToolTip(self.tr("Every call of backward and grad in this run"))
        self.activated.connect(self._chosen)
        hub.listen("pass", self, self.show_passes)
        theme.changed.connect(lambda: self._fill(force=True))
        self.show_passes(hub.view)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Closed, it shows the pass and its line; icon, outcome and repeats stand in the list."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentIcon = QIcon()
        option.currentText = " · ".join(self.currentText().split(" · ")[:2])
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def show_passes(self, view: View) -> None:
        self._fill(force=False)
        index = self.findData(view.pass_id)
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, index))

    def _fill(self, force: bool) -> None:
        passes = self._passes()
        rows = tuple((each.id, each.outcome) for each in passes)
        if rows == self._rows and not force:
            return
        self._rows = rows
        chosen = self._hub.view.pass_id
        with QSignalBlocker(self):
            self.clear()
            total = sum(max(1, each.repeats) for each in passes)
            for each in passes:
                icon = self._theme.icon(OUTCOME_ICONS[each.outcome]) if each.outcome in OUTCOME_ICONS else QIcon()
                self.addItem(icon, self._words(each.id + 1, max(total, passes[-1].id + 1), each), each.id)
            if not passes:
                self.addItem(self.tr("No backward pass"), None)
            self.setCurrentIndex(max(0, self.findData(chosen)))
        self.setEnabled(bool(passes))

    def _passes(self) -> tuple[Backward, ...]:
        trace = self._hub.view.trace
        if trace is None:
            return ()
        try:
            return trace.passes()
        except TraceError:
            return ()

    def _words(self, number: int, total: int, each: Backward) -> str:
        words = self.tr("Backward {number} of {total}").format(number=number, total=total)
        if each.stack:
            words += " · " + self.tr("line {line}").format(line=each.stack[0].line)
        outcome = {
            "refused": self.tr("refused"),
            "raised": self.tr("raised"),
            "interrupted": self.tr("interrupted"),
            "running": self.tr("running"),
        }.get(each.outcome, "")
        if outcome:
            words += " · " + outcome
        if each.repeats > 1:
            words += " · " + self.tr("×{count} equal").format(count=each.repeats)
        return words

    def _chosen(self, index: int) -> None:
        pass_id = self.itemData(index)
        if isinstance(pass_id, int):
            self._actions.choose_pass(pass_id, self)
