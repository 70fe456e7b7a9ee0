"""What is open: a script with its last recording, or a recording alone. Runs it, follows it while it grows, keeps it.

All methods belong to the window's thread; what takes long happens in threads of its own and comes back through `post`.
"""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.diagnosing import Diagnosing, Post, nodes_of
from gradviz.document.events import Event
from gradviz.document.hub import Hub
from gradviz.document.on_disk import differs, is_recording, outcome_of, stamp
from gradviz.document.recordings import Recordings
from gradviz.document.settings import RunSettings, Settings
from gradviz.document.showing import Showing
from gradviz.document.state import Notice, Output, State
from gradviz.document.trials import Surroundings, Trials, surroundings_of
from gradviz.errors import GradvizError, TraceError

if TYPE_CHECKING:  # they bring what the first paint doesn't wait for
    from gradviz.diagnose.finding import Finding, SeedRewrite
    from gradviz.document.running import Running
    from gradviz.trace.reader import Trace

SHUT_DOWN_SECONDS = 3.0
MISSING = re.compile(r"No module named '(torch|autograd|tensorflow)'")


class Document:
    """The one open thing of a window. Tells `state_changed`, `output_came`, `noticed`; the hub shows its recording."""

    def __init__(self, hub: Hub, settings: Settings, post: Post, recordings: Recordings | None = None) -> None:
        self.hub, self.settings = hub, settings
        self.recordings = recordings if recordings is not None else Recordings()
        self.state = State()
        self.run_settings = RunSettings()
        self.state_changed: Event[State] = Event()
        self.output_came: Event[list[Output]] = Event()
        self.output_cleared: Event[None] = Event()
        self.noticed: Event[Notice] = Event()
        self._post = post
        self._showing = Showing(hub)
        self._diagnosing = Diagnosing(post)
        self._running: Running | None = None
        self._trials = Trials(hub, post)
        self._surroundings: Surroundings | None = None  # of the run whose recording is open
        self._saving: threading.Thread | None = None
        self._script_stamp: tuple[int, int] | None = None

    # -- opening
    def open(self, path: Path, function: str = "") -> bool:
        """Open a script or a recording; False (and a notice) where it can't be."""
        path = path.expanduser().absolute()
        if not path.exists():
            return self._refuse(f"There is no file {path}.")
        if path.is_dir():
            return self._refuse(f"{path} is a folder: open a Python script or a recording.")
        if is_recording(path):
            return self.open_recording(path)
        return self._open_script(path, function)

    def _open_script(self, path: Path, function: str) -> bool:
        self.close()
        self.run_settings = replace(self.settings.run_settings(path), function=function)
        self._script_stamp = stamp(path)
        self.settings.remember_recent(path, function)
        self._change(State(script=path, function=function, phase="ready"))
        return True

    def open_recording(self, path: Path, read: Trace | None = None) -> bool:
        """As `open`; `read` is the same recording, opened already."""
        from gradviz.trace.reader import Trace

        try:
            trace = read if read is not None else Trace(path)
            info = trace.run()
        except TraceError as error:
            return self._refuse(str(error))
        self.close()
        script = Path(info.script) if info.script else None
        present = script if script is not None and script.is_file() else None
        if present is not None:
            self.run_settings = replace(self.settings.run_settings(present), function=info.function or "")
        self._script_stamp = stamp(present)
        self.settings.remember_recent(path)
        state = State(script=present, function=info.function or "", recording=path, phase="ended")
        self._change(replace(state, saved=not self.recordings.holds(path)))
        self._showing.open(trace)
        self._tell_recorded_output(trace)
        self._surroundings = surroundings_of(info, self.run_settings, present) if present is not None else None
        self._diagnose()
        self._compare_script(trace)
        return True

    def close(self) -> None:
        """Close what is open; a run that goes on is stopped."""
        if self._running is not None:
            self._running.abandon()
            self._running = None
        self._diagnosing.forget()
        self._trials.forget()
        self._surroundings = None
        self._showing.let_go()
        self.output_cleared.tell(None)
        for key in ("run", "trace", "changed", "interpreter", "save", "export"):
            self.noticed.tell(Notice(key))
        self._change(State())

    def shut_down(self) -> None:
        """The window closes: end the script's processes, wait for our threads."""
        if self._running is not None:
            self._running.abandon()
            self._running.join(SHUT_DOWN_SECONDS)
            self._running = None
        self._trials.forget()
        self._trials.join(SHUT_DOWN_SECONDS)
        self._diagnosing.forget()
        self._showing.let_go()
        self._diagnosing.join()
        if self._saving is not None:
            self._saving.join()

    def expire_recordings(self) -> None:
        """Let old unsaved recordings go."""
        self.recordings.expire()

    # -- running
    def run(self, offered: str = "") -> None:
        """Run the script (or the chosen function) as the run settings say, and show its recording as it grows.

        `offered`: at the script's end, run backward from the tensor that it calls so.
        """
        from gradviz.document.running import Running

        if self.state.script is None or self.state.running:
            return
        self.settings.remember_run(self.state.script, self.run_settings)
        try:
            path = self.recordings.new_path(self.state.script.stem)
        except OSError as error:
            self._refuse(f"The recording can't be written: {error.strerror or error}.", key="run")
            return
        self._diagnosing.forget()
        self._trials.forget()
        self._showing.run_begins()
        self.output_cleared.tell(None)
        for key in ("run", "changed", "trace", "interpreter", "open", "death"):
            self.noticed.tell(Notice(key))
        self._script_stamp = stamp(self.state.script)
        function = self.run_settings.function
        self._change(
            replace(self.state, phase="running", started=time.time(), function=function, changed=False, waiting=False)
        )
        usual = self.settings.choice("interpreter")
        settings = replace(self.run_settings, interpreter=self.run_settings.interpreter or usual)
        self._surroundings = Surroundings(self.state.script, settings, offered)
        self._running = Running(self, self.state.script, settings, path, self._post, offered)
        self._running.start()

    def change_settings(self, settings: RunSettings) -> None:
        """The person edited how the script is run; remembered at once, used at the next run."""
        self.run_settings = settings
        if self.state.script is not None:
            self.settings.remember_run(self.state.script, settings)

    def run_backward_from(self, name: str) -> None:
        """Run the script again, and at its end backward from the tensor that it called `name`."""
        self.run(offered=name)

    def stop(self) -> None:
        """Stop the script and all its children; what was recorded stays."""
        if self._running is not None and self.state.phase == "running":
            self._change(replace(self.state, phase="stopping", waiting=False))
            self._running.stop()

    def send_line(self, line: str) -> None:
        """Give the script a line of input."""
        if self._running is not None:
            self._running.send_line(line)
            if self._surroundings is not None:
                self._surroundings = replace(self._surroundings, typed=(*self._surroundings.typed, line))
            self._change(replace(self.state, waiting=False))

    def end_input(self) -> None:
        """Tell the script that no more input comes."""
        if self._running is not None:
            self._running.end_input()

    # -- trying a fix
    def try_fix(self, rewrite: SeedRewrite) -> None:
        """Run the script a second time with this rewrite; the hub's `trying` tells what comes of it."""
        if self._surroundings is None or not self.hub.view.trying.possible:
            return
        self.look_at_file()
        if self.state.changed:
            self._trials.refuse(rewrite, "the script has changed since this recording was made; run it again first.")
            return
        self._trials.start(rewrite, self._surroundings)

    def stop_trying(self) -> None:
        """End the second run."""
        self._trials.stop()

    # -- what the run tells (all on the window's thread)
    def run_printed(self, chunks: list[Output]) -> None:
        self.output_came.tell(chunks)

    def run_waits(self, waiting: bool) -> None:
        if self.state.running and self.state.waiting != waiting:
            self._change(replace(self.state, waiting=waiting))

    def run_grew(self, trace: Trace) -> None:
        """The recording has more than before."""
        self._showing.follow(trace)
        self.state_changed.tell(self.state)

    def run_ended(self, trace: Trace | None, path: Path | None, trouble: str) -> None:
        """The run is over: its recording lies at `path`; without one, `trouble` says why."""
        self._running = None
        if trace is None or path is None:
            self._change(replace(self.state, phase="ready" if self.state.recording is None else "ended", waiting=False))
            self._refuse(trouble or "The script could not be started.", key="run")
            return
        self._change(replace(self.state, phase="ended", recording=path, saved=False, waiting=False))
        self.run_grew(trace)
        self._showing.run_ended()
        if trouble:
            self.noticed.tell(Notice("run", "warning", trouble))
        self._look_for_framework(trace)
        self._diagnose()

    def _look_for_framework(self, trace: Trace) -> None:
        """A framework that this interpreter lacks: offer to choose another."""
        for error in trace.exceptions():
            lacking = MISSING.search(error.message) if error.type == "ModuleNotFoundError" else None
            if lacking is not None and not error.caught:
                words = f"{lacking[1]} isn't installed for the interpreter {trace.run().interpreter}."
                self.noticed.tell(Notice("interpreter", "error", words, action="choose_interpreter"))

    # -- keeping
    def save_as(self, path: Path, with_source: bool) -> None:
        """Copy the recording to `path`, in a thread: it may be large. What goes wrong is told."""
        from gradviz.document.saving import save_recording

        recording = self.state.recording
        if recording is None:
            return
        self.noticed.tell(Notice("save"))

        def done(trouble: str) -> None:
            if trouble:
                self.noticed.tell(Notice("save", "error", trouble))
            elif self.state.recording == recording:
                self.settings.remember_recent(path)
                self._change(replace(self.state, saved=True))
                words = f"Saved as {path}" + (", with the script's source." if with_source else ", without the source.")
                self.noticed.tell(Notice("save", "note", words))

        def work() -> None:
            trouble = ""
            try:
                save_recording(recording, path, with_source)
            except GradvizError as error:
                trouble = str(error)
            self._post(lambda: done(trouble))

        self._saving = threading.Thread(target=work, name="save", daemon=True)
        self._saving.start()

    # -- the file on disk
    def look_at_file(self) -> None:
        """Has the script changed since it was run? Then offer to run it again."""
        script = self.state.script
        if script is None or self.state.running or self.state.changed or self.state.phase != "ended":
            return
        present = stamp(script)
        if present is not None and present != self._script_stamp:
            self._script_stamp = present
            self._tell_changed(script)

    def _compare_script(self, trace: Trace) -> None:
        """An opened recording carries the source it was made from: is the file still that?"""
        script = self.state.script
        source = trace.source(str(script)) if script is not None else None
        if script is None or source is None or source.text is None:
            return
        if differs(script, source):
            self._tell_changed(script)

    def _tell_changed(self, script: Path) -> None:
        self._change(replace(self.state, changed=True))
        words = f"{script.name} has changed since this recording was made."
        self.noticed.tell(Notice("changed", "note", words, action="run_again"))

    # -- inside
    def _diagnose(self) -> None:
        recording = self.state.recording
        if recording is not None:
            self._change(replace(self.state, diagnosing=True))
            self._showing.examining()
            self._diagnosing.start(recording, self._diagnosed, nodes_of(self.hub.view.trace))

    def _diagnosed(self, findings: tuple[Finding, ...], trouble: str) -> None:
        self._change(replace(self.state, diagnosing=False))
        if trouble:
            self.noticed.tell(Notice("trace", "warning", trouble))
        self._showing.show_findings(findings, trouble)
        if not trouble:
            self._remember_outcome(findings)

    def _remember_outcome(self, findings: tuple[Finding, ...]) -> None:
        path = self.state.script if self.state.script is not None else self.state.recording
        trace = self.hub.view.trace
        if path is None or trace is None:
            return
        outcome, count = outcome_of(findings, trace.run().status)
        self.settings.remember_recent(path, self.state.function if self.state.script else "", outcome, count)

    def _tell_recorded_output(self, trace: Trace) -> None:
        try:
            chunks = [Output(chunk.stream, chunk.data.decode("utf-8", "replace")) for _, chunk in trace.output()]
        except TraceError as error:
            self.noticed.tell(Notice("trace", "warning", str(error)))
            return
        if chunks:
            self.output_came.tell(chunks)

    def _refuse(self, words: str, key: str = "open") -> bool:
        self.noticed.tell(Notice(key, "error", words))
        return False

    def _change(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._trials.offer(state.phase == "ended" and state.script is not None)
            self.state_changed.tell(state)
