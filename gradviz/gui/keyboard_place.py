"""Where the keyboard is when a run begins or a recording opens: in Steps or on the canvas, where arrows lead through
what was recorded. A button that is disabled would hand it on to whatever follows, and arrows would change that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gradviz.document.state import State

if TYPE_CHECKING:
    from gradviz.gui.window import Window


class KeyboardPlace(QObject):
    """`before` and `follow` are called around the window's answer to each new state of the document."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._phase = "empty"
        self._chosen: QWidget | None = None  # a pane that the person works in: it keeps the keyboard
        self._wanted = False  # nothing that takes the keyboard was there yet
        self._soon = QTimer(self)  # a page that was just put in place has its sizes in the next turn
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._place)

    def before(self, state: State) -> None:
        """While the keyboard is still where the person left it."""
        opens = self._phase == "empty" and state.phase != "empty"
        begins = state.phase == "running" and self._phase != "running"
        if not (opens or begins):
            return
        self._wanted = True
        self._chosen = None if opens else self._pane_in_use()

    def follow(self, state: State) -> None:
        """After everything is shown as the state says."""
        self._phase = state.phase
        if self._wanted and state.phase != "empty":
            self._soon.start()

    def _pane_in_use(self) -> QWidget | None:
        window, here = self._window, QApplication.focusWidget()
        if here is None or here.window() is not window:
            return here
        canvas = window.centre.canvas
        places = [*window.docks.panes.values(), window.timeline, *([canvas] if canvas is not None else [])]
        return here if any(place is here or place.isAncestorOf(here) for place in places) else None

    def _place(self) -> None:
        if self._window.shows_welcome() or self._window.document.state.waiting:
            return
        if not self._window.updatesEnabled():  # a page is being arranged: what is in sight isn't known
            self._soon.start()
            return
        chosen, self._chosen = self._chosen, None
        if chosen is not None and isValid(chosen) and chosen.isEnabled() and chosen.isVisible():
            self._wanted = False
            if chosen.window() is self._window and not chosen.hasFocus():
                chosen.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        target = self._target()
        if target is not None:
            self._wanted = False
            target.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        strayed = self._window.focusWidget()
        if strayed is not None:
            strayed.clearFocus()

    def _target(self) -> QWidget | None:
        """Steps, where it is in sight, else the canvas, once it has a graph."""
        window = self._window
        steps = window.docks.panes.get("steps")
        if steps is not None and not window.docks["steps"].visibleRegion().isEmpty():
            return steps
        return None if window.centre.shows_message() else window.centre.canvas
