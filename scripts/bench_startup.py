"""How long a person waits for the window: process start to first paint, beside an empty QMainWindow.

Each start is a process of its own. What watches for the paint is the same on both sides, and is installed where both
hand over to Qt's event loop.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench_measure import Measured, interleave, median_of, ratio_of

# Runs in the child before the program: at exec() it waits for the first paint of a main window, tells, and quits.
WATCH = """
import json, sys
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

class FirstPaint(QObject):
    seen = False
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow) and not self.seen:
            self.seen = True
            QTimer.singleShot(0, self.tell)  # after this paint, its children's included
        return False
    def tell(self):
        frameworks = [name for name in ("torch", "autograd", "tensorflow") if name in sys.modules]
        print(json.dumps({"frameworks": frameworks}), flush=True)
        QApplication.instance().exit(0)

original = QApplication.exec
def exec_watched(*_):
    watcher = FirstPaint()
    QApplication.instance().installEventFilter(watcher)
    for window in QApplication.topLevelWidgets():
        if isinstance(window, QMainWindow):
            window.update()
    return original()
QApplication.exec = exec_watched
"""
EMPTY = """
app = QApplication(sys.argv)
window = QMainWindow()
window.resize(1440, 900)
window.show()
sys.exit(QApplication.exec())
"""
FULL = """
from gradviz.cli.main import main
sys.argv = ["gradviz"]
sys.exit(main())
"""
LIMIT = 60  # seconds; a start that takes longer has failed


def rows(rounds: int) -> list[Measured]:
    """The ratio, both times for information, and what the window had imported by then."""
    frameworks: set[str] = set()
    with tempfile.TemporaryDirectory() as home:
        variants = {"empty": partial(_start, EMPTY, home, set()), "full": partial(_start, FULL, home, frameworks)}
        for variant in variants.values():  # warm: file cache, compiled modules
            variant()
        times = interleave(variants, rounds)
    return [
        ratio_of("startup.first_paint", times["full"], times["empty"]),
        Measured("startup.frameworks", len(frameworks), "count"),
        median_of("startup.first_paint.empty", "ms", [1000 * seconds for seconds in times["empty"]]),
        median_of("startup.first_paint.full", "ms", [1000 * seconds for seconds in times["full"]]),
    ]


def _start(program: str, home: str, frameworks: set[str]) -> float:
    """Seconds from starting the process to its word that the first paint is done."""
    folders = dict.fromkeys(("HOME", "GRADVIZ_CONFIG_HOME", "GRADVIZ_DATA_HOME"), home)
    environment = {**os.environ, **folders, "QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": f"{home}/compiled"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a person's second start finds the modules compiled
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", WATCH + program],
        stdout=subprocess.PIPE, env=environment, cwd=Path(__file__).parent, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - start
        process.wait(LIMIT)
    if not line:
        raise RuntimeError(f"no first paint; the process ended with {process.returncode}")
    frameworks.update(json.loads(line)["frameworks"])
    return seconds
