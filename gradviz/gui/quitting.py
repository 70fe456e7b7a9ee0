"""Asks before the window closes on a script that runs: hours of training may stand behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMessageBox

from gradviz.gui.style_sheet import set_role

if TYPE_CHECKING:
    from gradviz.gui.window import Window


class Quitting(QObject):
    """`may_close` doesn't wait for the answer: a yes closes the window again, and then it may."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._agreed = False
        self.question: QMessageBox | None = None

    def may_close(self) -> bool:
        state = self._window.document.state
        if self._agreed or state.phase != "running" or not self._window.isVisible():
            return True
        if self.question is None:
            self._ask(state.title)
        return False

    def agree(self) -> None:
        """Nobody is to be asked: an interrupt from the terminal."""
        self._agreed = True

    def _ask(self, name: str) -> None:
        words = self.tr("{name} is still running.").format(name=name)
        box = QMessageBox(QMessageBox.Icon.NoIcon, self.tr("Quit gradviz"), words, parent=self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setInformativeText(self.tr("Stop it and quit?"))
        stop = box.addButton(self.tr("Stop and quit"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(QMessageBox.StandardButton.Cancel)
        set_role(stop, "filled")
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        box.finished.connect(lambda: self._answered(box.clickedButton() is stop))
        self.question = box
        box.open()

    def _answered(self, agreed: bool) -> None:
        self.question, self._agreed = None, agreed
        if agreed:
            QTimer.singleShot(0, self._window, self._window.close)  # its button is still in the midst of a click
