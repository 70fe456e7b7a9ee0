"""What the recorder of every framework has: the run's session, its numbers, and one state for each thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from gradviz.record.frontend import Session
from gradviz.record.oplog import OpLog

State = TypeVar("State")


class FrameworkRecorder(Generic[State]):
    """Where the parts of a framework's recorder find each other. `new_state` makes a thread's, from its number."""

    def __init__(self, session: Session, new_state: Callable[[int], State]) -> None:
        self.session = session
        self.writer = session.writer
        self.frames = session.frames
        self.op_numbers = session.op_numbers
        self.pass_numbers = session.pass_numbers
        self.threads: dict[int, State] = {}
        self.overflow: Callable[[OpLog], None] = lambda log: None  # passstore.PassStore.overflow
        self._local = threading.local()
        self._new_state = new_state

    def state(self) -> State:
        """The present thread's state."""
        found: State | None = getattr(self._local, "state", None)
        if found is None:
            number = self.session.thread_number()
            found = self._local.state = self.threads[number] = self._new_state(number)
        return found
