"""What the parts of the TensorFlow recorder share: one Recorder for the run, one ThreadState for each thread."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

from gradviz.record.frontend import Session
from gradviz.record.pytorch.oplog import OpLog
from gradviz.record.tensorflow.values import Values


class ThreadState:
    """One thread's place in its tapes, layers and backward passes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.log = OpLog(number)
        self.tapes: list[Any] = []  # tapes.TapeRecord that record in this thread, outermost first
        self.asked: list[Any] = []  # tapes.TapeRecord whose gradient() runs, outermost first
        self.passes: list[Any] = []  # passes.TapePass that run, outermost first
        self.run: Any = None  # steps.Run of the innermost one
        self.calls: list[Any] = []  # layers.OpenCall, outermost first
        self.call = -1  # number of the innermost one
        self.outer_stack = -1  # where that was called from
        self.callback: Any = None  # of TensorFlow's, as registered for this thread
        self.last_error = 0  # id of the exception that is on its way out and was told of


class Recorder:
    """The run's recorder: where its parts find each other."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.writer = session.writer
        self.frames = session.frames
        self.values = Values(session.writer)
        self.node_numbers = itertools.count()
        self.call_numbers = itertools.count()
        self.op_numbers = session.op_numbers
        self.pass_numbers = session.pass_numbers
        self.threads: dict[int, ThreadState] = {}
        self.overflow: Callable[[OpLog], None] = lambda log: None  # passstore.PassStore.overflow
        self._local = threading.local()

    def state(self) -> ThreadState:
        """The present thread's state."""
        found: ThreadState | None = getattr(self._local, "state", None)
        if found is None:
            found = ThreadState(self.session.thread_number())
            self._local.state = found
            self.threads[found.number] = found
        return found

    def user_place(self, frame: Any) -> tuple[str, int] | None:
        """File and line of the innermost frame of the person's."""
        while frame is not None:
            if self.frames.is_user(frame.f_code):
                return str(frame.f_code.co_filename), int(frame.f_lineno)
            frame = frame.f_back
        return None
