"""What the app asks of a running recorder, waiting to be taken between two nodes."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any


class RequestQueue:
    """Filled by the control channel's thread, emptied by the script's own. `waiting` is cheap to look at."""

    def __init__(self) -> None:
        self.waiting = False
        self._requests: collections.deque[dict[str, Any]] = collections.deque()
        self._send: Callable[[dict[str, Any]], None] = _nobody

    def put(self, request: dict[str, Any]) -> None:
        self._requests.append(request)
        self.waiting = True

    def take(self) -> dict[str, Any] | None:
        """The oldest, or None."""
        try:
            request = self._requests.popleft()
        except IndexError:
            return None
        finally:
            self.waiting = bool(self._requests)
        return request

    def answer(self, message: dict[str, Any]) -> None:
        """Tell the app. Never raises: an app that is gone is not the script's affair."""
        self._send(message)

    def send_with(self, send: Callable[[dict[str, Any]], None]) -> None:
        """Where answers go from now on."""
        self._send = send


def _nobody(message: dict[str, Any]) -> None:
    """No app listens."""
