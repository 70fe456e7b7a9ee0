"""Long names in a narrow pane: they may break where they are put together, and are copied as they are written."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QMenu, QWidget

BREAK = "\u200b"  # has no width, and a line may end there
LONGEST = 18  # letters that find room beside a row's label
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[._/\\:=])(?=\w)")


def breakable(text: str, longest: int = LONGEST) -> str:
    """`text`, in which longer words may break: before capitals, after dots and the like, at last anywhere."""
    if len(text) <= longest:
        return text
    return re.sub(rf"\S{{{longest + 1},}}", lambda word: _broken(word[0], longest), text)


def _broken(word: str, longest: int) -> str:
    pieces = _JOINT.split(word)
    cut = [piece[at : at + longest] for piece in pieces for at in range(0, len(piece), longest)]
    return BREAK.join(cut)


class WordsLabel(QLabel):
    """Rich text that wraps, with no least width of its own, and whose copies are free of BREAK."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def copy(self) -> None:
        """Put what is selected on the clipboard."""
        QGuiApplication.clipboard().setText(self.selectedText().replace(BREAK, ""))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy"), self.copy).setEnabled(self.hasSelectedText())
        menu.popup(event.globalPos())
