"""Python's cyclic garbage is collected on the window's thread alone.

Left to itself Python collects in whichever thread happens to allocate, and destroys a widget or timer among the garbage
there: Qt may end the program for that. It also would collect amid a paint; here it waits for a turn of its own.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 200  # the window waits for as long as it takes to look at all that was made since the last turn
ROUNDS = 2.5  # as many turns before older objects are looked at, too, as Python's own thresholds say: that takes longer


class Collector(QObject):
    """In charge from when it is made until `stop`. Made on the window's thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """One generation, the oldest that is due."""
        young, middle, old = gc.get_threshold()
        for generation, due in ((2, old * ROUNDS), (1, middle * ROUNDS), (0, young)):
            if gc.get_count()[generation] > due:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """No more turns. Python doesn't collect by itself either, for the window's objects go after this: a collection
        amid the end of one may end another, and wait for a lock of Qt's that the first holds.
        """
        self._timer.stop()
