"""How fast the canvas is at 20,000 and 50,000 nodes: a frame fitted, zoomed in and while zooming, a step; and the
longest time the window is silent.

The recording is an unrolled LSTM as torch records it, laid out by the app's own layout. Offscreen raster: no GPU helps.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the builders of recordings stand in tests/

from bench_measure import Measured, Wanted, median_of
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gradviz.document.hub import Hub
from gradviz.document.places import CONFIG_VARIABLE, DATA_VARIABLE
from gradviz.document.settings import Settings
from gradviz.gui.app import make_application, make_window, warm_up
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.collector import Collector
from gradviz.gui.theme import Theme
from gradviz.gui.window import Window
from gradviz.trace.reader import Trace
from tests.builders import TraceBuilder

NODES = 20_000
MANY = 50_000
WHAT = ("frame_fitted", "frame_zoomed", "step", "zooming", "zooming_99")
ZOOMS, ZOOM_STEP, TURN = 160, 1.08, 40  # frames at least, each 8 % nearer: about 20 × nearer, then back
SIZE = (1600, 1030)  # the graph itself gets 1600 × 1000
LOAD_LIMIT = 180.0  # seconds


class Heart:
    """Beats whenever the event loop is free; the longest pause between two beats is the longest block."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.own: list[float] = []  # the same without the time in which other programs had the processors
        self._last, self._queued = time.perf_counter(), queued()
        self._timer = QTimer()
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now, waited = time.perf_counter(), queued()
        self.pauses.append(1000 * (now - self._last))
        self.own.append(1000 * (now - self._last - (waited - self._queued)))
        self._last, self._queued = now, waited

    def stop(self) -> None:
        self._timer.stop()


def queued() -> float:
    """Seconds that this thread was ready to run but had no processor; 0 where the system doesn't say (not Linux)."""
    try:
        told = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(told.split()[1]) / 1e9


def rows(rounds: int, wanted: Wanted) -> list[Measured]:
    """`rounds` frames and steps of the canvas alone; then the whole window is opened on the smaller recording."""
    with tempfile.TemporaryDirectory() as folder:
        for variable in (CONFIG_VARIABLE, DATA_VARIABLE):  # nothing of the person's own is read or written
            os.environ[variable] = str(Path(folder) / variable.lower())
        application = make_application()
        recording = unrolled(Path(folder) / "unrolled.gradviz", NODES)
        measured: list[Measured] = []
        if any(wanted(f"canvas.20k.{what}") for what in WHAT):
            measured += _canvas_rows("canvas.20k", recording, application, rounds)
        if any(wanted(f"canvas.50k.{what}") for what in WHAT):
            large = unrolled(Path(folder) / "large.gradviz", MANY)
            measured += _canvas_rows("canvas.50k", large, application, rounds)
        if wanted("canvas.window.longest_block"):
            measured += _window_rows(recording, application)
        return measured


def _canvas_rows(name: str, recording: Path, application: QApplication, rounds: int) -> list[Measured]:
    theme = Theme("light")
    theme.install(application)
    canvas = Canvas(Hub(), theme)
    canvas.header.switches["modules"].click()  # folded, it is a few dozen boxes
    with Trace(recording) as trace:
        try:
            return _measure(name, canvas, trace, application, rounds)
        finally:
            canvas.shut_down()
            canvas.close()


def _window_rows(recording: Path, application: QApplication) -> list[Measured]:
    """Open, step, fold, fit: the longest time in which the window did nothing else."""
    collector = Collector(application)  # as the app does
    window, _ = make_window(application, Settings())
    ready: list[bool] = []
    try:
        window.resize(1440, 900)
        window.show()
        warm_up(lambda: window.post(lambda: ready.append(True)))
        wait_until(lambda: bool(ready), LOAD_LIMIT)
        gc.freeze()  # as the app does
        window.ready()
        wait_until(passed(3.0), 6)  # the work page is built behind the welcome page
        canvas = window.centre.canvas
        assert isinstance(canvas, Canvas)
        canvas.header.switches["modules"].click()  # as above
        heart = Heart()
        window.open_path(recording)
        wait_until(lambda: _shown(window), LOAD_LIMIT)
        wait_until(passed(1.0), 5)
        for position in range(30):
            window.hub.change(None, position=position)
            wait_until(passed(0.02), 1)
        window.commands["fit"].trigger()
        wait_until(passed(0.5), 2)
        heart.stop()
        return [
            Measured("canvas.window.longest_block", max(heart.pauses), "ms", None),
            Measured("canvas.window.blocks_over_50", sum(pause > 50 for pause in heart.pauses), "count", None),
            # On a machine that does other things: the same without waiting for a processor.
            Measured("canvas.window.longest_block.own", max(heart.own), "ms", None),
            Measured("canvas.window.blocks_over_50.own", sum(pause > 50 for pause in heart.own), "count", None),
        ]
    finally:
        window.close()
        window.close_everything()
        collector.stop()


