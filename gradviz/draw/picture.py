"""A scene ready to be painted: numpy finds what is visible, near things are drawn one by one, far ones in batches.

The same code paints the screen and every export; only the far, batched part needs a QPainter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from gradviz.draw.batch import draw_lines, draw_rects
from gradviz.draw.cards import Detail, draw_box
from gradviz.draw.fonts import Measurer
from gradviz.draw.lines import (
    draw_badge,
    draw_edge,
    draw_frame,
    draw_frame_words,
    draw_framed_label,
    draw_quiet_label,
    draw_tie,
    label_place,
)
from gradviz.draw.looks import BLOCKS, BLOCKS_ONLY, BOXES, EDGES, NO_NAMES, NO_SECOND
from gradviz.draw.panel import draw_panel
from gradviz.draw.surface import QtSurface, Surface
from gradviz.draw.tokens import Tokens
from gradviz.scene.model import Card, Look, Panel, Scene, State, States
from gradviz.scene.texts import Texts
from gradviz.scene.wording import ENGLISH, Wording

Indices = NDArray[np.intp]
MOST_DETAILED = 500  # boxes drawn one by one; more of them, and the frame takes too long
SMALLEST_LABEL = 0.8  # of their full size: current node, framed labels
Area = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class View:
    """A window onto the scene: scene px at its top left corner, and screen px per scene px."""

    x: float
    y: float
    zoom: float
    width: float  # of the screen
    height: float

    def area(self, margin: float = 0.0) -> Area:
        return (
            self.x - margin,
            self.y - margin,
            self.x + self.width / self.zoom + margin,
            self.y + self.height / self.zoom + margin,
        )


class Picture:
    """One scene, its boxes and edges indexed by where they are."""

    def __init__(self, scene: Scene, texts: Texts, shapes: bool = True, wording: Wording = ENGLISH) -> None:
        self.scene = scene
        self.texts = texts
        self.shapes = shapes
        self.wording = wording
        self.finding = -1  # position of the finding that is being shown: its panel stands
        draft = scene.draft
        self.boxes = (
            np.stack(
                (
                    scene.x - draft.width / 2,
                    scene.y - draft.height / 2,
                    scene.x + draft.width / 2,
                    scene.y + draft.height / 2,
                ),
                axis=1,
            )
            if len(draft)
            else np.empty((0, 4), np.float32)
        )
        self.edges = _edge_boxes(scene)
        self._framed = {label.edge: label for label in draft.framed}
        self._segments, self._segment_edge = _segments(scene)
        self._measure = Measurer()

    # -- what is where

    def boxes_in(self, area: Area) -> Indices:
        return _meeting(self.boxes, area)

    def edges_in(self, area: Area) -> Indices:
        return _meeting(self.edges, area)

    def level(self, zoom: float, visible: int) -> str:
        """near (one by one) | far (blocks with outlines) | blocks."""
        if zoom < BLOCKS_ONLY:
            return "blocks"
        if zoom < NO_NAMES or visible > MOST_DETAILED:
            return "far"
        return "near"

    # -- painting

    def paint(self, painter: QPainter, tokens: Tokens, states: States, view: View) -> None:
        """All that is visible but the overlay, with the painter in screen px."""
        area = view.area(30 / view.zoom)
        boxes, edges = self.boxes_in(area), self.edges_in(area)
        level = self.level(view.zoom, len(boxes))
        surface = QtSurface(painter, tokens, 1.0)
        with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
            self._paint_frames(surface, area)
        if level == "near":
            with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
                self._paint_near(surface, states, boxes, edges)
        else:
            self._paint_far(painter, tokens, states, view, boxes, edges, level)
        with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
            if view.zoom >= NO_NAMES:
                self._paint_frame_words(surface, area)
            self._paint_marks(surface, area)

    def paint_blocks(self, painter: QPainter, tokens: Tokens, states: States, view: View) -> None:
        """Everything as solid blocks, for a map."""
        boxes, edges = np.arange(len(self.scene.draft)), np.arange(self.scene.draft.edges)
        self._paint_far(painter, tokens, states, view, boxes, edges, "blocks")

    def paint_all(self, surface: Surface, states: States, area: Area | None = None) -> None:
        """All boxes and edges (of `area`) one by one in full detail, the current one included: for exports."""
        whole = self.scene.bounds if area is None else area
        boxes = self.boxes_in(whole) if area is not None else np.arange(len(self.scene.draft))
        edges = self.edges_in(whole) if area is not None else np.arange(self.scene.draft.edges)
        self._paint_frames(surface, whole)
        self._paint_near(surface, states, boxes, edges, exported=True)
        self._paint_frame_words(surface, whole)
        self._paint_marks(surface, whole)

    def paint_important(self, surface: Surface, states: States, area: Area) -> None:
        """The current node and those that failed: over all else, and never smaller than can be read."""
        failed = np.flatnonzero(states.box == State.FAILED)[:20]
        chosen = [*failed.tolist(), *([states.current] if states.current >= 0 else [])]
        for box in chosen:
            left, top, right, bottom = self.boxes[box]
            if right < area[0] or left > area[2] or bottom < area[1] or top > area[3]:
                continue
            self.paint_box(surface, states, int(box), SMALLEST_LABEL)
        grow = max(1.0, SMALLEST_LABEL / surface.zoom)
        for badge in self.scene.draft.badges:
            if badge.box in chosen:
                with surface.moved(float(self.boxes[badge.box, 0]), float(self.boxes[badge.box, 1]), grow):
                    draw_badge(surface, badge)

    def paint_box(self, surface: Surface, states: States, box: int, smallest: float = 0.0) -> None:
        """One box, enlarged round its centre where it would be smaller than `smallest` of its full size."""
        state = int(states.box[box])
        grow = max(1.0, smallest / surface.zoom)
        if grow == 1.0:
            detail = Detail(surface.zoom >= NO_NAMES or smallest > 0, surface.zoom >= NO_SECOND or smallest > 0)
            draw_box(surface, self.scene, self.texts, box, state, detail)
            return
        x, y = float(self.scene.x[box]), float(self.scene.y[box])
        with surface.moved(x, y, grow), surface.moved(-x, -y, 1.0):
            draw_box(surface, self.scene, self.texts, box, state, Detail())

    def _paint_frames(self, surface: Surface, area: Area) -> None:
        for card, rect in self._frames_in(area):
            draw_frame(surface, card, rect)

    def _paint_frame_words(self, surface: Surface, area: Area) -> None:
        for card, rect in self._frames_in(area):
            draw_frame_words(surface, card, rect, self.wording)

    def _frames_in(self, area: Area) -> Iterator[tuple[Card, tuple[float, float, float, float]]]:
        draft = self.scene.draft
        for at, card in enumerate(draft.open_cards):
            x, y, width, height = (float(part) for part in self.scene.frames[at])
            if x < area[2] and x + width > area[0] and y < area[3] and y + height > area[1]:
                yield draft.cards[card], (x, y, width, height)

    def _paint_near(
        self, surface: Surface, states: States, boxes: Indices, edges: Indices, exported: bool = False
    ) -> None:
        detail = Detail(surface.zoom >= NO_NAMES, surface.zoom >= NO_SECOND)
        loud = {Look.CURRENT, Look.FAILED, Look.NAN, Look.CHANGED, Look.WARNED}
        order = sorted(edges.tolist(), key=lambda edge: int(states.edge[edge]) in loud)
        for edge in order:
            draw_edge(surface, self.scene, edge, int(states.edge[edge]))
        overlaid = set() if exported else {int(states.current)}
        for box in boxes.tolist():
            if box not in overlaid and (exported or states.box[box] != State.FAILED):
                draw_box(surface, self.scene, self.texts, box, int(states.box[box]), detail)
        if not self.shapes or not detail.names:
            return
        for edge in order:
            if edge not in self._framed:
                draw_quiet_label(surface, self.scene, edge, int(states.edge[edge]))

    def _paint_far(
        self, painter: QPainter, tokens: Tokens, states: States, view: View, boxes: Indices, edges: Indices, level: str
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        origin = np.array([view.x, view.y, view.x, view.y])
        if len(edges):
            whole = len(edges) == self.scene.draft.edges
            chosen = slice(None) if whole else np.flatnonzero(np.isin(self._segment_edge, edges))
            looks = states.edge[self._segment_edge[chosen]]
            lines = (self._segments[chosen] - origin) * view.zoom
            for look in Look:
                width = 2.0 if look in (Look.CURRENT, Look.FAILED, Look.NAN) and view.zoom >= BLOCKS_ONLY else 1.0
                draw_lines(painter, lines[looks == look], tokens.color(EDGES[look].stroke), width)
        rects = (self.boxes[boxes] - origin) * view.zoom
        rects[:, 2:] = np.maximum(rects[:, 2:] - rects[:, :2], 1.0)
        of_state = states.box[boxes]
        for state in State:
            style = BOXES[state]
            if level == "blocks":
                draw_rects(painter, rects[of_state == state], tokens.color(BLOCKS[state]))
            else:
                draw_rects(painter, rects[of_state == state], tokens.color(style.fill), tokens.color(style.stroke))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _paint_marks(self, surface: Surface, area: Area) -> None:
        """Findings keep their size at every zoom."""
        draft = self.scene.draft
        for tie in draft.ties:
            draw_tie(surface, self.scene, tie)
        grow = max(1.0, SMALLEST_LABEL / surface.zoom)
        for label in draft.framed:
            if not self.shapes and label.look in (Look.NEVER,):
                continue
            x, y = label_place(self.scene, label.edge)
            if _inside(x, y, area):
                with surface.moved(x, y, grow):
                    draw_framed_label(surface, label, self.wording)
        for badge in draft.badges:
            left, top = float(self.boxes[badge.box, 0]), float(self.boxes[badge.box, 1])
            if _inside(left, top, area):
                with surface.moved(left, top, grow):
                    draw_badge(surface, badge)
        panel = self._panel()
        if panel is not None:
            draw_panel(surface, self.scene, panel, self.wording, self._measure)

    def _panel(self) -> Panel | None:
        """The shown finding's panel, or the first."""
        panels = self.scene.panels
        return next((panel for panel in panels if panel.at == self.finding), panels[0] if panels else None)


