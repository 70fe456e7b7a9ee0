"""Binds the window's commands to the canvas, once it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradviz.document.actions import NO_PASS, Availability
from gradviz.gui.canvas.canvas import Canvas

if TYPE_CHECKING:
    from gradviz.gui.window import Window

COMMANDS = ("fit", "zoom_in", "zoom_out", "zoom_reset", "fold_all", "open_all", "copy_image")


class CanvasLink(QObject):
    """The canvas of a window, and what the menus do with it."""

    def __init__(self, window: Window, canvas: Canvas) -> None:
        super().__init__(window)
        self._window, self.canvas = window, canvas
        for name in COMMANDS:
            window.commands.bind(name, getattr(canvas, name), self.available)
        canvas.scene_shown.connect(window.commands.refresh)

    def available(self) -> Availability:
        there = self._window.hub.view.pass_id is not None and not self._window.shows_welcome()
        return Availability(there, "" if there else NO_PASS)
