"""The layout's own process: reads requests from stdin, writes results to stdout, ends when stdin does.

Started as `python -m gradviz.layout.worker`. Imports numpy, networkx and graphviz only: never Qt, never a framework.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from typing import BinaryIO

from gradviz.background import stand_back
from gradviz.layout import wire
from gradviz.layout.model import Request
from gradviz.layout.table import run


def _end_with_children() -> None:
    """Leave at once, in the middle of an engine if need be, and take a running `dot` along."""
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _read_requests(stream: BinaryIO, inbox: queue.SimpleQueue[Request]) -> None:
    """In a thread, so that the end of stdin (the app has gone) is seen while an engine runs."""
    try:
        while (message := wire.receive(stream)) is not None:
            inbox.put(wire.request_of(*message))
    finally:
        _end_with_children()


def main() -> None:
    stand_back()
    # Engines written in C print to descriptor 1: it is led away, and the results take a copy of their own.
    outlet = os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    inbox: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, inbox), daemon=True).start()
    while True:
        result = run(inbox.get())
        try:
            wire.send_result(outlet, result)
        except BrokenPipeError:
            _end_with_children()


if __name__ == "__main__":
    main()
