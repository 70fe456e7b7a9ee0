"""A Windows job object: whatever a process starts ends with it. Not touched on other systems."""

from __future__ import annotations

import subprocess
import sys


class Job:
    """Holds a process and all its descendants."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._job: int | None = None
        if sys.platform == "win32":
            import ctypes
            from ctypes import wintypes

            kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            kernel.CreateJobObjectW.restype = wintypes.HANDLE
            job = kernel.CreateJobObjectW(None, None)
            if job and kernel.AssignProcessToJobObject(wintypes.HANDLE(job), wintypes.HANDLE(int(process._handle))):
                self._job = int(job)

    def end(self) -> None:
        """End all of them."""
        if sys.platform == "win32" and self._job is not None:
            import ctypes
            from ctypes import wintypes

            ctypes.WinDLL("kernel32").TerminateJobObject(wintypes.HANDLE(self._job), 1)
        self._process.kill()
