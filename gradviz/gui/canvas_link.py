"""Binds the window's commands to the canvas, once it is there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from gradviz.document.actions import NO_PASS, Availability
from gradviz.export.picture_file import Drawing
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.export_dialog import ExportDialog
from gradviz.gui.exporting import Exporting
from gradviz.scene.focus import AFTER, AROUND, BEFORE, BOTH

if TYPE_CHECKING:
    from gradviz.gui.window import Window

COMMANDS = ("fit", "zoom_in", "zoom_out", "zoom_reset", "copy_image")
ON_GROUPS = ("fold_all", "open_all")
FOCUS = {"focus_around": AROUND, "focus_before": BEFORE, "focus_after": AFTER, "focus_both": BOTH}
NO_WAY_BACK = "There is no earlier view."
NO_WAY_FORWARD = "There is no later view."
NOTHING_SELECTED = "Select a node first, or step to one."
NO_LEAVES = "No parameter or variable takes part in this backward pass."
ALL_SHOWN = "Everything is shown."
EXPORTS = "An export is being written."


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
            name: QAction(button.text(), self) for name, button in canvas.header.switches.items() if button.text()
        }
        for name, action in self._switches.items():
            action.setCheckable(True)
            action.setToolTip(canvas.header.switches[name].toolTip())
            action.triggered.connect(canvas.header.switches[name].click)
        self._bind_direction()
        window.fills["graph"] = self._switch_actions
        self._bind_history()
        self._bind_focus()
        self.exporting = Exporting(canvas, window.strips, self)
        self.exporting.ended.connect(window.commands.refresh)
        window.commands.bind("export", self.ask_export, self._can_export)
        canvas.scene_shown.connect(window.commands.refresh)

    def available(self) -> Availability:
        there = self._window.hub.view.pass_id is not None and not self._window.shows_welcome()
        return Availability(there, "" if there else NO_PASS)

    def _can_export(self) -> Availability:
        return Availability(False, EXPORTS) if self.exporting.busy else self.available()

    def _bind_direction(self) -> None:
        """The command, the header's switch and what is remembered are one."""
        command, switch = self._window.commands["across"], self.canvas.header.switches["across"]
        settings = self._window.settings
        self._window.commands.bind("across", switch.click, self.available)
        switch.toggled.connect(command.setChecked)
        switch.setChecked(settings.choice("direction", "down") == "right")
        switch.toggled.connect(lambda on: settings.remember_choice("direction", "right" if on else "down"))

    def _bind_history(self) -> None:
        commands, history = self._window.commands, self.canvas.history
        commands.bind("view_back", history.back, lambda: Availability(history.can_go_back, NO_WAY_BACK))
        commands.bind("view_forward", history.forward, lambda: Availability(history.can_go_forward, NO_WAY_FORWARD))
        history.changed.connect(commands.refresh)

    def _bind_focus(self) -> None:
        commands, focus, settings = self._window.commands, self.canvas.focus, self._window.settings
        for name, kind in FOCUS.items():
            commands.bind(name, partial(focus.begin, kind), lambda: Availability(focus.can_begin(), NOTHING_SELECTED))
        commands.bind("focus_path", focus.ask_path, lambda: Availability(focus.has_leaves(), NO_LEAVES))
        commands.bind("focus_off", focus.off, lambda: Availability(focus.wanted is not None, ALL_SHOWN))
        commands.bind("focus_hide", lambda: focus.set_hides(commands["focus_hide"].isChecked()), self.available)
        focus.set_hides(settings.choice("focus_rest", "dim") == "hide")
        commands["focus_hide"].setChecked(focus.hides)
        focus.hidden_changed.connect(commands["focus_hide"].setChecked)
        focus.hidden_changed.connect(lambda hides: settings.remember_choice("focus_rest", "hide" if hides else "dim"))
        focus.changed.connect(commands.refresh)
        self._window.hub.listen("selection", self, lambda _view: commands.refresh())

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
        self.exporting.start(path, drawing)
        self._window.commands.refresh()
