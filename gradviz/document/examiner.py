"""Has a recording diagnosed: a small one here, in the calling thread; a large one in a process of its own.

What holds the interpreter for long makes the window wait, in whichever thread it runs.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.background import CREATION_FLAGS
from gradviz.errors import GradvizError

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding
    from gradviz.trace.reader import Trace

WORKER = (sys.executable, "-m", "gradviz.diagnose.worker")
LARGE = 4000  # nodes and ops; so many take about as long as a process needs to start
_ROOT = Path(__file__).parents[2]  # the child's folder: no file beside a user's script is imported for ours


class Examiner:
    """One diagnosis, in a thread of the caller's. `stop` may come from any other, at any time."""

    def __init__(self, command: Sequence[str] = WORKER, large: int = LARGE) -> None:
        self._command, self._large = tuple(command), large
        self._lock = threading.Lock()
        self._stopped = False
        self._child: subprocess.Popen[bytes] | None = None

    def findings(self, path: Path, nodes: int = 0) -> tuple[Finding, ...]:
        """All findings; () after `stop`. Imports the rules and the reader (with numpy) only when called.

        `nodes`: as many as are known of; more than a few, and nothing is read here to find out how many there are.
        """
        from gradviz.trace.reader import Trace

        apart = nodes > self._large
        found = self._apart(path) if apart else None
        if found is None and not self._stopped:
            with Trace(path) as trace:
                if not apart and _work(trace) > self._large:
                    found = self._apart(path)
                if found is None and not self._stopped:
                    return _here(trace)
        return found or ()

    def stop(self) -> None:
        """Nobody wants the answer any more."""
        with self._lock:
            self._stopped = True
            if self._child is not None:
                self._child.kill()

    def _apart(self, path: Path) -> tuple[Finding, ...] | None:
        """None where the process can't be had, or ended before it had answered."""
        from gradviz.diagnose.parcel import unpacked

        with self._lock:
            if self._stopped:
                return None
            try:
                child = self._child = subprocess.Popen(
                    [*self._command, str(path)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=_ROOT,
                    creationflags=CREATION_FLAGS,
                )
            except OSError:  # no process can be started (memory, limits)
                return None
        told = child.communicate()[0]
        if child.returncode != 0:
            return None
        try:
            return unpacked(told.decode())
        except GradvizError:
            raise
        except ValueError:
            return None


def _work(trace: Trace) -> int:
    """How much there is to look at."""
    return len(trace.op_numbers()) + sum(each.nodes for each in trace.passes())


def _here(trace: Trace) -> tuple[Finding, ...]:
    from gradviz.diagnose.examination import diagnose

    return diagnose(trace)
