"""The mouse's side buttons go back and forward through views, wherever in the window they are pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent

if TYPE_CHECKING:
    from gradviz.gui.window import Window

COMMANDS = {Qt.MouseButton.BackButton: "view_back", Qt.MouseButton.ForwardButton: "view_forward"}
PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)  # two quick ones are two


class SideButtons(QObject):
    """Made once the window shows: it watches what the desktop hands the window, not each widget."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._commands = window.commands
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in PRESSES or not isinstance(event, QMouseEvent):
            return False
        name = COMMANDS.get(event.button())
        if name is None:
            return False
        self._commands[name].trigger()
        return True
