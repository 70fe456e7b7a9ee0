"""How long a large recording takes to open: from the wish to the first picture that can be read, in the whole window.

Fifty thousand nodes in one pass, and a million steps in a long run of passes that all differ.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the builders of recordings stand in tests/

from bench_canvas import LOAD_LIMIT, passed, unrolled, wait_until
from bench_measure import Measured, median_of
from PySide6.QtWidgets import QApplication

from gradviz.document.places import CONFIG_VARIABLE, DATA_VARIABLE
from gradviz.document.settings import Settings
from gradviz.gui.app import make_application, make_window, warm_up
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.collector import Collector
from gradviz.gui.window import Window
from tests.builders import TraceBuilder

SAMPLED = 0.02  # seconds between two looks at the memory
PASSES, LONG = 500, 2000  # of the run of a million steps: passes, steps of each


def rows(rounds: int) -> list[Measured]:
    """Each recording is opened in a window of its own, `rounds` / 5 times."""
    with tempfile.TemporaryDirectory() as folder:
        for variable in (CONFIG_VARIABLE, DATA_VARIABLE):  # nothing of the person's own is read or written
            os.environ[variable] = str(Path(folder) / variable.lower())
        application = make_application()
        collector = Collector(application)  # as the app does
        try:
            large = unrolled(Path(folder) / "large.gradviz", 50_000)
            with Family() as before:
                pass
            with Family() as family:  # a second opening finds the first one's memory, and asks for little more
                opened = [_opened(application, large)]
            opened += [_opened(application, large) for _ in range(max(rounds // 5, 1) - 1)]
            long = training(Path(folder) / "long.gradviz", PASSES, LONG)
            long_opened = [_opened(application, long) for _ in range(max(rounds // 5, 1))]
        finally:
            collector.stop()
        return [
            median_of("open.50k.first_picture", "s", opened),
            Measured("open.50k.memory", family.peak, "MB", None),
            Measured("open.50k.memory_before", before.peak, "MB", None),
            median_of("open.1m.first_picture", "s", long_opened),
        ]


def _opened(application: QApplication, recording: Path) -> float:
    """Seconds from the wish to the painted canvas."""
    window, _ = make_window(application, Settings())
    ready: list[bool] = []
    try:
        window.resize(1440, 900)
        window.show()
        warm_up(lambda: window.post(lambda: ready.append(True)))
        wait_until(lambda: bool(ready), LOAD_LIMIT)
        window.ready()
        wait_until(passed(2.0), 5)
        began = time.perf_counter()
        window.open_path(recording)
        wait_until(lambda: _painted(window), LOAD_LIMIT)
        return time.perf_counter() - began
    finally:
        window.close()
        window.close_everything()


def _painted(window: Window) -> bool:
    canvas = window.centre.canvas
    return isinstance(canvas, Canvas) and canvas.loaded is not None and canvas.view.pixels.renders > 0


class Family:
    """The peak, in MB, of what this process and its children (layout, diagnosis) hold at one time."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Family:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        ended = False
        while not ended:
            ended = self._done.wait(SAMPLED)
            self.peak = max(self.peak, _held())


def _held() -> float:
    """MB in memory now; where the system tells of no process (not Linux), the peaks of all until now."""
    own = os.getpid()
    try:
        found = [own, *(int(pid) for task in _listed(f"/proc/{own}/task") for pid in _children(task))]
    except OSError:
        who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(resource.getrusage(each).ru_maxrss for each in who) / 1024
    return sum(map(_resident, found)) / 1024


def _listed(folder: str) -> list[Path]:
    return list(Path(folder).iterdir())


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text(encoding="ascii").split()
    except OSError:  # the thread has ended
        return []


def _resident(pid: int) -> int:
    """KB; 0 of a process that has ended, or is still a copy of this one, about to become another program."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        is_copy = pid != os.getpid() and _program(pid) == _program(os.getpid())
    except OSError:
        return 0
    line = next((each for each in status.splitlines() if each.startswith("VmRSS")), "")
    return int(line.split()[1]) if line and not is_copy else 0


def _program(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def training(path: Path, passes: int, length: int) -> Path:
    """A run whose every pass is another graph: chains of gradients of another shape each time."""
    trace = TraceBuilder(path, "/home/me/train.py", "for x in batches:\n    step(x).backward()\n")
    leaf = trace.leaf("w", [1], trace.at(1))
    for number in range(passes):
        one = trace.backward(trace.at(2))
        shape = [4, number + 1]
        nodes = [one.node("AccumulateGrad", [1], leaf=leaf)]
        for at in range(length - 1):
            nodes.append(one.node("MulBackward0", shape, to=[nodes[-1]], seq=at))
        one.root(nodes[-1], shape).seed(None)
        one.steps(nodes[::-1]).end()
    return trace.save()
