"""One recording of one process: what the frontends write to, and what is patched around the script while it runs."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from json import dumps
from os import getpid
from threading import get_ident, get_native_id
from typing import Any, ClassVar, Protocol

from gradviz.record.cstack import raise_stack_limit
from gradviz.record.exceptions import ExceptionRows
from gradviz.record.exceptiontext import message_of, text_of
from gradviz.record.frontend import Frontend
from gradviz.record.importing import FrameworkWatch
from gradviz.record.ownframes import PatchedTraceback
from gradviz.record.ownwarnings import PatchedWarnings
from gradviz.record.passes import ChosenPasses
from gradviz.record.requests import RequestQueue
from gradviz.record.seedreplacement import SeedReplacement
from gradviz.record.threads import PatchedThreads
from gradviz.record.userframes import UserFrames
from gradviz.trace.live import LiveMark, leave_word
from gradviz.trace.writer import TraceWriter

FRONTENDS = {  # framework -> module, class
    "torch": ("gradviz.record.pytorch.frontend", "TorchFrontend"),
    "autograd": ("gradviz.record.hips.frontend", "HipsFrontend"),
    "tensorflow": ("gradviz.record.tensorflow.frontend", "TensorFlowFrontend"),
}


class Channel(Protocol):
    """The control channel, where there is one (control.py): its thread steps aside while the script forks."""

    def start(self) -> None: ...
    def step_aside(self) -> None: ...
    def abandon(self) -> None: ...


class RecorderSession:
    """See frontend.Session for what each attribute means to a frontend. `begin`, then the script, then `end`."""

    active: ClassVar[RecorderSession | None] = None  # patches are for the whole process, so there is one at a time

    def __init__(self, trace: str, level: str, passes: ChosenPasses, script: str | None) -> None:
        self.writer = TraceWriter(trace)
        self.frames = UserFrames(self.writer, () if script is None else (script,))
        self.live = LiveMark(trace)
        self.requests = RequestQueue()
        self.level = level
        self.passes_wanted = passes
        self.seed_replacement: SeedReplacement | None = None
        self.pid = getpid()
        self.recording = False
        self.phase = "run"
        self.in_function = False
        self.stack_bytes = 0
        self.op_numbers: Iterator[int] = itertools.count()
        self.pass_numbers: Iterator[int] = itertools.count()
        self.store: Any = None
        self.channel: Channel | None = None
        self._listen_later = False
        self.script_names: Mapping[str, Any] = {}
        self._exceptions = ExceptionRows(self.writer, self.frames)
        self._frontends: list[Frontend] = []
        self._threads_known = threading.local()
        self._threads_known.number = self.writer.thread("MainThread")
        self._notes: set[tuple[str, str]] = set()
        self._traceback = PatchedTraceback()
        self._warnings = PatchedWarnings()
        self._threads = PatchedThreads(self)
        self._watch: FrameworkWatch | None = None

    # -- from begin to end

    def begin(self, own_process: bool) -> None:
        """Patch what surrounds the script and wait for its framework. `own_process`: the process is there for the
        script.
        """
        self.recording = True
        RecorderSession.active = self
        if own_process:
            self.stack_bytes = raise_stack_limit()
        self._traceback.install()
        self._warnings.install()
        self._warnings.let_pass()
        self._threads.install()
        _tell_of_forks(self)
        for name in FRONTENDS:
            if name in sys.modules:
                self._install(name)
        self._watch = FrameworkWatch([name for name in FRONTENDS if name not in sys.modules], self._install)
        sys.meta_path.insert(0, self._watch)
        self.introduce()

    def introduce(self) -> None:
        """Say under what the script runs."""
        self.writer.update(
            "run",
            0,
            python=".".join(map(str, sys.version_info[:3])),
            interpreter=sys.executable,
            platform=f"{sys.platform} {machine()}",
        )
        self.writer.commit()
        self.requests.answer({"said": "running"})

    def end(self, error: BaseException | None = None, alone: bool = False) -> None:
        """Write the last things and undo every patch; the script is over. Does nothing in a forked child.

        `alone`: nobody else will make the file whole. Raises sqlite3.Error or OSError where it can't be.
        """
        if not self.recording or getpid() != self.pid:
            return
        for frontend in self._frontends:
            try:
                frontend.script_ended(error)
            except Exception as fault:  # noqa: BLE001  # a fault of the recorder's must not become the script's
                self._own_fault(fault)
        self.recording = False
        self.undo()
        self.writer.commit()
        if self.writer.failure is not None:
            self.requests.answer({"said": "failure", "reason": self.writer.failure})
            if self.channel is not None:
                leave_word(self.writer.path, self.writer.failure)  # the channel may be cut
        self.live.close()
        RecorderSession.active = None
        try:
            if alone:
                self.writer.finish()
        finally:
            self.writer.close()

    def undo(self) -> None:
        """Take every patch back."""
        for frontend in reversed(self._frontends):
            try:
                frontend.uninstall()
            except Exception as fault:  # noqa: BLE001  # as above
                self._own_fault(fault)
        self._frontends.clear()
        if self._watch in sys.meta_path:
            sys.meta_path.remove(self._watch)
        self._threads.uninstall()
        self._warnings.uninstall()
        self._traceback.uninstall()

    def _install(self, framework: str) -> None:
        """The script has imported `framework`: record it from now on."""
        if not self.recording or not hasattr(sys.modules.get(framework), "__path__"):
            return  # no package: a file of the user's that bears the framework's name
        module, name = FRONTENDS[framework]
        frontend: Frontend | None = None
        try:
            frontend = getattr(importlib.import_module(module), name)()
            self._warnings.let_pass()
            frontend.install(self)
            self._frontends.append(frontend)
            self.writer.update("run", 0, framework=", ".join(each.framework_version() for each in self._frontends))
        except Exception as fault:  # noqa: BLE001  # an unknown release of the framework may lack anything
            self._own_fault(fault)
            if frontend is not None:
                with contextlib.suppress(Exception):  # half installed: whatever can be undone is
                    frontend.uninstall()

    def _own_fault(self, fault: BaseException) -> None:
        sentence = f"gradviz could not record: {type(fault).__name__}: {message_of(fault)}"
        self.note("recorder-fault", sentence, traceback=text_of(fault))

    # -- for the frontends

    def note(self, kind: str, text: str, stack: int | None = None, **detail: Any) -> None:
        """Told once, see frontend.Session."""
        if (kind, text) not in self._notes:
            self._notes.add((kind, text))
            self.writer.add("note", kind=kind, text=text, stack=stack, detail=as_json(detail))

    def thread_number(self) -> int:
        """The present thread's number in the trace, 0 = main."""
        if self._listen_later and self.recording:
            self._listen_again()
        number = getattr(self._threads_known, "number", None)
        if number is None:
            active = threading._active  # type: ignore[attr-defined]  # current_thread() would make a new one
            known = active.get(get_ident())
            number = self.writer.thread(known.name if known is not None else f"thread {get_native_id()}")
            self._threads_known.number = number
        return int(number)

    def namespace(self) -> Mapping[str, Any]:
        """The script's global names."""
        return self.script_names

    def seen_exception(
        self,
        error: BaseException,
        phase: str,
        *,
        pass_id: int | None = None,
        op: int | None = None,
        stack: int | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> int:
        """See frontend.Session."""
        thread = self.thread_number()
        return self._exceptions.seen(error, phase, thread, pass_id=pass_id, op=op, stack=stack, detail=detail)

    def uncaught(self, error: BaseException, phase: str) -> None:
        """The error ended the script, or its thread."""
        if self.recording:
            self._exceptions.uncaught(error, phase, self.thread_number())
            self.writer.commit()

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
        """What is called in a function target's place, so that backward can be offered from its result."""
        self.in_function = True
        for frontend in self._frontends:
            function = frontend.prepared(function, arguments)
        return function

    def offer_backward(
        self, result: Any, seed_expression: str | None, names: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None:
        """Run backward from what a function target returned, where it did not do so itself."""
        self.phase = "offered"
        for frontend in self._frontends:
            frontend.offer_backward(result, seed_expression, names, arguments)

    # -- threads and forks

    def thread_began(self, name: str) -> None:
        if self.recording and getattr(self._threads_known, "number", None) is None:
            self._threads_known.number = self.writer.thread(name)
        for frontend in self._frontends if self.recording else ():
            frontend.thread_began()

    def thread_ended(self) -> None:
        for frontend in self._frontends if self.recording else ():
            frontend.thread_ended()

    def thread_failed(self, error: BaseException) -> None:
        if not isinstance(error, SystemExit):
            self.uncaught(error, "thread")

    def before_fork(self) -> None:
        """In the parent: Python warns of forks in a process with threads."""
        if self.channel is not None:
            self.channel.step_aside()

    def after_fork_in_parent(self) -> None:
        """As before the fork. From 3.13 on Python counts threads after this: there listening goes on a little later."""
        self._listen_later = True
        if sys.version_info < (3, 13):
            self._listen_again()

    def _listen_again(self) -> None:
        self._listen_later = False
        if self.channel is not None:
            self.channel.start()

    def forked(self) -> None:
        """In the child: not recorded. It never uses, closes or collects what the parent writes to."""
        if self.recording:
            self.recording = False
            RecorderSession.active = None
            for frontend in self._frontends:
                frontend.forked()
            self.writer.abandon()
            self.live.abandon()
            if self.channel is not None:
                self.channel.abandon()


def machine() -> str:
    """The processor's kind, as `platform.machine` has it, which loads more than it is worth."""
    return os.uname().machine if sys.platform != "win32" else os.environ.get("PROCESSOR_ARCHITECTURE", "")


def as_json(detail: Mapping[str, Any]) -> str:
    """For a `detail` column."""
    return dumps(detail, default=str)


def _tell_of_forks(session: RecorderSession) -> None:
    """Fork handlers can't be taken back: these hold the session weakly, and fall silent when it has ended."""
    if not hasattr(os, "register_at_fork"):
        return
    known = weakref.ref(session)

    def tell(name: str) -> None:
        living = known()
        if living is not None and living.recording:
            getattr(living, name)()

    os.register_at_fork(
        before=lambda: tell("before_fork"),
        after_in_parent=lambda: tell("after_fork_in_parent"),
        after_in_child=lambda: tell("forked"),
    )
