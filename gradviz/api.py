"""For programs: record a part of what they do, or look at a tensor's graph.

    with gradviz.recording("run.gradviz"):
        loss.backward()

    gradviz.show(loss)

Reached as attributes of `gradviz`, which itself imports nothing.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from gradviz.document.recordings import Recordings
from gradviz.document.supervisor import own_version
from gradviz.errors import NotStartedError
from gradviz.record.inprocess import PartialRecording
from gradviz.record.showing import run_backward_for_a_look


class Recording:
    """A context manager that records this process, in all its threads, into a .gradviz file.

    `level` and `passes` are those of the command line: shapes | summaries | values, and all | first | last | "0,4". An
    error that leaves the block is recorded and goes on. Raises NotStartedError where the file can't be written.
    """

    def __init__(self, path: str | os.PathLike[str], *, level: str = "summaries", passes: str = "all") -> None:
        self.path = Path(path).absolute()
        self._recording = PartialRecording(self.path, level, passes, own_version())

    def __enter__(self) -> Recording:
        try:
            self._recording.begin(sys._getframe(1))
        except (OSError, sqlite3.Error) as error:
            raise NotStartedError(f"{self.path} can't be written: {error}.") from error
        return self

    def __exit__(self, kind: object, error: BaseException | None, tb: object) -> None:
        self._recording.end(error)


recording = Recording


def show(tensor: Any, seed: Any = None) -> Path:
    """Open a window on the graph behind `tensor`; its graph and all `.grad` stay as they are.

    Backward runs once with `seed`, or with ones. Returns the recording's path. The forward calls were made before, so
    the nodes have no source lines: use `recording` around the forward for those.
    """
    path = Recordings().new_path("shown")
    with Recording(path):
        run_backward_for_a_look(tensor, seed)
    subprocess.Popen([sys.executable, "-m", "gradviz", str(path)], stdin=subprocess.DEVNULL, start_new_session=True)
    return path
