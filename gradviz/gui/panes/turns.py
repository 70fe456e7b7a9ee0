"""One pane a turn of the event loop: what five panes show at once would be one long silence."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QTimer

ROUNDS = 2  # of the event loop: in the first what the work changed is painted, the second is free for the next


class Turns(QObject):
    """Says who may work in this turn. Lives as long as the application, which is its parent."""

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._left = 0  # rounds until the next may work
        self._asked = False  # somebody else was refused in them
        self._round = QTimer(self)  # a timer: posted calls come before the painting
        self._round.setInterval(0)
        self._round.timeout.connect(self._pass)

    @staticmethod
    def of_application() -> Turns:
        application = QCoreApplication.instance()
        found = application.findChild(Turns) if application is not None else None
        return found if found is not None else Turns(application)

    def take(self) -> bool:
        """True for the first who asks; the others ask again in a later turn."""
        if self._left:
            self._asked = True
            return False
        self._left, self._asked = ROUNDS, False
        self._round.start()
        return True

    def begin(self) -> None:
        """Somebody works who can't wait, as the canvas does at a step: the others come after what he paints.

        One round, no more: while a key is held down, they too shall come to their turns.
        """
        self._left = max(self._left, 1)
        self._round.start()

    def busy(self) -> bool:
        """Somebody works, or what he changed is being painted."""
        return bool(self._left)

    def quiet(self) -> bool:
        """Nobody works now, and nobody waits for a turn."""
        return not self._left and not self._asked

    def _pass(self) -> None:
        if self._left:
            self._left -= 1
            return
        self._asked = False  # who was refused and still wants to would have asked by now
        self._round.stop()
