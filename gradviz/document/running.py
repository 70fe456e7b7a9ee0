"""One run for the Document: started by the supervisor, followed while it grows, its output gathered into gulps.

Nothing here waits on the window's thread: starting, reading the growing file and ending happen in threads; a message is
posted only when the one before was taken, so that a flood can't pile up in front of the window.
"""

from __future__ import annotations

import codecs
import os
import shlex
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Protocol

from gradviz.document.diagnosing import Post
from gradviz.document.interpreters import chosen_interpreter
from gradviz.document.run_request import RunRequest, Target
from gradviz.document.settings import RunSettings
from gradviz.document.state import Output
from gradviz.document.supervisor import Outcome, Stdin, Supervisor
from gradviz.errors import NotStartedError, TraceError
from gradviz.trace.reader import Trace

LOOK_SECONDS = 0.1
GULP = 256 * 1024  # bytes of output kept between two looks; what comes faster is counted and left out


class Owner(Protocol):
    """Who is told, always on the window's thread."""

    def run_printed(self, chunks: list[Output]) -> None: ...
    def run_waits(self, waiting: bool) -> None: ...
    def run_grew(self, trace: Trace) -> None: ...
    def run_ended(self, trace: Trace | None, path: Path | None, trouble: str) -> None: ...


class Running:
    """A run from start to end. After `abandon` the owner hears nothing more."""

    def __init__(
        self, owner: Owner, script: Path, settings: RunSettings, place: Path, post: Post, offered: str = ""
    ) -> None:
        self._owner, self._script, self._settings, self._place = owner, script, settings, place
        self._offered = offered
        self._post = post
        self._supervisor: Supervisor | None = None
        self._abandoned = False
        self._stop_wished = False
        self._over = threading.Event()
        self._output = Gulps()
        self._taken = threading.Event()
        self._taken.set()
        self._trace: Trace | None = None
        self._waiting = False
        self._thread = threading.Thread(target=self._follow, name="run", daemon=True)

    # -- on the window's thread
    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop_wished = True
        if self._supervisor is not None:
            self._supervisor.stop()

    def abandon(self) -> None:
        """Stop it, and say no more."""
        self._abandoned = True
        self.stop()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def send_line(self, line: str) -> None:
        if self._supervisor is not None:
            self._supervisor.write_input((line + "\n").encode("utf-8", "surrogateescape"))

    def end_input(self) -> None:
        if self._supervisor is not None:
            self._supervisor.close_input()

    # -- in the thread
    def _follow(self) -> None:
        opened: IO[bytes] | None = None
        try:
            request = replace(make_request(self._script, self._settings, self._place), offered=self._offered)
            stdin, opened = stdin_of(self._settings)
            supervisor = Supervisor(request, stdin=stdin, on_output=self._output.add, on_end=self._end)
            supervisor.start()
        except NotStartedError as error:
            words = str(error)
            self._tell(lambda: self._owner.run_ended(None, None, words))
            return
        finally:
            if opened is not None:
                opened.close()  # the child has its own
        self._supervisor = supervisor
        if self._stop_wished:
            supervisor.stop()
        if self._settings.stdin_kind == "text":
            threading.Thread(target=self._type_text, args=(supervisor,), name="stdin", daemon=True).start()
        while not self._over.wait(LOOK_SECONDS):
            self._look(supervisor)
        self._finish(supervisor.wait())

    def _look(self, supervisor: Supervisor) -> None:
        """What is new: output, growth, waiting for input."""
        if not self._taken.is_set():
            return
        chunks = self._output.take()
        grew = self._grew(supervisor)
        waits = self._settings.stdin_kind == "typed" and supervisor.waits_for_input()
        changed, self._waiting = waits != self._waiting, waits
        if chunks or grew or changed:
            self._taken.clear()
            self._tell(lambda: self._deliver(chunks, grew, waits))

    def _grew(self, supervisor: Supervisor) -> bool:
        try:
            if self._trace is None:
                self._trace = Trace(supervisor.trace)
                return True
            return self._trace.refresh()
        except TraceError:
            return False  # the writer is amid creating it; the next look sees it

    def _deliver(self, chunks: list[Output], grew: bool, waits: bool) -> None:
        try:
            if chunks:
                self._owner.run_printed(chunks)
            self._owner.run_waits(waits)
            if grew and self._trace is not None:
                self._owner.run_grew(self._trace)
        finally:
            self._taken.set()

    def _end(self, outcome: Outcome) -> None:
        """In the supervisor's thread, before the working file goes: from now on the recording is read at its place."""
        if self._trace is not None:
            self._trace.moved(outcome.trace)
        self._over.set()

    def _finish(self, outcome: Outcome | None) -> None:
        chunks = self._output.take(final=True)
        if outcome is None:
            self._tell(lambda: self._owner.run_ended(None, None, "The run ended without an outcome."))
            return
        trouble = outcome.trouble
        trace = self._trace
        try:
            if trace is None:
                trace = Trace(outcome.trace)
            else:
                trace.moved(outcome.trace)  # again: it may have been opened in the very moment of the end
                trace.refresh()
        except TraceError as error:
            trace, trouble = None, trouble or str(error)
        self._tell(lambda: self._conclude(chunks, trace, outcome.trace, trouble))

    def _conclude(self, chunks: list[Output], trace: Trace | None, path: Path, trouble: str) -> None:
        if chunks:
            self._owner.run_printed(chunks)
        self._owner.run_ended(trace, path, trouble)

    def _tell(self, call: Callable[[], object]) -> None:
        def unless_abandoned() -> None:
            if self._abandoned:
                self._taken.set()
                if self._trace is not None:
                    self._trace.close()
            else:
                call()

        self._post(unless_abandoned)

    # -- stdin
    def _type_text(self, supervisor: Supervisor) -> None:
        """In a thread: a script that doesn't read would block whoever writes more than the pipe holds."""
        supervisor.write_input(self._settings.stdin.encode("utf-8", "surrogateescape"))
        supervisor.close_input()