def _shown(window: Window) -> bool:
    """Loaded, diagnosed, drawn."""
    canvas = window.centre.canvas
    state = window.document.state
    return isinstance(canvas, Canvas) and canvas.loaded is not None and not (state.running or state.diagnosing)


def _measure(name: str, canvas: Canvas, trace: Trace, application: QApplication, rounds: int) -> list[Measured]:
    canvas.resize(*SIZE)
    canvas.show()
    wait_until(lambda: canvas.view.width() > 1000, 10)
    began = time.perf_counter()
    canvas.hub.change(None, trace=trace, pass_id=trace.passes()[0].id, position=0)
    wait_until(lambda: canvas.loaded is not None, LOAD_LIMIT)
    loaded = time.perf_counter() - began
    wait_until(passed(1.0), 5)
    assert canvas.loaded is not None and len(canvas.loaded.scene.draft) > NODES
    canvas.fit()
    fitted = [_frame(canvas) for _ in range(rounds + 1)][1:]
    fitted_busy = [_frame(canvas, time.thread_time) for _ in range(rounds)]
    fitted_steps = _steps(canvas, application, 1000, rounds)
    canvas.zoom_reset()
    states = canvas.view.states
    canvas.view.centre_on(states.current if states is not None else 0, glide=False, always=True)
    zoomed = [_frame(canvas) for _ in range(rounds + 1)][1:]
    zoomed_busy = [_frame(canvas, time.thread_time) for _ in range(rounds)]
    panned = [_pan(canvas) for _ in range(rounds)]
    zooming = _zooming(canvas, max(4 * rounds, ZOOMS))
    canvas.zoom_reset()
    zoomed_steps = _steps(canvas, application, 2000, rounds)
    return [
        median_of(f"{name}.frame_fitted", "ms", fitted),
        median_of(f"{name}.frame_zoomed", "ms", zoomed),
        median_of(f"{name}.step", "ms", fitted_steps + zoomed_steps),
        median_of(f"{name}.zooming", "ms", zooming),
        Measured(f"{name}.zooming_99", statistics.quantiles(zooming, n=100)[-1], "ms"),
        # Processor time of the same frames: on a machine that does other things, what a frame itself costs.
        median_of(f"{name}.frame_fitted.processor", "ms", fitted_busy),
        median_of(f"{name}.frame_zoomed.processor", "ms", zoomed_busy),
        median_of(f"{name}.pan", "ms", panned),
        median_of(f"{name}.step_fitted", "ms", fitted_steps),
        median_of(f"{name}.step_zoomed", "ms", zoomed_steps),
        Measured(f"{name}.load", loaded, "s", None),
        Measured(f"{name}.boxes", len(canvas.loaded.scene.draft), "count", None),
    ]


def _frame(canvas: Canvas, clock: Callable[[], float] = time.perf_counter) -> float:
    """A frame painted from nothing, ms."""
    canvas.view.pixels.forget()
    began = clock()
    canvas.view.repaint()
    return 1000 * (clock() - began)


def _zooming(canvas: Canvas, frames: int) -> list[float]:
    """Every frame another zoom, out to all of it and in again, ms."""
    canvas.fit()
    times = []
    for number in range(frames):
        began = time.perf_counter()
        canvas.view.zoom_by(ZOOM_STEP if number // TURN % 2 == 0 else 1 / ZOOM_STEP)
        canvas.view.repaint()
        times.append(1000 * (time.perf_counter() - began))
    return times


def _pan(canvas: Canvas) -> float:
    """Moved by 30 px and painted, ms."""
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


def wait_until(ready: Callable[[], bool], seconds: float) -> None:
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


def passed(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= end


def unrolled(path: Path, nodes: int) -> Path:
    """An LSTM cell unrolled by hand, a line for each call: a loop's rounds would be folded into one box."""
    rounds = nodes // 12 + 2
    trace = TraceBuilder(path, "/home/me/unrolled.py", "h, c = cell(x[t], (h, c))\n" * rounds)
    one = trace.backward(trace.at(rounds))
    shapes = {"weight_ih": [64, 16], "weight_hh": [64, 16], "bias_ih": [64], "bias_hh": [64]}
    leaves = [
        one.node("AccumulateGrad", shape, leaf=trace.leaf(name, shape, trace.at(1))) for name, shape in shapes.items()
    ]
    made: list[int] = list(leaves)

    def node(name: str, shape: list[int], *to: int | tuple[int, int], more: int = 0) -> int:
        towards = [each for each in to if each != -1]
        made.append(one.node(name, shape, *[shape] * more, op=op, to=towards, seq=len(made)))
        return made[-1]

    def call() -> int:
        """The op of the next line."""
        return trace.op("lstm_cell", trace.at(len(made) // 12 + 1), (), [(trace.value(), [4, 16])])

    hidden = cell = -1
    gates, state = [4, 64], [4, 16]
    op = call()
    while len(made) < nodes:
        op = call()
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
