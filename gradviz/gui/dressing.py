"""Puts all widgets into another style sheet, in turns of the event loop: the sheet, what follows from it, the painting.

QApplication.setStyleSheet polishes a widget once for every parent it has, and tells it each time that its style has
changed, upon which all is laid out anew: 300 ms at one go. Where no sheet stood before, it is polished once; and as
light and dark differ in nothing but colours, no widget need hear of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.gui.still import paint_again


class Dressing(QObject):
    """`dressed` is called when all are in the new sheet, before they are painted."""

    def __init__(self, dressed: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._dressed = dressed
        self._steps: Iterator[None] = iter(())
        self._held: list[QWidget] = []  # windows whose painting waits
        self._keeper: QWidget | None = None
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._next)

    def begin(self, application: QApplication, sheet: str, palette: QPalette) -> None:
        """At once where no window shows; else what stands on the screen stands until all is done."""
        shown = [each for each in application.topLevelWidgets() if each.isVisible() and each.updatesEnabled()]
        if not shown and not self._held:
            application.setPalette(palette)
            application.setStyleSheet(sheet)
            self._dressed()
            return
        for window in shown:
            window.setUpdatesEnabled(False)
        self._held += shown
        self._keep()
        self._steps = self._in_turns(application, sheet, palette)  # also where another dressing is under way
        self._turn.start()

    def busy(self) -> bool:
        return self._turn.isActive()

    def _next(self) -> None:
        going = False
        try:
            going = next(self._steps, self) is None
        finally:  # whatever went wrong, the windows must be painted again
            if not going:
                self._end()

    def _keep(self) -> None:
        """Were there no widget with a sheet of its own, what Qt knows of all the others would go with the old sheet,
        and those that were never shown would still stand in the new one's books when they are destroyed.
        """
        if self._keeper is None:
            self._keeper = QWidget()
            self._keeper.setStyleSheet("QWidget {}")

    def _end(self) -> None:
        self._turn.stop()
        self._keeper = None
        held, self._held = self._held, []
        for window in set(held) & set(QApplication.topLevelWidgets()):  # some may have gone meanwhile
            paint_again(window)

    def _in_turns(self, application: QApplication, sheet: str, palette: QPalette) -> Iterator[None]:
        with unheard(application):  # in one turn: nothing may be laid out in between, without a sheet
            application.setStyleSheet("")
            application.setPalette(palette)
            application.setStyleSheet(sheet)
        yield
        self._dressed()
        yield


@contextmanager
def unheard(application: QApplication) -> Iterator[None]:
    """No widget is told that its style has changed."""
    filter_ = Unheard()
    application.installEventFilter(filter_)
    try:
        yield
    finally:
        application.removeEventFilter(filter_)


class Unheard(QObject):
    """Swallows what would have every widget ask for its size anew."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.StyleChange
