"""Where one is among the opened groups: Whole graph › encoder › layers.0. Each part can be pressed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gradviz.draw.tokens import LIST
from gradviz.gui.theme import Theme

MOST = 4  # parts in front of which the rest is left out


class Crumbs(QWidget):
    """`chosen` tells a group's key, "" = the whole graph."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._path: tuple[tuple[str, str], ...] | None = None
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self.parts: list[QPushButton] = []
        self._rest: list[QWidget] = []

    def text(self) -> str:
        return " › ".join(part.text() for part in self.parts)

    def show_path(self, path: tuple[tuple[str, str], ...]) -> None:
        """(key, words) from the whole graph to the innermost group; only the last is strong."""
        if path == self._path:
            return
        self._path = path
        for widget in (*self.parts, *self._rest):
            self._row.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self.parts, self._rest = [], []
        shown = path if len(path) <= MOST else (path[0], *path[-MOST + 1 :])
        for at, (key, words) in enumerate(shown):
            if at:
                self._add_between("› … ›" if at == 1 and len(shown) < len(path) else "›")
            self._add_part(key, words, last=at == len(shown) - 1)

    def _add_part(self, key: str, words: str, last: bool) -> None:
        part = QPushButton(words, self)
        part.setProperty("role", "crumb")
        part.setFont(self._theme.font(LIST, 600 if last else 400))
        part.setAccessibleName(self.tr("Show {part}").format(part=words))
        part.setToolTip(self.tr("Show {part}").format(part=words))
        part.clicked.connect(lambda _on=False: self.chosen.emit(key))
        self.parts.append(part)
        self._row.addWidget(part)

    def _add_between(self, words: str) -> None:
        between = QLabel(words, self)
        between.setProperty("role", "secondary")
        self._rest.append(between)
        self._row.addWidget(between)
