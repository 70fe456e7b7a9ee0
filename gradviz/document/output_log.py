"""Keeps what the script prints: the first and the last MiB of a flood, the rest is counted."""

from __future__ import annotations

import collections
import threading
import time
from dataclasses import dataclass, field

from gradviz.trace.writer import TraceWriter

HEAD_BYTES = 1 << 20
TAIL_BYTES = 1 << 20
COMMIT_SECONDS = 0.25
PIECE_BYTES = 1 << 16


class OutputLog:
    """Fed by the threads that read the script's stdout and stderr; bounded memory, few rows, few transactions.

    What arrives within COMMIT_SECONDS on one stream, with nothing on the other in between, becomes one row.
    """

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._lock = threading.Lock()
        self._head_left = HEAD_BYTES
        self._piece = Piece("", 0.0)
        self._tail: collections.deque[Piece] = collections.deque()
        self._tail_size = 0
        self._committed = time.monotonic()
        self.dropped = 0  # bytes left out between head and tail

    def add(self, stream: str, data: bytes) -> None:
        """A chunk that arrived now on `stdout` or `stderr`."""
        with self._lock:
            head, rest = data[: self._head_left], data[self._head_left :]
            if head:
                self._head_left -= len(head)
                self._join(stream, head)
            if rest:
                self._keep_tail(stream, rest)
            due = bool(self._piece.data) and time.monotonic() - self._committed > COMMIT_SECONDS
            if due:
                self._committed = time.monotonic()
                self._write_piece()
        if due:
            self._writer.commit()

    def close(self) -> None:
        """No more comes: write the tail. The caller commits."""
        with self._lock:
            self._write_piece()
            for piece in self._tail:
                self._piece = piece
                self._write_piece()
            self._tail.clear()
            if self.dropped:
                self._writer.update("run", 0, dropped_output=self.dropped)

    def _join(self, stream: str, data: bytes) -> None:
        if self._piece.stream != stream:
            self._write_piece()
            self._piece = Piece(stream, time.time())
        self._piece.data += data

    def _write_piece(self) -> None:
        piece, self._piece = self._piece, Piece("", 0.0)
        if piece.data:
            self._writer.add("output", stream=piece.stream, time=piece.time, data=bytes(piece.data))

    def _keep_tail(self, stream: str, data: bytes) -> None:
        if not self._tail or self._tail[-1].stream != stream or len(self._tail[-1].data) >= PIECE_BYTES:
            self._tail.append(Piece(stream, time.time()))
        self._tail[-1].data += data
        self._tail_size += len(data)
        while self._tail_size > TAIL_BYTES:
            first, excess = self._tail[0].data, self._tail_size - TAIL_BYTES
            gone = min(excess, len(first))
            del first[:gone]
            if not first:
                self._tail.popleft()
            self._tail_size -= gone
            self.dropped += gone


@dataclass
class Piece:
    """Neighbouring output of one stream."""

    stream: str
    time: float
    data: bytearray = field(default_factory=bytearray)
