"""Goes through the slices of a tensor with more than two dimensions: back, 'slice 1 of 24', on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from gradviz.gui.theme import Theme


class SlicePicker(QWidget):
    """`number` counts from 0."""

    moved = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number, self._count = 0, 1
        self.back = self._button(theme, "back", self.tr("Previous slice"), -1)
        self.forth = self._button(theme, "step", self.tr("Next slice"), 1)
        self.words = QLabel(self)
        self.words.setProperty("role", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in (self.back, self.words, self.forth):
            row.addWidget(widget)
        row.addStretch(1)

    def _button(self, theme: Theme, icon: str, words: str, by: int) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(theme.icon(icon))
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setAutoRepeat(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda: self.go_to(self.number + by))
        return button

    def offer(self, count: int) -> None:
        """This many slices; from the first on."""
        self._count = max(1, count)
        self.number = 0
        self._tell()

    def go_to(self, number: int) -> None:
        bounded = max(0, min(number, self._count - 1))
        if bounded != self.number:
            self.number = bounded
            self._tell()
            self.moved.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.go_to(self.number + (1 if event.angleDelta().y() < 0 else -1))
        event.accept()

    def _tell(self) -> None:
        words = self.tr("slice {number} of {count}")
        self.words.setText(words.format(number=f"{self.number + 1:,}", count=f"{self._count:,}"))
        self.back.setEnabled(self.number > 0)
        self.forth.setEnabled(self.number < self._count - 1)
