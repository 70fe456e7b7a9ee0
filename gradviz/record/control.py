"""The recorder's end of the control channel: small JSON messages, and the lifeline. When it closes, the recorder
ends.

Its thread isn't one of `threading`'s, so the script doesn't see it there. It steps aside while the script forks (Python
warns of forks in a process with threads, and a bare run has none) and before the interpreter goes: up to Python 3.13
one that is just starting, or wakes, while the interpreter is taken down can crash the process.

A program that closed the descriptors has cut the channel: it goes on unheard, and nothing is read from, written to or
closed under their numbers again.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from json import dumps, loads
from multiprocessing.connection import Client, Connection, Pipe, wait
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from gradviz.record.requests import RequestQueue
from gradviz.trace.descriptors import OwnDescriptors, make_immortal

LARGEST_MESSAGE = 1 << 20
THREAD_END_SECONDS = 0.2  # the lock goes a moment before the thread itself
THREAD_REST_SECONDS = 0.002  # for that moment, where threads can't be looked up


class Channel:
    """Connected from the start; `start` begins to listen. Raises OSError, EOFError or AuthenticationError."""

    def __init__(self, address: str, authkey: bytes, requests: RequestQueue, lost: Callable[[], None]) -> None:
        self._connection: Connection = Client(address, authkey=authkey)
        self._requests = requests
        self._lost = lost
        self._sending = _thread.allocate_lock()
        self._running = _thread.allocate_lock()  # held by the thread
        self._native = 0
        self._wake_reader, self._wake_writer = Pipe(duplex=False)
        self._ends = (self._connection, self._wake_reader, self._wake_writer)
        self._descriptors = OwnDescriptors(each.fileno() for each in self._ends)
        self._is_cut = False
        requests.send_with(self.send)

    def start(self) -> None:
        """Listen in a thread."""
        if self._is_whole() and self._running.acquire(blocking=False):
            _thread.start_new_thread(self._listen, ())

    def abandon(self) -> None:
        """Leave everything as it is, and never close it: in a forked child, or when the descriptors aren't ours."""
        if not self._is_cut:
            self._is_cut = True
            for each in self._ends:
                make_immortal(each)

    def _is_whole(self) -> bool:
        if not self._is_cut and not self._descriptors.are_ours():
            self.abandon()
        return not self._is_cut

    def step_aside(self) -> None:
        """End the thread, just before a fork or the end of the interpreter."""
        if not self._running.locked():
            return
        is_whole = self._is_whole()
        if is_whole:
            self._wake_writer.send_bytes(b"x")
        if not self._running.acquire(timeout=-1 if is_whole else THREAD_END_SECONDS):
            return  # as a rule it wakes by itself where its pipe was closed
        self._running.release()
        if not sys.platform.startswith("linux"):
            sleep(THREAD_REST_SECONDS)
            return
        deadline = monotonic() + THREAD_END_SECONDS
        while Path(f"/proc/self/task/{self._native}").exists() and monotonic() < deadline:
            sleep(0)

    def send(self, message: dict[str, Any]) -> None:
        """Never raises."""
        with contextlib.suppress(OSError, ValueError), self._sending:
            if self._is_whole():
                self._connection.send_bytes(dumps(message).encode())

    def _listen(self) -> None:
        self._native = _thread.get_native_id()
        try:
            while self._received():
                pass
        finally:
            self._running.release()

    def _received(self) -> bool:
        """Handle one message; False when it is time to end."""
        try:
            ready = wait([self._connection, self._wake_reader])
            if not self._is_whole():
                return False
            if self._wake_reader in ready:
                self._wake_reader.recv_bytes()
                return False
            message = loads(self._connection.recv_bytes(LARGEST_MESSAGE))
        except (EOFError, OSError):
            if self._is_whole():
                self._lost()
            return False
        except ValueError:  # not JSON: nothing that the app sends
            return True
        if isinstance(message, dict) and message.get("do") == "stop":
            _thread.interrupt_main()  # where signals can't be sent from outside
        elif isinstance(message, dict):
            self._requests.put(message)
        return True


def end_with_the_app(own_group: bool) -> None:
    """The app is gone: end this process, and its children where it leads a group of its own."""
    if sys.platform == "win32":
        os._exit(1)
    if own_group:
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
