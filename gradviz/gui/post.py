"""Hands calls from any thread over to the window's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject, Qt, Signal


class Post(QObject):
    """`post(call)` from any thread: `call()` happens on the window's, in order."""

    _asked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked.connect(self._do, Qt.ConnectionType.QueuedConnection)

    def __call__(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the window has gone meanwhile: nobody waits for it any more
            self._asked.emit(call)

    def _do(self, call: Callable[[], object]) -> None:
        call()
