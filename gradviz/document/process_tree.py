"""A process with all that it started: begun in a group of its own (a job object on Windows), ended as a whole."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from gradviz.document.windows_job import Job


class ProcessTree:
    """A running command. Raises OSError when it can't be started."""

    def __init__(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None, stdin: int | IO[Any] | None
    ) -> None:
        options: dict[str, Any] = {}
        if sys.platform == "win32":
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        else:
            options["start_new_session"] = True
        self.process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=None if environment is None else dict(environment),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        self._job = Job(self.process) if sys.platform == "win32" else None

    def interrupt(self) -> None:
        """Ask the main process to end, as Ctrl+C does; on Windows the control channel asks instead."""
        if sys.platform != "win32" and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End all of it at once: the group, and those descendants that left the group."""
        if self._job is not None:
            self._job.end()
            return
        strays = descendants(self.process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, as far as the system tells."""
    children: dict[int, list[int]] = {}
    for child, parent in _parents():
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _parents() -> list[tuple[int, int]]:
    """(process, its parent) of every process."""
    if not sys.platform.startswith("linux"):
        try:
            listed = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, timeout=2).stdout
        except (OSError, subprocess.TimeoutExpired):
            return []
        return [(int(child), int(parent)) for child, parent in (line.split() for line in listed.splitlines() if line)]
    pairs = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                state = Path(entry.path, "stat").read_bytes()
                pairs.append((int(entry.name), int(state.rpartition(b")")[2].split()[1])))
    return pairs


def reads_stdin(pid: int) -> bool:
    """Whether the process's main thread is waiting in a read of its standard input; False where the system doesn't
    tell.
    """
    read_calls = {"x86_64": "0", "aarch64": "63"}
    try:
        call = Path(f"/proc/{pid}/syscall").read_text(encoding="ascii").split()
    except OSError:
        return False
    return len(call) > 1 and call[0] == read_calls.get(os.uname().machine) and call[1] == "0x0"
