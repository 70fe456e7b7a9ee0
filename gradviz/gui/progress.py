"""Shows how the run goes: words in place of a graph that isn't there, the status line, the strips of sudden endings."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradviz.document.hub import Selection
from gradviz.document.state import State
from gradviz.errors import TraceError
from gradviz.gui.centre import Offer
from gradviz.gui.output import size_words
from gradviz.gui.pass_words import passes_in_all
from gradviz.trace.kept import passes_not_kept

if TYPE_CHECKING:
    from gradviz.gui.window import Window
    from gradviz.trace.model import Backward, RunInfo, Unreached
    from gradviz.trace.reader import Trace

MOST_OFFERS = 40
SIGNALS = {
    4: "illegal instruction",
    6: "abort",
    7: "bus error",
    8: "arithmetic error",
    9: "killed",
    11: "segmentation fault",
    15: "terminated",
}


class Progress(QObject):
    """Follows the document's state and the recording."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._hub = window, window.hub
        self._document = window.document

    def refresh(self) -> None:
        """Show what holds now; a recording that can't be read is told in a strip."""
        state, trace = self._document.state, self._hub.view.trace
        self._window.status.show_busy(state.running)
        try:
            self._show_middle(state, trace)
            self._show_status(state, trace)
        except TraceError as error:
            self._window.strips.tell("trace", "error", str(error))

    # -- the middle
    def _show_middle(self, state: State, trace: Trace | None) -> None:
        centre = self._window.centre
        name = state.title
        if trace is not None and trace.passes():
            backward = next((each for each in trace.passes() if each.id == self._hub.view.pass_id), None)
            if backward is not None and not backward.nodes and backward.outcome != "running":
                self._show_no_graph(backward)
            else:
                centre.show_graph()
            self._tell_sudden_end(state, trace)
        elif state.running and (trace is None or state.recording is None or trace.run().status == "recording"):
            stop = Offer(self.tr("Output shows what it prints."), button=self.tr("Stop"), act=self._document.stop)
            heading = self.tr("Running {name}. No backward pass so far.").format(name=name)
            if not (centre.shows_message() and centre.message.heading == heading):
                centre.show_message(heading, offers=(stop,), clock=state.started)
        elif state.phase == "ready":
            run = Offer(self.tr("F5 runs it and records every backward pass."), button=self.tr("Run"), act=self._run)
            centre.show_message(self.tr("{name} hasn't been run yet.").format(name=name), offers=(run,))
        elif trace is not None:
            self._show_no_backward(state, trace)

    def _run(self) -> None:
        self._window.commands["run"].trigger()

    def _show_no_backward(self, state: State, trace: Trace) -> None:
        """The script ended before any backward pass: why, and what one could run backward from."""
        errors = [error for error in trace.exceptions() if not error.caught]
        unreached = trace.unreached()
        if errors:
            heading = self.tr("The script raised {error} before any backward pass ran.").format(error=errors[-1].type)
            text = self.tr("Problems says what happened; Output has the traceback.")
        elif passes_not_kept(trace):
            count, words = passes_not_kept(trace), self.tr("{count} backward passes ran, and none of them was kept.")
            heading = words.format(count=f"{count:,}")
            text = self.tr("They are numbered from 0 to {last}. The Run pane says which to keep.").format(
                last=count - 1
            )
            unreached = ()
        elif unreached:
            heading = self.tr("The script ended, and no backward pass ran.")
            text = self.tr("These tensors have a grad_fn, so backward could start from them:")
        else:
            heading = self.tr("The script ended, and no backward pass ran.")
            text = self.tr(
                "No tensor with a grad_fn was left either. Either nothing that it computed requires a gradient "
                "(requires_grad=True), or it ran under torch.no_grad()."
            )
        self._window.centre.show_message(heading, text, tuple(map(self._offer, unreached[:MOST_OFFERS])))

    def _show_no_graph(self, backward: Backward) -> None:
        """A pass that has no node: why, and at which line that is decided."""
        findings = self._hub.view.findings
        finding = next((each for each in findings if each.pass_id == backward.id), None)
        finding = finding or next((each for each in findings if each.pass_id is None), None)
        text = self.tr(
            "What it began from was computed from nothing that requires a gradient, or that its tape follows."
        )
        offers: tuple[Offer, ...] = ()
        if finding is not None:
            text = finding.message
        if finding is not None and finding.file:
            place = Selection("line", path=finding.file, line=finding.line)
            link, follow = f"{Path(finding.file).name}:{finding.line}", partial(self._show_place, place)
            offers = (Offer(finding.title, link=link, follow=follow),)
        self._window.centre.show_message(self.tr("There is no graph behind this backward pass."), text, offers)

    def _offer(self, tensor: Unreached) -> Offer:
        title = tensor.name or tensor.grad_fn
        shape = "[" + (", ".join(map(str, tensor.spec.shape)) or "\u2009") + "]"
        detail = f"{shape} · {tensor.grad_fn}" if tensor.name else shape
        link = f"{Path(tensor.stack[0].file).name}:{tensor.stack[0].line}" if tensor.stack else ""
        can = bool(tensor.name) and self._document.state.script is not None
        return Offer(
            title,
            detail,
            link,
            (lambda: self._show_line(tensor)) if link else None,
            self.tr("Run backward from it") if can else "",
            (lambda: self._document.run_backward_from(tensor.name)) if can else None,
        )

    def _show_line(self, tensor: Unreached) -> None:
        frame = tensor.stack[0]
        self._show_place(Selection("line", path=frame.file, line=frame.line))

    def _show_place(self, place: Selection) -> None:
        self._window.docks.front("source")
        self._hub.change(None, selection=place)

    def _tell_sudden_end(self, state: State, trace: Trace) -> None:
        """A process that died amid a pass: say where."""
        info = trace.run()
        if info.status != "killed" or state.running:
            self._window.strips.take_back("death")
            return
        node = self._running_node(trace)
        reason = death_words(info)
        if node:
            words = self.tr("The script's process ended ({reason}) while {node} ran.").format(reason=reason, node=node)
        else:
            words = self.tr("The script's process ended ({reason}).").format(reason=reason)
        words += " " + self.tr("The graph up to there stays usable.")
        self._window.strips.tell("death", "error", words)

    def _running_node(self, trace: Trace) -> str:
        for each in reversed(trace.passes()):
            if each.running_node is not None:
                return trace.node(each.id, each.running_node).name
        return ""

    # -- the status line
    def _show_status(self, state: State, trace: Trace | None) -> None:
        status = self._window.status
        if state.phase == "empty":
            status.show_outcome("", self._idle_words(), "")
            status.show_right("", self.tr("No script is running"))
            return
        icon, words = self._outcome(state, trace)
        passes = trace.passes() if trace is not None else ()
        status.show_outcome(icon, words, self._details(passes))
        info = trace.run() if trace is not None else None
        status.show_right(_runtime(info), self._file_words(state))

    def _idle_words(self) -> str:
        return self.tr("Interpreter: {name}").format(name=self._window.interpreter_words())

    def _outcome(self, state: State, trace: Trace | None) -> tuple[str, str]:
        if state.waiting:
            return "warning", self.tr("The script waits for input")
        if state.phase == "stopping":
            return "current", self.tr("Stopping…")
        if state.running:
            return "current", self._recording_words(trace)
        if trace is None:
            return "", self.tr("Not run yet")
        info = trace.run()
        findings = self._hub.view.findings
        errors = sum(finding.severity == "error" for finding in findings)
        warnings = sum(finding.severity == "warning" for finding in findings)
        ended = self._ended_words(info, trace)
        if state.diagnosing:
            return "current", self.tr("Looking for problems…")
        if ended:
            return ("error" if info.status in ("raised", "killed") else "warning"), ended
        if errors or warnings:
            found = self.tr("{errors} found, nothing raised").format(errors=self._count_words(errors, warnings))
            return ("error" if errors else "warning"), found
        if self._hub.view.unexamined:
            return "warning", self.tr("This recording couldn't be examined for problems")
        if not trace.passes() and passes_not_kept(trace):
            return "note", self.tr("No backward pass was kept")
        if not trace.passes():
            return "note", self.tr("No backward pass ran")
        return "done", self.tr("No problems found")

    def _count_words(self, errors: int, warnings: int) -> str:
        parts = []
        if errors:
            parts.append(self.tr("1 error") if errors == 1 else self.tr("{n} errors").format(n=errors))
        if warnings:
            parts.append(self.tr("1 warning") if warnings == 1 else self.tr("{n} warnings").format(n=warnings))
        return ", ".join(parts)

    def _recording_words(self, trace: Trace | None) -> str:
        passes = trace.passes() if trace is not None else ()
        if not passes:
            return self.tr("Running {name}").format(name=self._document.state.title)
        last = passes[-1]
        number = f"{passes_in_all(passes):,}"
        if last.outcome != "running":  # its like are counted, and so fast that a step says nothing
            return self.tr("Recording, backward {number}").format(number=number)
        return self.tr("Recording, backward {number}, step {step}").format(number=number, step=last.steps)

    def _ended_words(self, info: RunInfo, trace: Trace) -> str:
        errors = [error for error in trace.exceptions() if not error.caught]
        kind = errors[-1].type if errors else ""
        words = {
            "raised": self.tr("Script raised {kind}, exit code {code}").format(kind=kind, code=info.exit_code),
            "exited": self.tr("Script ended itself with exit code {code}").format(code=info.exit_code),
            "killed": self.tr("Script ended suddenly ({reason})").format(reason=death_words(info)),
            "timeout": self.tr("Stopped after its time was up"),
            "stopped": self.tr("Stopped"),
            "not-run": self.tr("Not run"),
            "recording": self.tr("Recording was cut off"),
        }
        return words.get(info.status, "")

    def _details(self, passes: tuple[Backward, ...]) -> str:
        if not passes:
            return ""
        total = passes_in_all(passes)
        steps = sum(each.steps for each in passes)
        if total == 1:
            planned = steps if passes[0].outcome == "completed" else max(steps, passes[0].nodes)
            words = self.tr("1 backward, {steps} of {planned} steps")
            return words.format(steps=f"{steps:,}", planned=f"{planned:,}")
        words = self.tr("{total} backwards, {kept} kept with {steps} steps")
        return words.format(total=f"{total:,}", kept=len(passes), steps=f"{steps:,}")

    def _file_words(self, state: State) -> str:
        path = state.recording
        if path is None:
            return ""
        try:
            size = size_words(path.stat().st_size)
        except OSError:
            return path.name
        if not state.saved:
            return self.tr("not saved · {size}").format(size=size)
        return f"{path.name} · {size}"


def death_words(info: RunInfo) -> str:
    """The signal's name in words, or the exit code."""
    if info.signal:
        return SIGNALS.get(info.signal, f"signal {info.signal}")
    return f"exit code {info.exit_code}"


def _runtime(info: RunInfo | None) -> str:
    if info is None:
        return ""
    python = f"Python {info.python.split()[0]}" if info.python else ""
    return " · ".join(part for part in (python, info.framework) if part)
