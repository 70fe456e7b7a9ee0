"""Makes scenes away from the window's thread: builds the draft in a worker thread, its places in the layout's process.

Only the newest request ever reports. A draft whose boxes and sizes are those of the last one keeps its places, so that
a recording that grows, or a finding that comes later, moves nothing.
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gradviz.diagnose.finding import Finding
from gradviz.draw.fonts import Measurer
from gradviz.draw.picture import Picture
from gradviz.errors import GradvizError
from gradviz.gui.canvas import first_view
from gradviz.gui.post import Post
from gradviz.layout import LayoutProcess, Request, Result
from gradviz.scene.build import Build, Shown, build
from gradviz.scene.lines import Lines, lines_of
from gradviz.scene.model import Scene
from gradviz.scene.place import place, request
from gradviz.scene.texts import Texts
from gradviz.scene.wording import Wording
from gradviz.trace.reader import Trace


@dataclass(frozen=True)
class Order:
    """What is to be shown."""

    trace: Trace
    pass_id: int
    findings: tuple[Finding, ...]
    shown: Shown
    wrap: bool
    viewport: tuple[float, float]
    wording: Wording
    needed: float = 0.0  # a fresh graph is folded until it fits at this part of the zoom that `viewport` stands for


@dataclass(frozen=True)
class Draft:
    """A scene without places, and what is asked of the layout; equal keys ask for the same.

    `tried`: the same graph with more groups open, which didn't fit the window.
    """

    order: Order
    build: Build
    lines: Lines
    asked: Request
    key: bytes
    tried: tuple[Tried, ...] = ()


@dataclass(frozen=True)
class Tried:
    """A draft, placed, and at which zoom all of it fits the window."""

    draft: Draft
    result: Result
    scene: Scene
    zoom: float


@dataclass(frozen=True)
class Loaded:
    """A scene, ready to be painted."""

    order: Order
    build: Build
    scene: Scene
    picture: Picture
    lines: Lines


class Loader:
    """`on_loaded`, `on_arranging(nodes)` and `on_failed(sentence)` are called on the window's thread."""

    def __init__(
        self,
        post: Post,
        on_loaded: Callable[[Loaded], None],
        on_arranging: Callable[[int], None],
        on_failed: Callable[[str], None],
    ) -> None:
        self._post = post
        self._on_loaded, self._on_arranging, self._on_failed = on_loaded, on_arranging, on_failed
        self._jobs: queue.SimpleQueue[Callable[[Measurer], object] | None] = queue.SimpleQueue()
        self._newest = 0
        self._layout = LayoutProcess(lambda tag, result: self._finish(tag, result, Measurer()))
        self._known: tuple[bytes, Result] | None = None
        self._pending: dict[int, Draft] = {}
        self._thread = threading.Thread(target=self._work, name="gradviz-scene", daemon=True)
        self._thread.start()

    def load(self, order: Order) -> None:
        """Begin; what was asked for before is forgotten."""
        self._newest += 1
        self._jobs.put(partial(self._draw_up, self._newest, order))

    def simple(self) -> None:
        """Give up arranging well: show the newest draft in the simple layout."""
        waiting = self._pending.get(self._newest)
        if waiting is not None:
            self._layout.cancel()
            asked = waiting.asked
            self._layout.submit(replace(asked, options=replace(asked.options, engine="simple")), self._newest)

    def close(self) -> None:
        """End the thread and the layout's process."""
        self._newest += 1
        self._jobs.put(None)
        self._layout.close()
        self._thread.join()

    # -- the worker thread

    def _work(self) -> None:
        measure = Measurer()
        while (job := self._jobs.get()) is not None:
            job(measure)

    def _draw_up(
        self,
        number: int,
        order: Order,
        measure: Measurer,
        opened: frozenset[str] | None = None,
        tried: tuple[Tried, ...] = (),
    ) -> None:
        """`opened`: with these groups open, not those of the order."""
        if number != self._newest:
            return
        try:
            draft = replace(self._build(order, opened, measure), tried=tried)
        except (GradvizError, KeyError, OSError) as error:
            self._post(partial(self._failed, number, str(error)))
            return
        self._post(partial(self._built, number, draft))

    def _build(self, order: Order, opened: frozenset[str] | None, measure: Measurer) -> Draft:
        """With a reader of its own, so that the window never waits; a file that moved is read through the window's."""
        try:
            trace = Trace(order.trace.path)
        except (GradvizError, OSError):
            return _made(order.trace, order, opened, measure)
        with trace:
            return _made(trace, order, opened, measure)

    # -- the window's thread

    def _failed(self, number: int, text: str) -> None:
        if number == self._newest:
            self._on_failed(text)

    def _built(self, number: int, draft: Draft) -> None:
        if number != self._newest:
            return
        self._pending = {number: draft}
        if self._known is not None and self._known[0] == draft.key:
            self._jobs.put(partial(self._finish, number, self._known[1]))
            return
        self._on_arranging(len(draft.build.draft))
        self._layout.submit(draft.asked, number)

    def _finish(self, tag: object, result: Result, measure: Measurer) -> None:
        """On any thread but the window's: the scene and all that is prepared for painting it."""
        number = tag if isinstance(tag, int) else -1
        waiting = self._pending.get(number)
        if waiting is None:
            return
        order = waiting.order
        scene = place(waiting.build.draft, result, measure, order.wording)
        if order.shown.opened is None and len(waiting.build.graph) <= first_view.MOST_NODES:
            fitting = self._fitting(number, waiting, result, scene)
            if fitting is None:
                return
            waiting, result, scene = fitting.draft, fitting.result, fitting.scene
        made = replace(waiting.build, texts=Texts(order.trace, waiting.build.graph, order.wording))
        picture = Picture(scene, made.texts, order.shown.shapes, order.wording)
        loaded = Loaded(order, made, scene, picture, waiting.lines)
        self._post(partial(self._placed, number, waiting.key, result, loaded))

    def _fitting(self, number: int, waiting: Draft, result: Result, scene: Scene) -> Tried | None:
        """What a graph is first seen as. None: it doesn't fit the window, and is built anew with fewer groups open."""
        order, made = waiting.order, waiting.build
        zoom = first_view.zoom_to_fit(scene.bounds, order.viewport)
        tried = (*waiting.tried, Tried(waiting, result, scene, zoom))
        opened = first_view.coarser(made.draft, made.opened)
        if opened is not None and tried[-1].zoom < order.needed:
            self._jobs.put(partial(self._draw_up, number, order, opened=opened, tried=tried))
            return None
        zooms, boxes = [each.zoom for each in tried], [len(each.draft.build.draft) for each in tried]
        return tried[first_view.best(zooms, boxes, order.needed)]

    def _placed(self, number: int, key: bytes, result: Result, loaded: Loaded) -> None:
        if number == self._newest:
            self._pending.clear()
            self._known = (key, result)
            self._on_loaded(loaded)


def _made(trace: Trace, order: Order, opened: frozenset[str] | None, measure: Measurer) -> Draft:
    shown = order.shown if opened is None else replace(order.shown, opened=opened)
    made = build(trace, order.pass_id, order.findings, measure, shown, order.wording)
    asked = request(made.draft, order.wrap, order.viewport)
    return Draft(order, made, lines_of(made.graph, made.texts), asked, _key(asked))


def _key(asked: Request) -> bytes:
    """Equal for requests that lead to the same places. The window's size matters for a first arrangement only."""
    digest = hashlib.sha256()
    for part in (
        asked.widths,
        asked.heights,
        asked.tail,
        asked.head,
        asked.label_sizes,
        asked.group,
        asked.group_parent,
    ):
        digest.update(np.ascontiguousarray(part).tobytes() + b"|")
    digest.update(repr(replace(asked.options, viewport=None)).encode())
    return digest.digest()