def changed_area(picture: Picture, before: States, after: States) -> Iterable[Area]:
    """Areas of all boxes and edges that look different now."""
    for box in np.flatnonzero(before.box != after.box).tolist():
        yield tuple(picture.boxes[box].tolist())
    for edge in np.flatnonzero(before.edge != after.edge).tolist():
        yield tuple(picture.edges[edge].tolist())


def _inside(x: float, y: float, area: Area) -> bool:
    return area[0] - 200 <= x <= area[2] + 200 and area[1] - 40 <= y <= area[3] + 40


def _meeting(boxes: NDArray[Any], area: Area) -> Indices:
    left, top, right, bottom = area
    return np.flatnonzero(
        (boxes[:, 2] >= left) & (boxes[:, 0] <= right) & (boxes[:, 3] >= top) & (boxes[:, 1] <= bottom)
    )


def _edge_boxes(scene: Scene) -> NDArray[np.float32]:
    """Box round each route and its label, (m, 4)."""
    if not scene.draft.edges:
        return np.empty((0, 4), np.float32)
    starts = scene.offsets[:-1].astype(np.intp)
    low, high = np.minimum.reduceat(scene.points, starts), np.maximum.reduceat(scene.points, starts)
    half = np.stack((scene.draft.label_width, scene.draft.label_height), axis=1) / 2
    low = np.fmin(low, scene.label_at - half)
    high = np.fmax(high, scene.label_at + half)
    return np.concatenate((low, high), axis=1).astype(np.float32)


def _segments(scene: Scene) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """All straight pieces of all routes, (s, 4), and the edge each belongs to."""
    if len(scene.points) < 2 or not scene.draft.edges:
        return np.empty((0, 4), np.float32), np.empty(0, np.intp)
    pieces = np.concatenate((scene.points[:-1], scene.points[1:]), axis=1)
    edge = np.repeat(np.arange(scene.draft.edges), np.diff(scene.offsets))
    within = edge[:-1] == edge[1:]
    return pieces[within], edge[:-1][within]
