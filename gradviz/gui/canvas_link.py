"""Binds the window's commands to the canvas, once it is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from gradviz.document.actions import NO_PASS, Availability
from gradviz.export.picture_file import Drawing
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.export_dialog import ExportDialog, write_in_thread
from gradviz.gui.outside import open_outside

if TYPE_CHECKING:
    from gradviz.gui.window import Window

COMMANDS = ("fit", "zoom_in", "zoom_out", "zoom_reset", "copy_image")
ON_GROUPS = ("fold_all", "open_all")


class CanvasLink(QObject):
    """The canvas of a window, and what the menus do with it."""

    def __init__(self, window: Window, canvas: Canvas) -> None:
        super().__init__(window)
        self._window, self.canvas = window, canvas
        for name in COMMANDS:
            window.commands.bind(name, getattr(canvas, name), self.available)
        for name in ON_GROUPS:
            window.commands.bind(name, getattr(canvas.folding, name), self.available)
        self._switches = {
            name: QAction(button.accessibleName(), self) for name, button in canvas.header.switches.items()
        }
        for name, action in self._switches.items():
            action.setCheckable(True)
            action.setToolTip(canvas.header.switches[name].toolTip())
            action.triggered.connect(canvas.header.switches[name].click)
        across = canvas.header.switches["across"]
        across.setChecked(window.settings.choice("direction", "down") == "right")
        across.toggled.connect(lambda on: window.settings.remember_choice("direction", "right" if on else "down"))
        window.fills["graph"] = self._switch_actions
        window.commands.bind("export", self.ask_export, self.available)
        canvas.scene_shown.connect(window.commands.refresh)

    def available(self) -> Availability:
        there = self._window.hub.view.pass_id is not None and not self._window.shows_welcome()
        return Availability(there, "" if there else NO_PASS)

    def _switch_actions(self) -> list[QAction]:
        """The header's switches, for the Graph menu."""
        for name, action in self._switches.items():
            action.setChecked(self.canvas.header.switches[name].isChecked())
            action.setEnabled(self.available().enabled)
        return list(self._switches.values())

    def ask_export(self) -> None:
        """Ask what to export and where, then write it."""
        state = self._window.document.state
        named = state.script or state.recording
        dialog = ExportDialog(
            self.canvas, named.stem if named is not None else "graph", self._window.theme.dark, self._window
        )

        def accepted() -> None:
            path = dialog.ask_place(str(named.parent) if named is not None else "")
            if path is not None:
                self.export(path, dialog.drawing())

        dialog.accepted.connect(accepted)
        dialog.open()

    def export(self, path: Path, drawing: Drawing) -> None:
        write_in_thread(self.canvas, path, drawing, self._window.post, self._told)

    def _told(self, kind: str, words: str, path: Path) -> None:
        if kind == "error":
            self._window.strips.tell("export", "error", words)
            return
        done = " ".join(part for part in (self.tr("Exported to {path}.").format(path=path), words) if part)
        self._window.strips.tell("export", "note", done, self.tr("Open"), lambda: open_outside(path))
