"""A call that lets the panes go first: a thread that builds a large scene takes the interpreter from them."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from gradviz.gui.panes.turns import Turns

LONGEST = 0.25  # seconds: a recording that grows gives the panes work again and again


class Patience(QObject):
    """`start` has the call made in one of the next turns of the event loop, once however often it is started."""

    def __init__(self, call: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._call = call
        self._turns = Turns.of_application()
        self._until = 0.0
        self._calm = False  # so was it in the turn before
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._ask)

    def start(self, waits: bool) -> None:
        """`waits`: while a pane works or wants to, the call isn't made, for a while."""
        if not self._turn.isActive():
            self._until = time.monotonic() + LONGEST if waits else 0.0
            self._calm = not waits
            self._turn.start()

    def _ask(self) -> None:
        before, self._calm = self._calm, self._turns.quiet()
        if (before and self._calm) or time.monotonic() >= self._until:
            self._turn.stop()
            self._call()
