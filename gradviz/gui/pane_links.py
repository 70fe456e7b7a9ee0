"""What the panes ask of each other and of the window: a link to a line, the file in front, the badge of Problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradviz.document.actions import NO_RECORDING, Availability
from gradviz.document.hub import View
from gradviz.document.on_disk import script_source
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.editor import Editor
from gradviz.gui.panes.inspector import InspectorPane
from gradviz.gui.panes.modules import ModulesPane
from gradviz.gui.panes.problems import ProblemsPane
from gradviz.gui.panes.source import SourcePane
from gradviz.gui.panes.steps import StepsPane

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradviz.document.state import State
    from gradviz.gui.window import Window

SEVERITIES = ("error", "warning", "note")


class PaneLinks(QObject):
    """Made once the panes are there. `record_again` runs the script at a level, `editor` opens lines outside."""

    def __init__(self, window: Window, record_again: Callable[[str], None], editor: Editor) -> None:
        super().__init__(window)
        self._window = window
        panes = window.docks.panes
        source = panes["source"]
        assert isinstance(source, SourcePane)
        self._source = source
        self.editor = editor
        for name in ("steps", "inspector", "problems"):
            pane = panes[name]
            assert isinstance(pane, (StepsPane, InspectorPane, ProblemsPane))
            pane.line_requested.connect(self.show_line)
        problems = panes["problems"]
        assert isinstance(problems, ProblemsPane)
        problems.try_requested.connect(window.document.try_fix)
        problems.stop_requested.connect(window.document.stop_trying)
        inspector = panes["inspector"]
        assert isinstance(inspector, InspectorPane)
        inspector.record_requested.connect(lambda: record_again("values"))
        modules, canvas = panes["modules"], window.centre.canvas
        assert isinstance(modules, ModulesPane) and isinstance(canvas, Canvas)
        modules.open_requested.connect(canvas.folding.open_group)
        source.editor_requested.connect(self.editor.open)
        window.commands.bind("open_line", source.ask_editor, self._has_source)
        source.file_shown.connect(self._name_file)
        self._name_file(source.file)
        for topic in ("trace", "findings"):
            window.hub.listen(topic, self, self._count)
        self._count(window.hub.view)

    def preview(self, state: State) -> None:
        """A script that hasn't run yet can be read all the same."""
        if state.phase == "ready":
            self._source.preview(script_source(state.script) if state.script is not None else None)

    def show_line(self, file: str, line: int) -> None:
        """Source in front, with this line in sight."""
        self._window.docks.front("source")
        self._source.show_line(file, line)

    def _has_source(self) -> Availability:
        there = bool(self._source.file) and not self._window.shows_welcome()
        return Availability(there, "" if there else NO_RECORDING)

    def _name_file(self, path: str) -> None:
        self._window.docks.set_detail("source", Path(path).name)
        self._window.commands.refresh()

    def _count(self, view: View) -> None:
        """The number of findings, in the colour of the worst; a green 0 once a recording was examined."""
        worst = next((each for each in SEVERITIES if any(f.severity == each for f in view.findings)), "done")
        state = self._window.document.state
        examined = view.trace is not None and not state.running
        self._window.docks.set_badge("problems", str(len(view.findings)) if examined else "", worst)
