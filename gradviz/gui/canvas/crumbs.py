"""Where one is among the opened groups: Whole graph › encoder › layers.0. Each part can be pressed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gradviz.draw.tokens import LIST
from gradviz.gui.theme import Theme

MOST = 4  # parts; of a longer way the first and the last ones are shown
LEAST = 150  # px: a longer way is cut rather than that the panes beside the canvas give way
LEAST_PART = 75  # of its last part
AROUND, BETWEEN, DOTS = 12, 14, 34  # px round a part's words, for a ›, for a › … ›
Part = tuple[str, str]  # key and words


class Crumbs(QWidget):
    """`chosen` tells a group's key, "" = the whole graph. The widgets stay: each step may lead to another group."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plain, self._strong = theme.font(LIST, 400), theme.font(LIST, 600)
        self._path: tuple[Part, ...] = ()
        self._keys: list[str] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._row.addStretch(1)
        self._buttons: list[QPushButton] = []
        self._between: list[QLabel] = []

    @property
    def parts(self) -> list[QPushButton]:
        """Those that show."""
        return self._buttons[: len(self._keys)]

    def text(self) -> str:
        """All of the way that is shown, though there may be no room for all of the words."""
        return " › ".join(part.accessibleName() for part in self.parts)

    def show_path(self, path: tuple[Part, ...]) -> None:
        """(key, words) from the whole graph to the innermost group; only the last is strong."""
        if path == self._path:
            return
        self._path = path
        self.updateGeometry()
        self._fill(self.width() if self.isVisible() else self.sizeHint().width())

    def sizeHint(self) -> QSize:
        return QSize(self._wide(_cut(self._path, MOST)), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill(self.width())

    def _fill(self, room: int) -> None:
        """As many parts as there is room for; at least the first, for it leads out, and the last, cut."""
        cuts = (_cut(self._path, most) for most in range(MOST, 1, -1))
        shown = next((cut for cut in cuts if self._wide(cut) <= room), None)
        if shown is None:
            shown = _cut(self._path, 2)
            if len(shown) > 1 and self._wide(shown) - self._wide(shown[-1:]) + LEAST_PART > room:
                shown = ((shown[0][0], "…"), shown[1])
        left = max(LEAST_PART, room - (self._wide(shown) - self._wide(shown[-1:])))
        self._keys = [key for key, _ in shown]
        while len(self._buttons) < len(shown):
            self._add()
        for at, button in enumerate(self._buttons):
            there = at < len(shown)
            if there:
                self._dress(button, shown[at][1], at == len(shown) - 1, left)
            button.setVisible(there)
            self._between[at].setVisible(there and at > 0)
        if len(self._between) > 1:
            self._between[1].setText("› … ›" if 1 < len(shown) < len(self._path) else "›")

    def _wide(self, parts: tuple[Part, ...]) -> int:
        """px of these parts side by side."""
        plain, strong = QFontMetrics(self._plain), QFontMetrics(self._strong)
        words = [
            (strong if at == len(parts) - 1 else plain).horizontalAdvance(text) for at, (_, text) in enumerate(parts)
        ]
        dots = DOTS - BETWEEN if 1 < len(parts) < len(self._path) else 0
        return sum(words) + AROUND * len(parts) + BETWEEN * max(0, len(parts) - 1) + dots

    def _add(self) -> None:
        between = QLabel("›", self)
        between.setProperty("role", "secondary")
        at = len(self._buttons)
        button = QPushButton(self)
        button.setProperty("role", "crumb")
        button.clicked.connect(lambda _on=False: self.chosen.emit(self._keys[at]))
        for widget in (between, button):
            self._row.insertWidget(self._row.count() - 1, widget)
        self._between.append(between)
        self._buttons.append(button)

    def _dress(self, button: QPushButton, words: str, last: bool, room: int) -> None:
        font = self._strong if last else self._plain
        text = words
        if last:
            text = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideMiddle, room - AROUND + 4)
        if button.text() != text:
            button.setText(text)
        if button.accessibleName() != words:
            button.setAccessibleName(words)
            button.setToolTip(self.tr("Show {part}").format(part=words))
        if button.font().weight() != font.weight():
            button.setFont(font)


def _cut(path: tuple[Part, ...], most: int) -> tuple[Part, ...]:
    """The first part and the last ones."""
    return path if len(path) <= most else (path[0], *path[len(path) - most + 1 :])
