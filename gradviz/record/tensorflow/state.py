"""What the parts of the TensorFlow recorder share: one Recorder for the run, one ThreadState for each thread."""

from __future__ import annotations

import itertools
from typing import Any

from gradviz.record.frontend import Session
from gradviz.record.oplog import OpLog
from gradviz.record.recorder import FrameworkRecorder
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


class Recorder(FrameworkRecorder[ThreadState]):
    """The run's recorder: where its parts find each other."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ThreadState)
        self.values = Values(session.writer)
        self.node_numbers = itertools.count()
        self.call_numbers = itertools.count()

    def user_place(self, frame: Any) -> tuple[str, int] | None:
        """File and line of the innermost frame of the person's."""
        while frame is not None:
            if self.frames.is_user(frame.f_code):
                return str(frame.f_code.co_filename), int(frame.f_lineno)
            frame = frame.f_back
        return None
