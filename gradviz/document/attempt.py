"""Tries a fix: a second recorder runs the script again in the same surroundings, with the seed replaced at that call.

The recording of it lies in a temporary folder until it is judged. The script's files and the first recording stay as
they are; what the script itself does besides, it does again, and whoever asks for this has to be told.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO

from gradviz.diagnose.finding import SeedRewrite
from gradviz.document.examiner import Examiner
from gradviz.document.run_request import RunRequest
from gradviz.document.supervisor import Outcome, Stdin, Supervisor
from gradviz.document.trial import Trial, judged, not_run
from gradviz.errors import GradvizError, NotStartedError, TraceError


def _until_it_ends(supervisor: Supervisor) -> Outcome | None:
    return supervisor.wait()


class Attempt:
    """One second run. `run` belongs to one thread, `stop` may come from any other, at any time."""

    def __init__(
        self,
        request: RunRequest,
        rewrite: SeedRewrite,
        *,
        stdin: Stdin | IO[bytes] = Stdin.NONE,
        started: Callable[[Supervisor], object] = lambda supervisor: None,
        wait: Callable[[Supervisor], Outcome | None] = _until_it_ends,
    ) -> None:
        """`request` is the first run's; `started` may begin to write into the script's stdin."""
        self._request, self._rewrite, self._stdin = request, rewrite, stdin
        self._started, self._wait = started, wait
        self._examiner = Examiner()
        self._lock = threading.Lock()
        self._stopped = False
        self._supervisor: Supervisor | None = None

    def run(self) -> Trial:
        """Blocks until the script has ended, or was stopped. What goes wrong is told by the trial."""
        try:
            with tempfile.TemporaryDirectory(prefix="gradviz-try-", ignore_cleanup_errors=True) as folder:
                return self._run_in(Path(folder))
        except OSError as error:
            return not_run(self._rewrite, f"no temporary folder can be made: {error.strerror or error}.")

    def stop(self) -> None:
        """End the script, its children included."""
        with self._lock:
            self._stopped = True
            supervisor = self._supervisor
        if supervisor is not None:
            supervisor.stop()

    def abandon(self) -> None:
        """Stop it; nobody wants the answer any more."""
        self._examiner.stop()
        self.stop()

    def _run_in(self, folder: Path) -> Trial:
        level = "summaries" if self._request.level == "values" else self._request.level
        request = replace(
            self._request, trace=folder / "tried.gradviz", rewrite=self._rewrite, level=level, passes="all"
        )
        supervisor = Supervisor(request, stdin=self._stdin)
        try:
            supervisor.start()
            with self._lock:
                self._supervisor = supervisor
            if self._stopped:
                supervisor.stop()
            self._started(supervisor)
            outcome = self._wait(supervisor)
            if outcome is None:
                raise NotStartedError("The run ended without an outcome.")
            return judged(self._rewrite, outcome, request.timeout, self._examiner.findings)
        except TraceError as error:
            return not_run(self._rewrite, f"the second recording can't be read: {error}")
        except GradvizError as error:
            return not_run(self._rewrite, str(error))
