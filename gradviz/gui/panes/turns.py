"""One pane a turn of the event loop: what five panes show at once would be one long silence."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QTimer


class Turns(QObject):
    """Says who may work in this turn. Lives as long as the application, which is its parent."""

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._taken = False

    @staticmethod
    def of_application() -> Turns:
        application = QCoreApplication.instance()
        found = application.findChild(Turns) if application is not None else None
        return found if found is not None else Turns(application)

    def take(self) -> bool:
        """True for the first who asks in a turn; the others ask again in a later one."""
        if self._taken:
            return False
        self._taken = True
        QTimer.singleShot(0, self, self._next)
        return True

    def _next(self) -> None:
        self._taken = False
