"""Records a part of the process that it runs in: what `gradviz.recording` does, in notebooks, tests and benchmarks."""

from __future__ import annotations

import sqlite3
import sys
import warnings
from collections.abc import Iterator, Mapping
from json import dumps
from os import getpid
from pathlib import Path
from time import monotonic
from time import time as now
from types import FrameType
from typing import Any

from gradviz.errors import GradvizError
from gradviz.record.passes import chosen_passes
from gradviz.record.session import RecorderSession


class FrameNames(Mapping[str, Any]):
    """The names that a running frame sees, looked up when they are asked for."""

    def __init__(self, frame: FrameType) -> None:
        self._frame = frame

    def __getitem__(self, name: str) -> Any:
        found = self._frame.f_locals
        return found[name] if name in found else self._frame.f_globals[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._frame.f_globals, **self._frame.f_locals})

    def __len__(self) -> int:
        return sum(1 for _ in self)


class PartialRecording:
    """One recording from `begin` to `end`. Raises GradvizError where one goes on already, OSError for the file."""

    def __init__(self, path: Path, level: str, passes: str, version: str) -> None:
        self.path = path
        self._level = level
        self._passes = chosen_passes(passes)
        self._version = version
        self._session: RecorderSession | None = None
        self._began = 0.0

    def begin(self, frame: FrameType) -> None:
        """Record from now on; `frame` is the caller's, for the names of its variables."""
        if RecorderSession.active is not None:
            raise GradvizError("This process is being recorded already; one recording at a time.")
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        file = frame.f_code.co_filename
        session = RecorderSession(str(self.path), self._level, self._passes, file)
        session.writer.add(
            "run",
            id=0,
            gradviz=self._version,
            target=file,
            script=file if Path(file).is_file() else None,
            function=frame.f_code.co_name if frame.f_code.co_name != "<module>" else None,
            arguments=dumps(sys.argv[1:]),
            cwd=str(Path.cwd()),
            interpreter=sys.executable,
            python="",
            framework="",
            platform=sys.platform,
            level=self._level,
            started=now(),
            status="recording",
        )
        session.script_names = FrameNames(frame)
        self._session, self._began = session, monotonic()
        session.begin(own_process=False)

    def end(self, error: BaseException | None) -> None:
        """Undo every patch and make the file whole."""
        session, self._session = self._session, None
        if session is None or session.pid != getpid():
            return
        if error is not None:
            session.uncaught(error, "user")
        status = "ok" if error is None else "raised"
        session.writer.update("run", 0, status=status, seconds=monotonic() - self._began)
        trouble: object = None
        try:
            session.end(error, alone=True)
        except (sqlite3.Error, OSError) as fault:  # the script goes on; what was committed stays readable as it is
            trouble = fault
        finally:
            session.script_names = {}
        trouble = session.writer.failure or trouble
        if trouble:
            warnings.warn(f"gradviz could not finish the recording {self.path}: {trouble}.", stacklevel=3)
