"""Threads that read a process's output as it comes."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import IO

CHUNK = 1 << 16


def pump(pipe: IO[bytes] | None, name: str, received: Callable[[str, bytes], None]) -> threading.Thread:
    """Read `pipe` to its end in a thread; `received(name, chunk)` gets whatever has arrived."""

    def read() -> None:
        assert pipe is not None
        with contextlib.suppress(OSError), pipe:
            while chunk := os.read(pipe.fileno(), CHUNK):
                received(name, chunk)

    thread = threading.Thread(target=read, name=f"gradviz {name}", daemon=True)
    thread.start()
    return thread
