"""Builds the work page behind the welcome page, a part at each turn: opening a file doesn't wait for it then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from gradviz.gui.window import Window


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
