"""How long a large recording takes to open: from the wish to the first picture that can be read, in the whole window.

Fifty thousand nodes in one pass, and a million steps in a long run of passes that all differ.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
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
            empty = _peak()
            opened = [_opened(application, large) for _ in range(max(rounds // 5, 1))]
            grown = _peak()
            long = training(Path(folder) / "long.gradviz", PASSES, LONG)
            long_opened = [_opened(application, long) for _ in range(max(rounds // 5, 1))]
        finally:
            collector.stop()
        return [
            median_of("open.50k.first_picture", "s", opened),
            Measured("open.50k.memory", grown, "MB", None),
            Measured("open.50k.memory_before", empty, "MB", None),
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


def _peak() -> float:
    """Peak of this process and of its largest child (layout, diagnosis), MB."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(each).ru_maxrss for each in who) / 1024


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
