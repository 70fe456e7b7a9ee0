"""Opens what a window is given. A recording comes in turns: its page, then, once it is read, what stands on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from gradviz.document.ahead import Ahead
from gradviz.document.on_disk import is_recording
from gradviz.gui.panes.patience import Patience
from gradviz.gui.panes.turns import Turns

if TYPE_CHECKING:
    from gradviz.gui.window import Window
    from gradviz.trace.reader import Trace


class Opening(QObject):
    """Belongs to one window. What is wrong with a file is told in a strip."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._ahead = Ahead(window.post)
        self._expected: Path | None = None
        self._trace: Trace | None = None
        self._turns = Turns.of_application()
        self._stands = Patience(self._start_reading, self)  # a thread that reads takes the interpreter from the page
        self._soon = QTimer(self)  # a timer, not a posted event: those come before the painting
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._open)

    def open(self, path: Path, function: str = "") -> None:
        window = self._window
        self.forget()
        if not (window.isVisible() and path.is_file() and is_recording(path)):
            window.document.open(path, function)
            return
        self._expected = path.expanduser().absolute()
        if window.shows_welcome():
            self._turns.take()
            window.expect_document(path)
        self._stands.start(waits=True)

    def pending(self) -> bool:
        """Whether a recording is about to stand on the work page."""
        return self._expected is not None

    def forget(self) -> None:
        """What was to be opened isn't; the page it was to stand on goes again."""
        self._soon.stop()
        self._ahead.forget()
        if self._trace is not None:
            self._trace.close()
            self._trace = None
        self._expected = None

    def close(self) -> None:
        """The window closes."""
        self.forget()
        self._ahead.close()

    def _start_reading(self) -> None:
        if self._expected is not None:
            self._ahead.start(self._expected, self._read)

    def _read(self, trace: Trace | None) -> None:
        self._trace = trace
        self._soon.start()

    def _open(self) -> None:
        if self._expected is None:
            return
        if not self._turns.take():
            self._soon.start()
            return
        path, trace = self._expected, self._trace
        self._expected = self._trace = None
        if not self._window.document.open_recording(path, trace):
            self._window.show_what_is_open()
