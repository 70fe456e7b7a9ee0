"""What the parts of the autograd recorder share: one Recorder for the run, one ThreadState for each thread."""

from __future__ import annotations

import itertools
from threading import get_ident
from typing import Any

from gradviz.record.frontend import Session
from gradviz.record.hips.values import Values
from gradviz.record.oplog import OpLog
from gradviz.record.recorder import FrameworkRecorder
from gradviz.trace.packing import FIRST_HIPS_VALUE


class ThreadState:
    """One thread's place in its traces and backward passes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.log = OpLog(number)
        self.outer_stack = -1  # where the innermost trace was called from
        self.passes: list[Any] = []  # passrecord.PassRecord that run in this thread, outermost first
        self.last_error = 0  # id of the exception that is on its way out and was told of


class Recorder(FrameworkRecorder[ThreadState]):
    """The run's recorder: where its parts find each other."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ThreadState)
        self.values = Values(session.writer)
        self.node_numbers = itertools.count(FIRST_HIPS_VALUE)  # of nodes, and of the values that they made
        self.by_ident: dict[int, ThreadState] = {}  # of threads that are alive
        self.runs: dict[int, Any] = {}  # ident of a thread -> the pass that runs in it, steps.Run
        self.roots_seen: set[int] = set()  # values that a backward was called from

    def state(self) -> ThreadState:
        """The present thread's state."""
        found = super().state()
        self.by_ident[get_ident()] = found
        return found

    def thread_began(self) -> None:
        """Idents are given out again when a thread has ended."""
        self.by_ident.pop(get_ident(), None)
        self.runs.pop(get_ident(), None)
