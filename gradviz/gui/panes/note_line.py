"""A quiet sentence at the foot of a pane, with the note icon."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gradviz.draw.icons import draw_icon
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme

LEFT, TOP = 16, 12


class NoteLine(QWidget):
    """Hidden while there is nothing to say."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self.words, "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(LEFT + 24, TOP, LEFT, TOP)
        row.addWidget(self.words, 1, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, words: str) -> None:
        self.words.setText(words)
        self.setVisible(bool(words))

    def text(self) -> str:
        return self.words.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, self._theme.color("border"))
        draw_icon(painter, "note", LEFT, TOP, self._theme.tokens)
        painter.end()
