"""Drives the window as a person does: opens, waits for what shows, clicks, types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.controller import Controller
from gradviz.gui.output import OutputPane
from gradviz.gui.panes.steps import StepsPane
from gradviz.gui.run_panel import RunPanel
from gradviz.gui.window import Window

SOON = 15_000  # ms
LONG = 60_000  # ms: a run with its framework's import, on a busy machine


class Person:
    """One window, one person. `qtbot` is pytest-qt's, which has no types."""

    def __init__(self, window: Window, qtbot: Any) -> None:
        self.window, self.qtbot = window, qtbot

    # -- waiting
    def until(self, holds: Callable[[], object], timeout: int = SOON) -> None:
        self.qtbot.waitUntil(lambda: bool(holds()), timeout=timeout)

    def until_settled(self) -> None:
        """Loaded, diagnosed, drawn."""
        document = self.window.document
        self.until(lambda: not self.window.opening())
        self.until(lambda: not document.state.running and not document.state.diagnosing)
        if self.window.hub.view.pass_id is not None:
            self.until(lambda: self.canvas.loaded is not None)

    # -- doing
    def open(self, path: Path) -> None:
        self.window.open_path(path)
        self.until_settled()

    def run(self) -> None:
        self.command("run")
        self.until(lambda: self.window.document.state.phase == "ended", LONG)
        self.until_settled()

    def command(self, name: str) -> None:
        assert self.window.commands[name].isEnabled(), f"{name} is disabled"
        self.window.commands[name].trigger()

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key where the keyboard focus is."""
        target = self.window.focusWidget() or self.window
        self.qtbot.keyClick(target, key, modifier)

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at if at is not None else widget.rect().center())

    # -- looking
    @property
    def position(self) -> int:
        return self.window.hub.view.position

    @property
    def canvas(self) -> Canvas:
        canvas = self.window.centre.canvas
        assert isinstance(canvas, Canvas)
        return canvas

    @property
    def controller(self) -> Controller:
        found = self.window.findChild(Controller)
        assert isinstance(found, Controller)
        return found

    @property
    def steps(self) -> StepsPane:
        pane = self.window.docks.panes["steps"]
        assert isinstance(pane, StepsPane)
        return pane

    @property
    def output(self) -> OutputPane:
        pane = self.window.docks.panes["output"]
        assert isinstance(pane, OutputPane)
        return pane

    @property
    def run_panel(self) -> RunPanel:
        pane = self.window.docks.panes["run"]
        assert isinstance(pane, RunPanel)
        return pane

    def told(self, key: str) -> str:
        """The words of a strip, "" if it doesn't stand."""
        found = self.window.strips.standing().get(key)
        return found.label.text() if found is not None else ""
