"""Runs a TARGET for a command: streams passed through, Ctrl+C stops the script, the recording opened and diagnosed."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.cli.options import Options
from gradviz.cli.script_input import ScriptInput
from gradviz.cli.streams import Sink, tell
from gradviz.document.functions import list_functions, makes_only
from gradviz.document.interpreters import chosen_interpreter
from gradviz.document.paths import plain_path
from gradviz.document.run_request import RunRequest
from gradviz.document.supervisor import Outcome, Supervisor
from gradviz.errors import GradvizError, NotStartedError

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding
    from gradviz.trace.reader import Trace

LOUD = ("error", "warning")
# What is needed when the script has ended: loaded while it runs, since it takes longer to load its framework.
NEEDED_AFTERWARDS = (
    "gradviz.diagnose.examination",
    "gradviz.trace.reader",
    "gradviz.trace.forward",
    "gradviz.trace.passes",
    "gradviz.export.report",
)


@dataclass(frozen=True)
class Examined:
    """A recording and what diagnosis says of it."""

    trace: Trace
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        return int(any(finding.severity in LOUD for finding in self.findings))


def run_script(options: Options, place: Path, script_input: ScriptInput | None = None) -> Outcome:
    """Run the script and record it into `place`. Its streams are this process's; its stdout goes to stderr with
    --json.
    """
    request = make_request(options, place)
    given = script_input if script_input is not None else ScriptInput()
    out = sys.stderr if options.as_json else sys.stdout
    sinks = {"stdout": Sink(out.fileno()), "stderr": Sink(sys.stderr.fileno())}
    supervisor = Supervisor(request, stdin=given.source(), on_output=lambda stream, chunk: sinks[stream].write(chunk))
    supervisor.start()
    given.feed(supervisor)
    loading = threading.Thread(target=_load_the_rest, name="gradviz loading", daemon=True)
    loading.start()  # beside the waiting, which Ctrl+C interrupts
    outcome = until_it_ends(supervisor)
    loading.join()
    if outcome.own_fault:
        raise GradvizError(outcome.trouble)
    if outcome.status == "not-run":
        raise NotStartedError(outcome.trouble)
    if outcome.trouble:
        tell(f"gradviz: {outcome.trouble}")
    return outcome


def _load_the_rest() -> None:
    for name in NEEDED_AFTERWARDS:
        importlib.import_module(name)


def make_request(options: Options, place: Path) -> RunRequest:
    """The supervisor's wish from what was asked for. Raises NotStartedError."""
    assert options.target is not None
    require_callable(options)
    return RunRequest(
        target=options.target,
        interpreter=chosen_interpreter(options.interpreter, options.cwd),
        cwd=options.cwd,
        trace=place,
        arguments=options.arguments,
        function_arguments=options.function_arguments,
        seed_gradient=options.seed_gradient,
        level=options.level,
        passes=options.passes,
        timeout=options.timeout,
    )


def require_callable(options: Options) -> None:
    """Of a function: is it there, and does it get what it needs? Raises NotStartedError."""
    target = options.target
    if target is None or target.kind != "function":
        return
    script = options.cwd / target.given
    try:
        functions = {function.name: function for function in list_functions(script)}
    except NotStartedError:
        return  # a broken file: its run tells more
    function = functions.get(target.function)
    if function is None:
        made = makes_only(script, target.function)
        if made:
            kind = "is async and" if made == "coroutine" else "yields and"
            raise NotStartedError(
                f"{target.function} {kind} can't be run alone: calling it only makes a {made}, and none of its code"
                " runs. Give a function that runs it and returns what came of it."
            )
        known = ", ".join(functions) or "none that can be run alone"
        raise NotStartedError(f"{target.given} has no function {target.function}. It has: {known}.")
    given = {name for name, _ in options.function_arguments}
    missing = [each for each in function.parameters if each.required and each.name not in given]
    if missing:
        wanted = " ".join(f"--arg {each.name}=EXPR" for each in missing)
        raise NotStartedError(f"{target.function} needs {', '.join(each.name for each in missing)}: give {wanted}.")
    unknown = given - {each.name for each in function.parameters}
    if unknown and not function.takes_any:
        raise NotStartedError(f"{target.function} has no parameter {', '.join(sorted(unknown))}.")


@contextlib.contextmanager
def examined(path: Path) -> Iterator[Examined]:
    """Open a recording and diagnose it. Raises TraceError."""
    from gradviz.diagnose.examination import diagnose  # here: see NEEDED_AFTERWARDS
    from gradviz.trace.reader import Trace

    with Trace(path) as trace:
        yield Examined(trace, tuple(diagnose(trace, place="terminal")))


def require_place(options: Options) -> Path:
    """Where -o points. Raises NotStartedError."""
    if options.output is None:
        raise NotStartedError(f"gradviz {options.command} needs -o FILE.")
    return plain_path(options.output)


def until_it_ends(supervisor: Supervisor) -> Outcome:
    """Until it has ended. Ctrl+C stops the script, a second one kills it."""
    while True:
        try:
            outcome = supervisor.wait(3600.0)
            if outcome is not None:
                return outcome
        except KeyboardInterrupt:
            supervisor.stop()