class Gulps:
    """Output of both streams between two looks, in order, with what didn't fit counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: list[tuple[str, bytes]] = []
        self._size = 0
        self._dropped = 0
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in ("stdout", "stderr")}

    def add(self, stream: str, chunk: bytes) -> None:
        """From the supervisor's threads."""
        with self._lock:
            self._parts.append((stream, chunk))
            self._size += len(chunk)
            while self._size > GULP and len(self._parts) > 1:
                gone = len(self._parts.pop(0)[1])
                self._size -= gone
                self._dropped += gone

    def take(self, final: bool = False) -> list[Output]:
        with self._lock:
            parts, dropped = self._parts, self._dropped
            self._parts, self._size, self._dropped = [], 0, 0
        chunks = [Output("dropped", str(dropped))] if dropped else []
        for stream, data in parts:
            text = self._decoders[stream].decode(data, final)
            if not text:
                continue
            if chunks and chunks[-1].stream == stream:
                chunks[-1] = Output(stream, chunks[-1].text + text)
            else:
                chunks.append(Output(stream, text))
        return chunks


def stdin_of(settings: RunSettings) -> tuple[Stdin | IO[bytes], IO[bytes] | None]:
    """For the supervisor, and the file to be closed once it has started. Raises NotStartedError."""
    if settings.stdin_kind == "file":
        try:
            file = Path(settings.stdin).expanduser().open("rb")
        except OSError as error:
            words = f"The input file {settings.stdin} can't be read: {error.strerror}."
            raise NotStartedError(words) from error
        return file, file
    return (Stdin.NONE if settings.stdin_kind == "none" else Stdin.TYPED), None


def make_request(script: Path, settings: RunSettings, place: Path) -> RunRequest:
    """The supervisor's wish from what the person set. Raises NotStartedError with a sentence."""
    try:
        arguments = tuple(shlex.split(settings.arguments, posix=sys.platform != "win32"))
    except ValueError as error:
        raise NotStartedError(f"The arguments can't be split into words: {error}.") from error
    function = settings.function
    given = settings.arguments_of(function)
    cwd = Path(settings.cwd).expanduser() if settings.cwd else script.parent
    environment = None
    if settings.environment:
        environment = {**os.environ, **dict(settings.environment)}
    return RunRequest(
        target=Target("function" if function else "script", str(script), function),
        interpreter=chosen_interpreter(settings.interpreter, cwd),
        cwd=cwd,
        trace=place,
        arguments=() if function else arguments,
        function_arguments=tuple((name, text) for name, text in given.items() if text.strip()),
        seed_gradient=settings.seed_of(function).strip() or None,
        level=settings.level,
        passes=settings.passes or "all",
        timeout=settings.timeout,
        environment=environment,
    )
