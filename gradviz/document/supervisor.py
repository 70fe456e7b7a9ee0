"""Starts the recorder on a script, owns its streams, stops it, closes what it wrote; for command line and window.

    supervisor = Supervisor(request, stdin=..., on_output=..., on_end=...)
    supervisor.start()                 # raises NotStartedError with a sentence
    supervisor.trace                   # open it while it runs, it grows; afterwards outcome.trace
    supervisor.write_input(b"seven")   # with stdin=Stdin.TYPED
    supervisor.stop()                  # returns at once; SIGINT, 400 ms, then the whole tree
    outcome = supervisor.wait()        # or on_end(outcome)

Callbacks come from threads of the supervisor's: one per stream for `on_output`, one for `on_end`, the last thing said.
"""

from __future__ import annotations

import contextlib
import enum
import importlib.metadata
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gradviz.document import closing
from gradviz.document.control_channel import ControlChannel
from gradviz.document.output_log import OutputLog
from gradviz.document.process_tree import ProcessTree, reads_stdin
from gradviz.document.run_request import RunRequest, require_runnable, seed_replacement
from gradviz.document.streams import pump
from gradviz.document.verdict import Heard, code_and_signal, last_words, plain_status, status_of
from gradviz.errors import NotStartedError
from gradviz.trace.live import read_word
from gradviz.trace.writer import TraceWriter

BOOT = Path(__file__).resolve().parents[1] / "record" / "boot.py"
GRACE_SECONDS = 0.4  # between SIGINT and the end of the whole tree
DRAIN_SECONDS = 2.0  # for output that children left behind still hold open

OnOutput = Callable[[str, bytes], None]  # stream name, chunk


class Stdin(enum.Enum):
    """Where the script's standard input comes from; a file object may be given instead."""

    NONE = "none"
    INHERITED = "inherited"
    TYPED = "typed"  # by write_input


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `trouble` is one sentence when the recording isn't as it was wished."""

    status: str  # ok | raised | exited | killed | timeout | stopped | not-run
    exit_code: int | None
    signal: int | None
    seconds: float
    trace: Path  # where the recording lies now
    trouble: str = ""
    own_fault: bool = False  # the recorder itself failed: `trouble` says how


