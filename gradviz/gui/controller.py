"""Ties the document to the window: what opens, runs, ends and fails is shown where it belongs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QPainter, QPixmap

from gradviz.document.actions import NO_FINDINGS, NO_RECORDING, Availability
from gradviz.document.gallery import Example
from gradviz.document.hub import View
from gradviz.document.settings import Recent, RunSettings
from gradviz.document.state import Notice, State
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.canvas_link import CanvasLink
from gradviz.gui.editor import Editor
from gradviz.gui.file_dialogs import FileDialogs
from gradviz.gui.help_dialogs import AboutDialog, ShortcutsDialog
from gradviz.gui.interpreter_dialog import InterpreterDialog
from gradviz.gui.keyboard_place import KeyboardPlace
from gradviz.gui.output import OutputPane
from gradviz.gui.outside import open_outside
from gradviz.gui.palette.going import Going
from gradviz.gui.pane_links import PaneLinks
from gradviz.gui.panes.problems import ProblemsPane
from gradviz.gui.progress import Progress
from gradviz.gui.recordings_dialog import RecordingsDialog
from gradviz.gui.run_panel import RunPanel
from gradviz.gui.side_buttons import SideButtons
from gradviz.gui.sign import draw_logo
from gradviz.resources_path import resources_path

if TYPE_CHECKING:
    from gradviz.gui.window import Window

NO_SCRIPT = "Open a script first."
RUNS_ALREADY = "The script is running."
NOT_RUNNING = "No script is running."


class Controller(QObject):
    """Listens to the document and the hub, and binds the commands that need them."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._document, self._hub = window, window.document, window.hub
        self.dialogs = FileDialogs(window)
        self.editor = Editor(window)
        self.progress = Progress(window)
        self.search = Going(window)
        self._side_buttons = SideButtons(window)
        self._keyboard = KeyboardPlace(window)
        self._panes_known = False
        self._phase = ""
        window.commands.refresh_icons()
        self._bind()
        self._document.state_changed.listen(self._state_changed)
        self._document.noticed.listen(self._noticed)
        for topic in ("trace", "pass", "position", "findings", "finding"):
            self._hub.listen(topic, self, self._view_changed)
        for topic in ("trace", "pass", "findings"):
            self._hub.listen(topic, self, self._recording_changed)
        self._listen_to_welcome()
        self._state_changed(self._document.state)
        self._view_changed(self._hub.view)

    # -- commands
    def _bind(self) -> None:
        window, commands, document = self._window, self._window.commands, self._document
        commands.bind("open", self.dialogs.ask_open)
        commands.bind("open_function", self.dialogs.ask_function)
        commands.bind("close", self._close)
        commands.bind("run", self.run, self._can_run)
        commands.bind("stop", document.stop, self._can_stop)
        commands.bind("run_settings", lambda: window.docks.front("run"), self._has_script)
        commands.bind("find", self.search.find)
        commands.bind("save", self.dialogs.ask_save, self._has_recording)
        commands.bind("shortcuts", lambda: ShortcutsDialog(commands, window).open())
        commands.bind("about", self._about)
        commands.bind("recordings", self._recordings)
        commands.bind("copy_finding", lambda: self._copy_finding("text"), self._has_finding)
        commands.bind("copy_finding_markdown", lambda: self._copy_finding("markdown"), self._has_finding)
        commands.bind("guide", self._guide)
        window.fills["recent"] = self._recent_actions
        window.toolbar.level_chosen.connect(self._choose_level)
        window.status.change_interpreter_requested.connect(self._choose_default_interpreter)

    def _can_run(self) -> Availability:
        if self._document.state.script is None:
            return Availability(False, NO_SCRIPT)
        running = self._document.state.running
        return Availability(not running, RUNS_ALREADY if running else "")

    def _can_stop(self) -> Availability:
        running = self._document.state.phase == "running"
        return Availability(running, "" if running else NOT_RUNNING)

    def _has_script(self) -> Availability:
        there = self._document.state.script is not None
        return Availability(there, "" if there else NO_SCRIPT)

    def _has_recording(self) -> Availability:
        there = self._document.state.recording is not None and not self._document.state.running
        return Availability(there, "" if there else NO_RECORDING)

    def run(self) -> None:
        self._document.run()

    def _close(self) -> None:
        if self._window.shows_welcome():
            self._window.close()
        else:
            self._window.stop_opening()
            self._document.close()

    def _choose_interpreter(self) -> None:
        """The Run pane, with the keyboard on its interpreter."""
        self._window.docks.front("run")
        if self._panes_known:
            self._run_pane().interpreter.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose_default_interpreter(self) -> None:
        """For all scripts that have none of their own."""
        settings, window = self._window.settings, self._window

        def choose(path: str) -> None:
            settings.remember_choice("interpreter", path)
            self.progress.refresh()

        InterpreterDialog(settings.choice("interpreter"), choose, window.post, window).open()

    def _copy_finding(self, form: str) -> None:
        view, pane = self._hub.view, self._window.docks.panes["problems"]
        assert isinstance(pane, ProblemsPane)
        shown = view.findings[max(0, view.finding)]
        QGuiApplication.clipboard().setText(pane.copy_of(shown, form))

    def _has_finding(self) -> Availability:
        there = bool(self._hub.view.findings)
        return Availability(there, "" if there else NO_FINDINGS)

    def _choose_level(self, level: str) -> None:
        self._document.change_settings(replace(self._document.run_settings, level=level))
        if self._panes_known:
            self._run_pane().show_settings(self._document.state, self._document.run_settings)

    def _about(self) -> None:
        pixmap = QPixmap(QSize(84, 84))
        pixmap.setDevicePixelRatio(2)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        draw_logo(painter, self._window.theme)
        painter.end()
        AboutDialog(pixmap, self._window.interpreter_words(), self._window).open()

    def _recordings(self) -> None:
        state = self._document.state
        keep = state.recording if state.recording is not None and not state.saved else None
        RecordingsDialog(self._document.recordings, keep, self._window).open()

    def _guide(self) -> None:
        """The README of a checkout; an installed program has it on its page."""
        readme = resources_path("examples").parents[1] / "README.md"
        open_outside(readme if readme.is_file() else resources_path("examples", "README.md"))

    def _recent_actions(self) -> list[QAction]:
        actions = []
        for entry in self._window.settings.recent():
            action = QAction(Path(entry.path).name + (f"::{entry.function}" if entry.function else ""), self)
            action.setToolTip(entry.path)
            action.triggered.connect(lambda checked=False, entry=entry: self.open_recent(entry))
            actions.append(action)
        return actions

    # -- welcome
    def _listen_to_welcome(self) -> None:
        welcome, window = self._window.welcome, self._window
        welcome.open_requested.connect(self.dialogs.ask_open)
        welcome.function_requested.connect(self.dialogs.ask_function)
        welcome.recent_chosen.connect(self.open_recent)
        welcome.clear_requested.connect(self._clear_recent)
        welcome.example_chosen.connect(self.open_example)
        welcome.keyboard_requested.connect(window.commands["shortcuts"].trigger)
        welcome.guide_requested.connect(window.commands["guide"].trigger)

    def open_recent(self, entry: Recent) -> None:
        self._window.open_path(Path(entry.path), entry.function)

    def open_example(self, example: Example) -> None:
        """Open an example and run it at once: it opens ready to step."""
        self._window.stop_opening()
        if self._document.open(example.path):
            self.run()

    def _clear_recent(self) -> None:
        self._window.settings.clear_recent()
        self._window.welcome.show_recent(())

    # -- what the document tells
    def _state_changed(self, state: State) -> None:
        window = self._window
        self._keyboard.before(state)
        if state.phase == "empty":
            window.show_welcome()
        else:
            window.show_work()
            window.setWindowTitle(f"{state.title} — gradviz")
            self._meet_panes()
            self.pane_links.preview(state)
            self._run_pane().show_settings(state, self._document.run_settings)
            self._output_pane().follow(state, self._document.run_settings.stdin_kind == "typed")
        if state.waiting or (state.phase == "running" and self._phase != "running"):
            window.docks.front("output")
        elif state.phase == "ended" and self._phase in ("running", "stopping") and self._hub.view.pass_id is not None:
            window.docks.front("source")
        self._phase = state.phase
        window.toolbar.show_level(self._document.run_settings.level)
        window.commands.refresh()
        self.progress.refresh()
        self._keyboard.follow(state)

    def _noticed(self, notice: Notice) -> None:
        strips = self._window.strips
        if not notice.text:
            strips.take_back(notice.key)
            return
        actions: dict[str, tuple[str, Callable[[], object]]] = {
            "run_again": (self.tr("Run again"), self.run),
            "choose_interpreter": (self.tr("Choose another"), self._choose_interpreter),
        }
        words, handler = actions.get(notice.action, ("", None))
        strips.tell(notice.key, notice.kind, notice.text, words, handler)
        if self._window.shows_welcome() or self._document.state.phase == "empty":
            self._window.status.show_outcome(notice.kind, notice.text, "")

    def _view_changed(self, view: View) -> None:
        self._window.commands.refresh()

    def _recording_changed(self, view: View) -> None:
        self.progress.refresh()

    # -- our own panes
    def _meet_panes(self) -> None:
        """Connect Run and Output, once they are built."""
        if self._panes_known:
            return
        self._panes_known = True
        canvas = self._window.centre.canvas
        assert isinstance(canvas, Canvas)
        self.canvas_link = CanvasLink(self._window, canvas)
        canvas.focus.leaf_wanted.connect(self.search.ask_leaf)
        output, document = self._output_pane(), self._document
        document.output_came.listen(output.add)
        document.output_cleared.listen(lambda _: output.clear())
        output.line_entered.connect(document.send_line)
        output.input_ended.connect(document.end_input)
        self._run_pane().edited.connect(self._settings_edited)
        self.pane_links = PaneLinks(self._window, self._record_again, self.editor)

    def _record_again(self, level: str) -> None:
        """Run the script once more, keeping more of it; without a script, say what is missing."""
        available = self._can_run()
        if available.enabled:
            self._choose_level(level)
            self._window.toolbar.show_level(level)
            self.run()
        else:
            self._window.strips.tell("record", "note", available.reason)

    def _output_pane(self) -> OutputPane:
        pane = self._window.docks.panes["output"]
        assert isinstance(pane, OutputPane)
        return pane

    def _run_pane(self) -> RunPanel:
        pane = self._window.docks.panes["run"]
        assert isinstance(pane, RunPanel)
        return pane

    def _settings_edited(self, settings: RunSettings) -> None:
        self._document.change_settings(settings)
        self._window.toolbar.show_level(settings.level)
