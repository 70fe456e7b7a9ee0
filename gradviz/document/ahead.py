"""Opens a recording in a thread, and reads there what the window asks for as soon as it shows it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.errors import GradvizError

if TYPE_CHECKING:  # it brings what the first paint doesn't wait for
    from gradviz.trace.reader import Trace

Post = Callable[[Callable[[], object]], None]


class Ahead:
    """The newest wish counts: what an older one read is closed."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._wish = 0
        self._threads: list[threading.Thread] = []
        self._read: dict[int, Trace | None] = {}  # by wish, until it is handed over

    def start(self, path: Path, done: Callable[[Trace | None], object]) -> None:
        """`done` is called on the window's thread; with None where the recording can't be opened."""
        self.forget()
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=self._work, args=(path, self._wish, done), name="reading", daemon=True)
        self._threads.append(thread)
        thread.start()

    def forget(self) -> None:
        """Nobody wants the last one any more."""
        self._wish += 1

    def close(self) -> None:
        """The window closes: wait for the threads, and close what nobody took."""
        self.forget()
        for thread in self._threads:
            thread.join()
        for trace in self._read.values():
            if trace is not None:
                trace.close()
        self._read.clear()

    def _work(self, path: Path, wish: int, done: Callable[[Trace | None], object]) -> None:
        try:
            self._read[wish] = opened(path)
        finally:
            self._post(partial(self._deliver, wish, done))

    def _deliver(self, wish: int, done: Callable[[Trace | None], object]) -> None:
        trace = self._read.pop(wish, None)
        if wish == self._wish:
            done(trace)
        elif trace is not None:
            trace.close()


def opened(path: Path) -> Trace | None:
    """None where it can't be opened: who then opens it in earnest is told why."""
    from gradviz.trace.reader import Trace

    try:
        trace = Trace(path)
    except (GradvizError, OSError):
        return None
    try:
        read_first(trace)
    except GradvizError:
        pass  # a damaged part: told by whatever shows it
    except BaseException:  # passed on: this thread ends with it
        trace.close()
        raise
    return trace


def read_first(trace: Trace) -> None:
    """The small tables, the first pass whole, and what its lines made; the reader keeps all of it."""
    from gradviz.document.pass_facts import PassFacts
    from gradviz.document.source_index import index_of

    trace.run()
    for read in (trace.modules, trace.leaves, trace.exceptions, trace.notes):
        read()
    passes = trace.passes()
    if passes:
        index = index_of(PassFacts(trace, passes[0].id))
        for source in trace.sources():
            index.shapes(source)
