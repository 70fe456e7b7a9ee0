"""Strips: one sentence, one action, a close button, above what they speak of. They stand where others show boxes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradviz.gui.theme import Theme

KINDS = {"error": "error", "warning": "warning", "note": "note"}


class Strip(QFrame):
    """One strip. `key` names what it speaks of: a newer one with the same key replaces it."""

    def __init__(self, key: str, kind: str, text: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.key, self.kind = key, kind
        self._theme = theme
        self.setProperty("role", f"strip-{kind}")
        self.setAccessibleName(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 6, 5)
        row.setSpacing(8)
        self._icon = QLabel(self)
        self.label = QLabel(text, self)
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.label, 1)
        self.action: QPushButton | None = None
        self.close_button = QToolButton(self)
        self.close_button.setToolTip(self.tr("Close this message"))
        self.close_button.setAccessibleName(self.tr("Close"))
        row.addWidget(self.close_button)
        theme.changed.connect(self._paint_icons)
        self._paint_icons()

    def set_action(self, words: str, handler: Callable[[], object]) -> None:
        """Put the one action in front of the close button."""
        self.action = QPushButton(words, self)
        self.action.clicked.connect(lambda checked=False: handler())
        layout = self.layout()
        assert isinstance(layout, QHBoxLayout)
        layout.insertWidget(layout.count() - 1, self.action)

    def _paint_icons(self) -> None:
        self._icon.setPixmap(self._theme.icon(KINDS[self.kind]).pixmap(16, 16))
        self.close_button.setIcon(self._theme.icon("close", "text2"))


class Strips(QWidget):
    """The strips that stand now, newest below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._strips: dict[str, Strip] = {}
        self.hide()

    def tell(
        self, key: str, kind: str, text: str, action: str = "", handler: Callable[[], object] | None = None
    ) -> Strip:
        """Show a strip; `handler` is called by its action, which also closes it."""
        self.take_back(key)
        strip = Strip(key, kind, text, self._theme, self)
        strip.close_button.clicked.connect(lambda: self.take_back(key))
        if action and handler is not None:

            def act() -> None:
                self.take_back(key)
                handler()

            strip.set_action(action, act)
        self._strips[key] = strip
        self._column.addWidget(strip)
        self.show()
        return strip

    def take_back(self, key: str) -> None:
        """Remove a strip, if it stands."""
        strip = self._strips.pop(key, None)
        if strip is not None:
            self._column.removeWidget(strip)
            strip.hide()
            strip.deleteLater()
        self.setVisible(bool(self._strips))

    def clear(self) -> None:
        for key in list(self._strips):
            self.take_back(key)

    def standing(self) -> dict[str, Strip]:
        return dict(self._strips)
