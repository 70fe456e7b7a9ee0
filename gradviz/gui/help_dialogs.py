"""The page of all keys, and the box that says what this is."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz import __version__
from gradviz.gui.commands import COMMANDS, Commands, key_words

# What widgets do themselves, beside the commands: (keys, words)
ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("Home, End", str(QT_TRANSLATE_NOOP("Keys", "First, last step (in the canvas and in Steps)"))),
    ("← → ↑ ↓", str(QT_TRANSLATE_NOOP("Keys", "Along the edges (in the canvas)"))),
    ("Enter", str(QT_TRANSLATE_NOOP("Keys", "Open a group, go to a node's step (in the canvas)"))),
    ("Backspace", str(QT_TRANSLATE_NOOP("Keys", "Fold the group around (in the canvas)"))),
    ("+  −  0", str(QT_TRANSLATE_NOOP("Keys", "Zoom in, out, to 100 % (in the canvas)"))),
    ("[  ]", str(QT_TRANSLATE_NOOP("Keys", "Fewer, more neighbours in focus (in the canvas)"))),
    ("V", str(QT_TRANSLATE_NOOP("Keys", "Hide views, transposes, expands and leaves, and show them (in the canvas)"))),
    ("D", str(QT_TRANSLATE_NOOP("Keys", "Draw from left to right, and from top to bottom again (in the canvas)"))),
    ("Shift+drag", str(QT_TRANSLATE_NOOP("Keys", "Mark all nodes in a rectangle (in the canvas)"))),
    ("Ctrl+drag", str(QT_TRANSLATE_NOOP("Keys", "Look closer at a rectangle (in the canvas)"))),
    ("Esc", str(QT_TRANSLATE_NOOP("Keys", "Leave the focus, clear the selection, close the search"))),
    ("← →  PgUp PgDn", str(QT_TRANSLATE_NOOP("Keys", "Step by one, by ten (in the timeline)"))),
    ("Menu", str(QT_TRANSLATE_NOOP("Keys", "Open the menu of what is selected"))),
)


class ShortcutsDialog(QDialog):
    """Two columns: key, what it does."""

    def __init__(self, commands: Commands, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(520, 640)
        column = QVBoxLayout(self)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        page = QWidget(scroll)
        grid = QGridLayout(page)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(6)
        rows = [(key_words(command), commands.text(command)) for command in COMMANDS if command.keys]
        rows += [(keys, QCoreApplication.translate("Keys", words)) for keys, words in ELSEWHERE]
        for number, (keys, words) in enumerate(rows):
            key = QLabel(keys, page)
            key.setProperty("role", "mono")
            grid.addWidget(key, number, 0)
            grid.addWidget(QLabel(words, page), number, 1)
        grid.setColumnStretch(1, 1)
        scroll.setWidget(page)
        column.addWidget(scroll, 1)
        column.addWidget(_close_button(self))


class AboutDialog(QDialog):
    """Name, version, what it is for, and with what it runs."""

    def __init__(self, logo: QPixmap, runtime: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("About gradviz"))
        column = QVBoxLayout(self)
        column.setSpacing(12)
        row = QHBoxLayout()
        row.setSpacing(16)
        sign = QLabel(self)
        sign.setPixmap(logo)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(4)
        title = QLabel(f"gradviz {__version__}", self)
        title.setProperty("role", "title")
        words.addWidget(title)
        for text in (self.tr("See where a gradient goes wrong, and why."), runtime, self.tr("MIT licence")):
            label = QLabel(text, self)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.addWidget(label)
        row.addLayout(words, 1)
        column.addLayout(row)
        column.addWidget(_close_button(self))


def _close_button(dialog: QDialog) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    box.rejected.connect(dialog.reject)
    return box
