"""Keeps what the script prints: the first and the last MiB of a flood, the rest is counted."""

from __future__ import annotations

import collections
import threading
import time

from gradviz.trace.writer import TraceWriter

HEAD_BYTES = 1 << 20
TAIL_BYTES = 1 << 20
COMMIT_SECONDS = 0.25


class OutputLog:
    """Fed by the threads that read the script's stdout and stderr; bounded memory, few transactions."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._lock = threading.Lock()
        self._head_left = HEAD_BYTES
        self._tail: collections.deque[tuple[str, float, bytes]] = collections.deque()
        self._tail_size = 0
        self._committed = 0.0
        self.dropped = 0  # bytes left out between head and tail

    def add(self, stream: str, data: bytes) -> None:
        """A chunk that arrived now on `stdout` or `stderr`."""
        moment = time.time()
        with self._lock:
            head, rest = data[: self._head_left], data[self._head_left :]
            if head:
                self._head_left -= len(head)
                self._writer.add("output", stream=stream, time=moment, data=head)
            if rest:
                self._keep_tail(stream, moment, rest)
            due = head and time.monotonic() - self._committed > COMMIT_SECONDS
            if due:
                self._committed = time.monotonic()
        if due:
            self._writer.commit()

    def _keep_tail(self, stream: str, moment: float, data: bytes) -> None:
        self._tail.append((stream, moment, data))
        self._tail_size += len(data)
        while self._tail_size > TAIL_BYTES:
            excess = self._tail_size - TAIL_BYTES
            first_stream, first_moment, first = self._tail.popleft()
            gone = min(excess, len(first))
            if gone < len(first):
                self._tail.appendleft((first_stream, first_moment, first[gone:]))
            self._tail_size -= gone
            self.dropped += gone

    def close(self) -> None:
        """No more comes: write the tail. The caller commits."""
        with self._lock:
            for stream, moment, data in self._tail:
                self._writer.add("output", stream=stream, time=moment, data=data)
            self._tail.clear()
            if self.dropped:
                self._writer.update("run", 0, dropped_output=self.dropped)
