"""The app's end of the control channel: small JSON messages to a running recorder, and the lifeline it hangs on."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

LARGEST_MESSAGE = 1 << 20
LONGEST_SOCKET_PATH = 100  # the system's limit is 104 or 108


class ControlChannel:
    """Listens for one recorder. `heard(message)` is called in a thread of the channel's."""

    def __init__(self, folder: Path, heard: Callable[[dict[str, Any]], None]) -> None:
        self.authkey = secrets.token_bytes(32)
        self._heard = heard
        self._connection: Connection | None = None
        self._sending = threading.Lock()
        self._early: list[dict[str, Any]] = []
        self._listener = Listener(_address(folder), authkey=self.authkey)
        self._thread = threading.Thread(target=self._serve, name="gradviz control channel", daemon=True)
        self._thread.start()

    @property
    def address(self) -> Any:
        """For the recorder's `Client`: a path, or a host and port."""
        return self._listener.address

    def send(self, message: dict[str, Any]) -> None:
        """Sent when the recorder has connected; lost when it has gone. Never raises."""
        with self._sending:
            if self._connection is None:
                self._early.append(message)
                return
            with contextlib.suppress(OSError, ValueError):
                self._connection.send_bytes(json.dumps(message).encode())

    def close(self) -> None:
        """The recorder has ended, or shall end now."""
        with self._sending:
            connection = self._connection
        if connection is None:  # still waiting in accept: the thread is let go by a caller without the key
            with contextlib.suppress(OSError, EOFError, AuthenticationError):
                Client(self.address).close()
        else:
            with contextlib.suppress(OSError):
                connection.close()
        with contextlib.suppress(OSError):
            self._listener.close()

    def _serve(self) -> None:
        try:
            connection = self._listener.accept()
        except (OSError, EOFError, AuthenticationError):
            return
        with self._sending:
            self._connection = connection
        for message in self._early:
            self.send(message)
        with contextlib.suppress(OSError, EOFError, ValueError):
            while True:
                message = json.loads(connection.recv_bytes(LARGEST_MESSAGE))
                if isinstance(message, dict):
                    self._heard(message)


def _address(folder: Path) -> Any:
    """A socket in the recording's own folder, which only this user may enter; a local port where paths are too long
    for one.
    """
    if sys.platform == "win32":
        return None
    path = os.fspath(folder / "control")
    return path if len(os.fsencode(path)) < LONGEST_SOCKET_PATH else ("127.0.0.1", 0)
