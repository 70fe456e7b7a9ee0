"""Builds the work page behind the welcome page, a part at each turn: opening a file doesn't wait for it then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPainter, QPixmap

from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import CAPTION, CELL, LIST, NODE_NAME, SHAPE, TextStyle, Tokens

if TYPE_CHECKING:
    from gradviz.gui.window import Window

STYLES = ((CAPTION, 400), (LIST, 400), (LIST, 600), (LIST, 0), (SHAPE, 0), (SHAPE, 600), (CELL, 0), (NODE_NAME, 0))
LETTERS = "".join(map(chr, range(33, 127))) + "→≠−×·…"


class Preparing(QObject):
    """Belongs to one window; `start` once."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._parts = self._build()
        self._turn = QTimer(self)  # not singleShot: its calls are posted, and posted calls that post run in one go
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._next)

    def start(self) -> None:
        self._turn.start()

    def _next(self) -> None:
        if next(self._parts, None) is None:
            self._turn.stop()

    def _build(self) -> Iterator[str]:
        work = self._window.work
        yield "work"
        while work.build_next():
            yield "part"
        for widget in work.parts():
            if not self._window.shows_welcome():
                return
            widget.grab()  # what its first painting brings (fonts, icons, rules of the style sheet) stays
            yield "painted"
        for style, weight in STYLES:
            draw_letters(self._window.theme.tokens, style, weight)
            yield "letters"


def draw_letters(tokens: Tokens, style: TextStyle, weight: int) -> None:
    """Each letter of a font is made when it is first drawn; here nobody waits for it."""
    pixmap = QPixmap(1200, 32)
    painter = QPainter(pixmap)
    try:
        QtSurface(painter, tokens, kept=True).text(0, 16, LETTERS, style, "text", "left", weight)
    finally:
        painter.end()
