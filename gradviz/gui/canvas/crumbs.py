"""Where one is among the opened groups: Whole graph › encoder › layers.0. Each part can be pressed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gradviz.draw.tokens import LIST
from gradviz.gui.theme import Theme

MOST = 4  # parts; of a longer way the first and the last ones are shown


class Crumbs(QWidget):
    """`chosen` tells a group's key, "" = the whole graph. The widgets stay: each step may lead to another group."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plain, self._strong = theme.font(LIST, 400), theme.font(LIST, 600)
        self._path: tuple[tuple[str, str], ...] = ()
        self._keys: list[str] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._buttons: list[QPushButton] = []
        self._between: list[QLabel] = []

    @property
    def parts(self) -> list[QPushButton]:
        """Those that show."""
        return self._buttons[: len(self._keys)]

    def text(self) -> str:
        return " › ".join(part.text() for part in self.parts)

    def show_path(self, path: tuple[tuple[str, str], ...]) -> None:
        """(key, words) from the whole graph to the innermost group; only the last is strong."""
        if path == self._path:
            return
        self._path = path
        shown = path if len(path) <= MOST else (path[0], *path[-MOST + 1 :])
        self._keys = [key for key, _ in shown]
        while len(self._buttons) < len(shown):
            self._add()
        for at, button in enumerate(self._buttons):
            there = at < len(shown)
            if there:
                self._dress(button, shown[at][1], last=at == len(shown) - 1)
            button.setVisible(there)
            self._between[at].setVisible(there and at > 0)
        if len(self._between) > 1:
            self._between[1].setText("› … ›" if len(shown) < len(path) else "›")

    def _add(self) -> None:
        between = QLabel("›", self)
        between.setProperty("role", "secondary")
        at = len(self._buttons)
        button = QPushButton(self)
        button.setProperty("role", "crumb")
        button.clicked.connect(lambda _on=False: self.chosen.emit(self._keys[at]))
        for widget in (between, button):
            self._row.addWidget(widget)
        self._between.append(between)
        self._buttons.append(button)

    def _dress(self, button: QPushButton, words: str, last: bool) -> None:
        font = self._strong if last else self._plain
        if button.text() != words:
            button.setText(words)
            button.setToolTip(self.tr("Show {part}").format(part=words))
        if button.font().weight() != font.weight():
            button.setFont(font)
