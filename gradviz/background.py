"""Processes behind the window stand back for it: with few processors, an even share would leave it waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

NICE = 3
# Where priorities are given when a process is started; no window of its own either.
CREATION_FLAGS: int = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)


def stand_back() -> None:
    """This process takes what others leave; called by itself, as it starts."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        os.nice(NICE)
    if os.getsid(0) == os.getpid():  # Linux shares by sessions first, and this one leads its own
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(NICE), encoding="ascii")
