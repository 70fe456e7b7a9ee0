"""How fast the canvas is at 20,000 nodes: a frame fitted and zoomed in, a step, the longest time it is silent.

The recording is an unrolled LSTM as torch records it, laid out by the app's own layout. Offscreen raster: no GPU helps.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the builders of recordings stand in tests/

from bench_measure import Measured, median_of
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gradviz.document.hub import Hub
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.theme import Theme
from gradviz.trace.reader import Trace
from tests.builders import TraceBuilder

NODES = 20_000
SIZE = (1600, 1030)  # the graph itself gets 1600 × 1000
LOAD_LIMIT = 120.0  # seconds


class Heart:
    """Beats whenever the event loop is free; the longest pause between two beats is the longest block."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.pauses.append(1000 * (now - self._last))
        self._last = now

    def stop(self) -> None:
        self._timer.stop()


def rows(rounds: int) -> list[Measured]:
    """One load; `rounds` frames and steps. Blocks are those of loading, stepping and zooming together."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication([])
    with tempfile.TemporaryDirectory() as folder, Trace(unrolled(Path(folder) / "unrolled.gradviz", NODES)) as trace:
        theme = Theme("light")
        theme.install(application)
        canvas = Canvas(Hub(), theme)
        try:
            return _measure(canvas, trace, application, rounds)
        finally:
            canvas.shut_down()


def _measure(canvas: Canvas, trace: Trace, application: QApplication, rounds: int) -> list[Measured]:
    canvas.resize(*SIZE)
    canvas.show()
    _wait_until(lambda: canvas.view.width() > 1000, 10)
    heart = Heart()
    began = time.perf_counter()
    canvas.hub.change(None, trace=trace, pass_id=trace.passes()[0].id, position=0)
    _wait_until(lambda: canvas.loaded is not None, LOAD_LIMIT)
    loaded = time.perf_counter() - began
    _wait_until(_passed(1.0), 5)
    canvas.open_all()
    _wait_until(lambda: canvas.loaded is not None and len(canvas.loaded.scene.draft) > NODES, LOAD_LIMIT)
    _wait_until(_passed(1.0), 5)
    for position in range(30):
        canvas.hub.change(None, position=position)
        _wait_until(_passed(0.01), 1)
    canvas.fit()
    _wait_until(_passed(0.3), 1)
    heart.stop()
    assert canvas.loaded is not None
    fitted = [_frame(canvas) for _ in range(rounds + 1)][1:]
    fitted_steps = _steps(canvas, application, 1000, rounds)
    canvas.zoom_reset()
    canvas.view.centre_on(canvas.view.states.current if canvas.view.states is not None else 0, glide=False, always=True)
    zoomed = [_frame(canvas) for _ in range(rounds + 1)][1:]
    panned = [_pan(canvas) for _ in range(rounds)]
    zoomed_steps = _steps(canvas, application, 2000, rounds)
    return [
        median_of("canvas.20k.frame_fitted", "ms", fitted),
        median_of("canvas.20k.frame_zoomed", "ms", zoomed),
        median_of("canvas.20k.step", "ms", fitted_steps + zoomed_steps),
        Measured("canvas.window.longest_block", max(heart.pauses), "ms", None),
        median_of("canvas.20k.pan", "ms", panned),
        median_of("canvas.20k.step_fitted", "ms", fitted_steps),
        median_of("canvas.20k.step_zoomed", "ms", zoomed_steps),
        Measured("canvas.20k.load", loaded, "s", None),
        Measured("canvas.20k.boxes", len(canvas.loaded.scene.draft), "count", None),
    ]


def _frame(canvas: Canvas) -> float:
    """A frame painted from nothing, ms."""
    canvas.view.pixels.forget()
    began = time.perf_counter()
    canvas.view.repaint()
    return 1000 * (time.perf_counter() - began)


def _pan(canvas: Canvas) -> float:
    """Moved by 30 px and painted, ms."""
    from dataclasses import replace

    view = canvas.view.view
    began = time.perf_counter()
    canvas.view.set_view(replace(view, y=view.y + 30 / view.zoom))
    canvas.view.repaint()
    return 1000 * (time.perf_counter() - began)


def _steps(canvas: Canvas, application: QApplication, first: int, rounds: int) -> list[float]:
    """From the changed position to the painted canvas, ms. The view doesn't glide: gliding is frames."""
    times = []
    gc.collect()
    for number in range(rounds + 3):
        began = time.perf_counter()
        canvas.hub.change(None, position=first + number)
        application.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        times.append(1000 * (time.perf_counter() - began))
        canvas.view.stop_glide()
    return times[3:]


def _wait_until(ready: Callable[[], bool], seconds: float) -> None:
    """Let the event loop run until it is so."""
    loop = QEventLoop()
    end = time.perf_counter() + seconds
    watch = QTimer()
    watch.setInterval(5)
    watch.timeout.connect(lambda: loop.quit() if ready() or time.perf_counter() > end else None)
    watch.start()
    loop.exec()
    watch.stop()
    if not ready():
        raise TimeoutError(f"the canvas wasn't ready after {seconds} s")


def _passed(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= end


def unrolled(path: Path, nodes: int) -> Path:
    """An LSTM cell called in a loop, with the nodes and edges that torch makes for each call of it."""
    trace = TraceBuilder(path, "/home/me/unrolled.py", "h, c = cell(x[t], (h, c))\n" * 12)
    line = trace.at(5)
    op = trace.op("lstm_cell", line, (), [(trace.value(), [4, 16])])
    one = trace.backward(trace.at(12))
    shapes = {"weight_ih": [64, 16], "weight_hh": [64, 16], "bias_ih": [64], "bias_hh": [64]}
    leaves = [
        one.node("AccumulateGrad", shape, leaf=trace.leaf(name, shape, trace.at(1))) for name, shape in shapes.items()
    ]
    made: list[int] = list(leaves)

    def node(name: str, shape: list[int], *to: int | tuple[int, int], more: int = 0) -> int:
        towards = [each for each in to if each != -1]
        made.append(one.node(name, shape, *[shape] * more, op=op, to=towards, seq=len(made)))
        return made[-1]

    hidden = cell = -1
    gates, state = [4, 64], [4, 16]
    while len(made) < nodes:
        given = node("AddmmBackward0", gates, leaves[2], node("TBackward0", [16, 64], leaves[0]))
        kept = node("AddmmBackward0", gates, leaves[3], hidden, node("TBackward0", [16, 64], leaves[1]))
        chunks = node("UnsafeChunkBackward0", state, node("AddBackward0", gates, given, kept), more=3)
        inner, forget, out = (node("SigmoidBackward0", state, (chunks, slot)) for slot in (0, 1, 3))
        product = node("MulBackward0", state, inner, node("TanhBackward0", state, (chunks, 2)))
        cell = node("AddBackward0", state, product, node("MulBackward0", state, forget, cell))
        hidden = node("MulBackward0", state, out, node("TanhBackward0", state, cell))
    top = node("SumBackward0", [], hidden)
    one.root(top, []).seed(None)
    return one.steps(made[::-1]).end().save()
