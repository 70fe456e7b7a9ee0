"""Hands calls from any thread over to the window's."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

Call = Callable[[], object]


class Post(QObject):
    """`post(call)` from any thread: `call()` happens on the window's, in order; not at all once the Post has gone."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._postman = Postman.of_application()
        self._box = Box()
        self.destroyed.connect(self._box.close)

    def __call__(self, call: Call) -> None:
        self._postman.asked.emit(self._box, call)


class Box:
    """Whether somebody still takes the calls. Asked and changed on the window's thread only."""

    def __init__(self) -> None:
        self.open = True

    def close(self, *_: object) -> None:
        self.open = False


class Postman(QObject):
    """What threads speak to. Lives as long as the application: a thread that emits a signal of an object that is just
    being destroyed crashes the program, and windows and panes come and go.
    """

    asked = Signal(object, object)

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self.asked.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @staticmethod
    def of_application() -> Postman:
        application = QCoreApplication.instance()
        found = application.findChild(Postman) if application is not None else None
        return found if found is not None else Postman(application)

    def _deliver(self, box: Box, call: Call) -> None:
        if box.open:
            call()
