"""The recorder's end of the control channel: small JSON messages, and the lifeline. When it closes, the recorder
ends.

Its thread isn't one of `threading`'s, so the script doesn't see it there. It steps aside while the script forks (Python
warns of forks in a process with threads, and a bare run has none) and before the interpreter goes: up to Python 3.13
one that is just starting, or wakes, while the interpreter is taken down can crash the process.
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
        requests.send_with(self.send)

    def start(self) -> None:
        """Listen in a thread."""
        self._running.acquire()
        _thread.start_new_thread(self._listen, ())

    def step_aside(self) -> None:
        """End the thread, just before a fork or the end of the interpreter."""
        if not self._running.locked():
            return
        self._wake_writer.send_bytes(b"x")
        with self._running:
            pass
        if not sys.platform.startswith("linux"):
            sleep(THREAD_REST_SECONDS)
            return
        deadline = monotonic() + THREAD_END_SECONDS
        while Path(f"/proc/self/task/{self._native}").exists() and monotonic() < deadline:
            sleep(0)

    def send(self, message: dict[str, Any]) -> None:
        """Never raises."""
        with contextlib.suppress(OSError, ValueError), self._sending:
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
        if self._wake_reader in wait([self._connection, self._wake_reader]):
            self._wake_reader.recv_bytes()
            return False
        try:
            message = loads(self._connection.recv_bytes(LARGEST_MESSAGE))
        except (EOFError, OSError):
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
