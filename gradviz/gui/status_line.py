"""The status bar: how the last run ended, what is going on now, and at the right the interpreter and the recording."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QMainWindow, QProgressBar, QPushButton, QStatusBar

from gradviz.draw.tokens import STATUS
from gradviz.gui.theme import Theme


class StatusLine(QStatusBar):
    """Three places: outcome with its icon, details, and what is open."""

    change_interpreter_requested = Signal()

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        self._theme, self._icon_name = theme, ""
        self.setFixedHeight(STATUS)
        self.setSizeGripEnabled(False)
        self._icon, self._outcome, self._details = QLabel(self), QLabel(self), QLabel(self)
        self._busy = QProgressBar(self)
        self._busy.setRange(0, 0)
        self._busy.setFixedWidth(120)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName(self.tr("The script is running"))
        self._change = QPushButton(self.tr("Change…"), self)
        self._change.setProperty("role", "link")
        self._change.setToolTip(self.tr("Choose the Python that runs scripts"))
        self._change.clicked.connect(self.change_interpreter_requested)
        self._interpreter, self._file = QLabel(self), QLabel(self)
        for widget in (self._icon, self._outcome, self._details, self._change, self._busy):
            self.addWidget(widget)
        for widget in (self._interpreter, self._file):
            self.addPermanentWidget(widget)
        self._icon.setContentsMargins(8, 0, 0, 0)
        self._outcome.setContentsMargins(4, 0, 0, 0)
        self._details.setContentsMargins(8, 0, 0, 0)
        self._file.setContentsMargins(8, 0, 8, 0)
        theme.changed.connect(self._paint)
        self.show_outcome("", "", "")
        self.show_busy(False)

    def show_outcome(self, icon: str, words: str, details: str) -> None:
        self._icon_name = icon
        self._outcome.setText(words)
        self._details.setText(details)
        self._details.setVisible(bool(details))
        self._paint()

    def show_busy(self, busy: bool) -> None:
        self._busy.setVisible(busy)

    def show_right(self, interpreter: str, file: str) -> None:
        self._interpreter.setText(interpreter)
        self._file.setText(file)

    def offer_change(self, offer: bool) -> None:
        self._change.setVisible(offer)

    def words(self) -> str:
        """All that it says, for tests and screen readers."""
        labels = (self._outcome, self._details, self._interpreter, self._file)
        return " | ".join(label.text() for label in labels if label.text())

    def _paint(self) -> None:
        self._icon.setVisible(bool(self._icon_name))
        if self._icon_name:
            self._icon.setPixmap(self._theme.icon(self._icon_name).pixmap(14, 14))
