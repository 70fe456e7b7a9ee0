"""The app's side of the layout's own process: submit, replace, cancel, a time limit, and a result in any case.

Engines hold the interpreter for seconds, may run away and may crash; so none runs in the app. Each submission is served
by a thread of its own ("gradviz-layout"), which starts a child if none is idle, sends, waits, and hands the result to
`on_done` ON THAT THREAD (a window marshals it to its own) or keeps it for `poll`. Only the newest submission reports.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gradviz.background import CREATION_FLAGS
from gradviz.layout import wire
from gradviz.layout.checks import check
from gradviz.layout.model import Request, Result

WORKER = (sys.executable, "-m", "gradviz.layout.worker")
_SIMPLE_LIMIT = 60.0  # seconds; the simple layout takes about one at 50,000 nodes
_LARGE = 20_000  # nodes; above, the time limit grows in proportion
_ROOT = Path(__file__).parents[2]  # the child's folder: no file beside a user's script is imported for ours


class Child:
    """One worker process. `kill` may come from any thread, at any time, more than once."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            start_new_session=True,  # a group of its own: killed together with the `dot` it runs
            creationflags=CREATION_FLAGS,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Request) -> Result:
        """Raises WireError or OSError where the child ends before it has answered."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        wire.send_request(stdin, request)
        message = wire.receive(stdout)
        if message is None:
            raise wire.WireError("the layout process ended")
        return wire.result_of(*message)

    def kill(self) -> None:
        if self._process.poll() is None:
            if sys.platform == "win32":
                self._process.kill()
            else:
                with contextlib.suppress(ProcessLookupError):  # it ended by itself in between
                    os.killpg(self._process.pid, signal.SIGKILL)

    def reap(self) -> None:
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):  # bytes of an unread request were still in the buffer
                stream.close()


@dataclass
class _Job:
    request: Request
    tag: object
    child: Child | None = None
    dropped: bool = False  # replaced, cancelled or closed: nobody waits for it any more
    late: bool = False  # the time limit struck
    thread: threading.Thread | None = field(default=None, repr=False)


class LayoutProcess:
    """Holds at most one warm child. All methods return at once and may be called from any thread."""

    def __init__(
        self, on_done: Callable[[object, Result], None] | None = None, command: Sequence[str] = WORKER
    ) -> None:
        self._on_done = on_done
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._job: _Job | None = None
        self._idle: Child | None = None
        self._threads: set[threading.Thread] = set()
        self._results: queue.SimpleQueue[tuple[object, Result]] = queue.SimpleQueue()
        self._closed = False

    @property
    def busy(self) -> bool:
        return self._job is not None

    def submit(self, request: Request, tag: object = None) -> None:
        """Arrange this and drop what is unfinished, with its child. ValueError where the request makes no sense."""
        check(request)
        job = _Job(request, tag)
        thread = threading.Thread(target=self._serve, args=(job,), name="gradviz-layout", daemon=True)
        job.thread = thread
        with self._lock:
            if self._closed:
                raise RuntimeError("submit after close")
            self._drop()
            self._job = job
            self._threads.add(thread)
        thread.start()

    def cancel(self) -> None:
        with self._lock:
            self._drop()

    def poll(self) -> tuple[object, Result] | None:
        """The newest finished (tag, result), once; None where there is none. Only without `on_done`."""
        newest = None
        while True:
            try:
                newest = self._results.get_nowait()
            except queue.Empty:
                return newest

    def wait(self) -> None:
        """Block until what was submitted has been delivered or dropped. Not from a callback."""
        with self._lock:
            job = self._job
        if job is not None and job.thread is not None:
            job.thread.join()

    def close(self) -> None:
        """End the child and wait for the threads (a callback may be running on one: hold no lock that it takes)."""
        with self._lock:
            self._closed = True
            self._drop()
            idle, self._idle = self._idle, None
            threads = [thread for thread in self._threads if thread is not threading.current_thread()]
        if idle is not None:
            idle.reap()
        for thread in threads:
            thread.join()

    def __enter__(self) -> LayoutProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drop(self) -> None:
        """With the lock held: forget the running submission, if there is one."""
        job, self._job = self._job, None
        if job is not None:
            job.dropped = True
            if job.child is not None:
                job.child.kill()

    def _serve(self, job: _Job) -> None:
        """The thread of one submission."""
        try:
            result = self._result(job)
            with self._lock:
                wanted = result is not None and self._job is job
                if wanted:
                    self._job = None
            if wanted and result is not None:
                if self._on_done is not None:
                    self._on_done(job.tag, result)
                else:
                    self._results.put((job.tag, result))
            self._keep_warm()
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _result(self, job: _Job) -> Result | None:
        options = job.request.options
        limit = options.time_limit * max(1.0, len(job.request.widths) / _LARGE)
        result = self._ask(job, job.request, limit)
        if result is not None or job.dropped:
            return result
        if job.late:
            note = f"Arranging took over {limit:g} s, so the simple layout took over."
        else:
            note = "The layout process ended before it had finished, so the simple layout took over."
        plain = replace(job.request, options=replace(options, engine="simple"))
        result = self._ask(job, plain, _SIMPLE_LIMIT)
        if result is None and not job.dropped:
            # No child can be had at all. Imported here because networkx would delay every start of the window.
            from gradviz.layout.simple import SimpleEngine

            result = SimpleEngine().arrange(plain)
        return None if result is None else replace(result, note=note)

    def _ask(self, job: _Job, request: Request, limit: float) -> Result | None:
        """The answer of a child; None where it was killed, late, or crashed."""
        try:
            child = self._take(job)
        except OSError:  # no process can be started (memory, limits)
            return None
        timer = threading.Timer(limit, self._strike, (job, child))
        timer.daemon = True
        timer.start()
        result = None
        try:
            with contextlib.suppress(OSError, wire.WireError):
                result = child.ask(request)
        finally:
            timer.cancel()
            with self._lock:
                job.child = None
                kept = (
                    result is not None
                    and len(request.widths) <= _LARGE  # a child that has been large stays large
                    and not job.dropped
                    and not self._closed
                    and self._idle is None
                    and child.alive()
                )
                if kept:
                    self._idle = child
            if not kept:
                child.reap()
        return result

    def _take(self, job: _Job) -> Child:
        with self._lock:
            child, self._idle = self._idle, None
        if child is not None and not child.alive():
            child.reap()
            child = None
        if child is None:
            child = Child(self._command)
        with self._lock:
            job.child = child
            if job.dropped:
                child.kill()
        return child

    def _strike(self, job: _Job, child: Child) -> None:
        with self._lock:
            if job.child is child:
                job.late = True
                child.kill()

    def _keep_warm(self) -> None:
        """After a kill: have the next child import numpy before it is needed."""
        with self._lock:
            needed = not self._closed and self._idle is None and self._job is None
        if not needed:
            return
        try:
            child = Child(self._command)
        except OSError:
            return
        with self._lock:
            kept = not self._closed and self._idle is None
            if kept:
                self._idle = child
        if not kept:
            child.reap()


def arrange(request: Request, command: Sequence[str] = WORKER) -> Result:
    """Arrange in a child process and wait; the time limit and the fall-back hold here, too."""
    results: list[Result] = []
    with LayoutProcess(lambda _tag, result: results.append(result), command) as process:
        process.submit(request)
        process.wait()
    return results[0]