class Supervisor:
    """One run of one script."""

    def __init__(
        self,
        request: RunRequest,
        *,
        stdin: Stdin | IO[bytes] = Stdin.NONE,
        on_output: OnOutput = lambda stream, chunk: None,
        on_end: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self.request = request
        self.outcome: Outcome | None = None
        self._stdin = stdin
        self._on_output = on_output
        self._on_end = on_end
        self._ended = threading.Event()
        self._stop_reason = ""  # stopped | timeout
        self._stopping = threading.Lock()
        self._heard = Heard()

    # -- what a view calls

    @property
    def trace(self) -> Path:
        """The recording: while it runs in a temporary folder, in the end at its place."""
        return self.outcome.trace if self.outcome is not None else self._working

    def start(self) -> None:
        """Start it. Raises NotStartedError with one sentence."""
        require_runnable(self.request)
        closing.require_writable(self.request.trace)
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
        except OSError as error:
            raise NotStartedError(f"No temporary folder can be made: {error.strerror or error}.") from error
        self._working = self._folder / "run.gradviz"
        try:
            self._writer = TraceWriter(self._working)
            self._describe_run()
            self._log = OutputLog(self._writer)
            self._channel = ControlChannel(self._folder, self._heard.take)
            self._tree = self._start_process()
        except BaseException as error:  # whatever it is: nothing half begun stays
            self._clear_away()
            if isinstance(error, sqlite3.Error):
                raise NotStartedError(f"No recording can be made in {self._folder}: {error}.") from error
            if isinstance(error, OSError):
                raise NotStartedError(_why_not_started(self.request.interpreter, error)) from error
            raise
        self._began = time.monotonic()
        self._pumps = [
            pump(self._tree.process.stdout, "stdout", self._received),
            pump(self._tree.process.stderr, "stderr", self._received),
        ]
        self._watcher = threading.Thread(target=self._watch, name="gradviz supervisor", daemon=True)
        self._watcher.start()

    def write_input(self, data: bytes) -> None:
        """Type into the script's stdin; lost when it has ended or closed it."""
        pipe = self._tree.process.stdin
        if pipe is not None:
            with contextlib.suppress(OSError, ValueError):
                pipe.write(data)
                pipe.flush()

    def close_input(self) -> None:
        """The end of the input."""
        pipe = self._tree.process.stdin
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()

    def waits_for_input(self) -> bool:
        """Whether the script waits for a line of input; False where the system doesn't tell."""
        return not self._ended.is_set() and reads_stdin(self._tree.process.pid)

    def send(self, message: dict[str, Any]) -> None:
        """Ask the recorder something over the control channel."""
        self._channel.send(message)

    def stop(self) -> None:
        """End the script, its children included, within a second. Returns at once; a second call kills without
        waiting.
        """
        self._end_with("stopped")

    def wait(self, timeout: float | None = None) -> Outcome | None:
        """The outcome when it has ended and the recording is closed; None if `timeout` seconds pass before."""
        self._ended.wait(timeout)
        return self.outcome

    # -- starting

    def _describe_run(self) -> None:
        request, target = self.request, self.request.target
        script = None if target.kind == "module" else str((request.cwd / target.given).absolute())
        named: list[Any] = list(request.arguments)
        if target.kind == "function":
            named = [list(pair) for pair in request.function_arguments]
        self._writer.add(
            "run",
            id=0,
            gradviz=own_version(),
            target=target.shown,
            script=script,
            function=target.function or None,
            arguments=json.dumps(named),
            cwd=os.fspath(request.cwd),
            interpreter=request.interpreter,
            python="",
            framework="",
            platform=sys.platform,
            level=request.level,
            seed_expression=request.seed_gradient,
            started=time.time(),
            status="recording",
        )
        self._writer.commit()

    def _start_process(self) -> ProcessTree:
        request, target = self.request, self.request.target
        config = self._folder / "config.json"
        wish = {
            "trace": os.fspath(self._working),
            "kind": target.kind,
            "function": target.function,
            "arguments": list(request.function_arguments),
            "seed_gradient": request.seed_gradient,
            "offered": request.offered,
            "seed_replacement": seed_replacement(request.rewrite),
            "level": request.level,
            "passes": request.passes,
            "address": self._channel.address,
            "authkey": self._channel.authkey.hex(),
            "own_group": sys.platform != "win32",
        }
        config.write_text(json.dumps(wish), encoding="ascii")
        command = [request.interpreter, os.fspath(BOOT), os.fspath(config), "--", target.given, *request.arguments]
        return ProcessTree(command, request.cwd, request.environment, _source(self._stdin))

    def _clear_away(self) -> None:
        if hasattr(self, "_channel"):
            self._channel.close()
        if hasattr(self, "_writer"):
            self._writer.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    # -- while it runs

    def _received(self, stream: str, chunk: bytes) -> None:
        self._log.add(stream, chunk)
        self._on_output(stream, chunk)

    def _end_with(self, reason: str) -> None:
        with self._stopping:
            again, self._stop_reason = bool(self._stop_reason), self._stop_reason or reason
        if again:
            self._tree.kill()
            return
        if sys.platform == "win32":  # no signal reaches a process there
            self._channel.send({"do": "stop"})
        self._tree.interrupt()
        timer = threading.Timer(GRACE_SECONDS, self._tree.kill)
        timer.daemon = True
        timer.start()

    def _watch(self) -> None:
        process = self._tree.process
        try:
            process.wait(self.request.timeout or None)
        except subprocess.TimeoutExpired:
            self._end_with("timeout")
            process.wait()
        seconds = time.monotonic() - self._began
        if self._stop_reason or (process.returncode or 0) < 0:
            self._tree.kill()
        deadline = time.monotonic() + DRAIN_SECONDS
        for thread in self._pumps:
            thread.join(max(0.0, deadline - time.monotonic()))
        self.close_input()
        try:
            self.outcome = self._close(process.returncode, seconds)
        except (sqlite3.Error, OSError, ValueError) as error:  # somebody wrote into the file, or took it away
            self.outcome = self._spoilt(process.returncode, seconds, error)
        try:
            self._on_end(self.outcome)
        finally:
            if self.outcome.trace != self._working:  # only now: views read the working file until they were told
                shutil.rmtree(self._folder, ignore_errors=True)
            self._ended.set()

    # -- closing

    def _close(self, returncode: int, seconds: float) -> Outcome:
        self._channel.close()
        self._log.close()
        died_without_a_word = closing.died_suddenly(self._working)
        amid_pass = closing.write_last_words(self._writer)
        status = status_of(self._writer, self._heard, returncode, died_without_a_word and amid_pass)
        status = self._stop_reason or status
        exit_code, number = code_and_signal(returncode)
        own_fault = status == "not-run" and not self._heard.unfit
        end = {"status": status, "exit_code": exit_code, "signal": number, "seconds": seconds}
        self._writer.update("run", 0, **end)
        self._heard.failure = self._heard.failure or read_word(self._working)
        trouble = self._trouble(status)
        place = self._working
        try:
            closing.keep(self._writer, self.request.trace)
            place = self.request.trace
        except NotStartedError as error:
            trouble = trouble or str(error)
        if self._writer.failure is not None:
            self._heard.failure = self._heard.failure or self._writer.failure
            trouble = trouble or self._trouble(status)
            closing.write_end(place, **end)
        return Outcome(status, exit_code, number, seconds, place, trouble, own_fault)

    def _spoilt(self, returncode: int, seconds: float, error: Exception) -> Outcome:
        """There is nothing to be read; how the script ended is known all the same."""
        exit_code, number = code_and_signal(returncode)
        status = self._stop_reason or plain_status(returncode)
        with contextlib.suppress(sqlite3.Error, OSError):
            self._writer.close()
        trouble = f"The recording was damaged while the script ran, and can't be read: {error}."
        return Outcome(status, exit_code, number, seconds, self.request.trace, trouble, own_fault=True)

    def _trouble(self, status: str) -> str:
        if self._heard.not_found:
            return f"-m {self.request.target.given} can't be run: {self._heard.not_found}."
        if self._heard.bad_option:
            return self._heard.bad_option
        if status == "not-run":
            return f"gradviz's recorder did not start under {self.request.interpreter}: {last_words(self._writer)}"
        if self._heard.failure:
            return f"The recording ends early, its file could not be written: {self._heard.failure}."
        return ""


def _source(stdin: Stdin | IO[bytes]) -> int | IO[bytes] | None:
    """For Popen."""
    if not isinstance(stdin, Stdin):
        return stdin
    return {Stdin.NONE: subprocess.DEVNULL, Stdin.INHERITED: None, Stdin.TYPED: subprocess.PIPE}[stdin]


def own_version() -> str:
    """Of the installed program; "" where it isn't installed."""
    try:
        return importlib.metadata.version("gradviz")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _why_not_started(interpreter: str, error: OSError) -> str:
    if error.filename == interpreter or isinstance(error, (FileNotFoundError, PermissionError)):
        return f"The Python interpreter {interpreter} can't be started: {error.strerror or error}."
    return f"The recorder could not be started: {error.strerror or error}."
