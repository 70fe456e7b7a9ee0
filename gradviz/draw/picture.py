"""A scene ready to be painted: numpy finds what is visible, near things are drawn one by one, far ones in batches.

The same code paints the screen and every export; only the far, batched part needs a QPainter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from gradviz.draw.batch import draw_rects
from gradviz.draw.callouts import LOUD, Callouts, growth, near, paint_framed, specks
from gradviz.draw.cards import Detail, draw_box
from gradviz.draw.colors import qcolor
from gradviz.draw.far import paint_far
from gradviz.draw.fonts import Measurer
from gradviz.draw.lines import (
    draw_badge,
    draw_edges,
    draw_frame,
    draw_frame_tags,
    draw_frame_words,
    draw_framed_label,
    draw_quiet_labels,
    draw_tie,
)
from gradviz.draw.looks import BLOCKS_ONLY, DRAWN_ORDER, EDGES, NO_NAMES
from gradviz.draw.near_boxes import NearBoxes
from gradviz.draw.near_edges import paint_near_edges
from gradviz.draw.nearby import Area, Indices, Nearby, Parts
from gradviz.draw.panel import draw_panel
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.segments import Segments
from gradviz.draw.surface import QtSurface, Surface
from gradviz.draw.telling import Tell, nobody, told
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.scene.model import Badge, Card, Kind, Look, Panel, Scene, State, States
from gradviz.scene.texts import Texts
from gradviz.scene.wording import ENGLISH, Wording

MOST_DETAILED = 400  # boxes drawn one by one; more of them, and the frame takes too long
LABEL_ROOM = np.array([-60.0, -12.0, 60.0, 12.0])  # round a label's middle
MOST_FAILED = 20  # painted over all else
BESIDE = 100.0  # screen px out of sight that a ring or a badge may reach into sight


class Placed(Protocol):
    """Boxes and edges at their places."""

    @property
    def scene(self) -> Scene: ...

    @property
    def boxes(self) -> NDArray[Any]: ...

    @property
    def segments(self) -> Segments: ...


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
        self._columns = np.ascontiguousarray(self.boxes.T, np.float32)  # the same, for what works on all at once
        self._nearby = Nearby(self.boxes)
        self._labels = Nearby(scene.label_at[:, [0, 1, 0, 1]] + LABEL_ROOM)
        self._every = np.arange(len(draft))
        self._framed = {label.edge: label for label in draft.framed}
        self.segments = Segments(scene)
        self._near = NearBoxes(scene, texts, self.boxes[:, :2])
        self._measure: Measurer | None = None  # made on the thread that paints

    # -- what is where

    def boxes_in(self, area: Area) -> Indices:
        return self._every if self._holds_all(area) else self._nearby.meeting(area)

    def edges_in(self, area: Area) -> Indices:
        """Edges whose line or label is there: the box round a wrapped route is far larger than the route."""
        if self._holds_all(area):
            return np.arange(self.scene.draft.edges)
        return np.unique(np.concatenate((self.segments.edge[self.segments.meeting(area)], self.labels_in(area))))

    def labels_in(self, area: Area, parts: Parts | None = None) -> Indices:
        """Edges whose label may be there; with `parts` of the area, in one of them."""
        return self._labels.meeting(area, parts)

    def _holds_all(self, area: Area) -> bool:
        bounds = self.scene.bounds
        return area[0] <= bounds[0] and area[1] <= bounds[1] and area[2] >= bounds[2] and area[3] >= bounds[3]

    def level(self, zoom: float, visible: int) -> str:
        """near (one by one) | far (blocks with outlines) | blocks."""
        if zoom < BLOCKS_ONLY:
            return "blocks"
        if zoom < NO_NAMES or visible > MOST_DETAILED:
            return "far"
        return "near"

    # -- painting

    def paint(
        self,
        painter: QPainter,
        tokens: Tokens,
        states: States,
        view: View,
        grid: PixelGrid | None = None,
        parts: Parts | None = None,
    ) -> None:
        """All that is visible but the overlay, with the painter in screen px.

        `grid`: the pixels that the painter paints on, without clip or offset; makes far views several times faster.
        `parts`: the painter is clipped, and near things elsewhere needn't be painted.
        """
        area = view.area(30 / view.zoom)
        boxes = self.boxes_in(area)
        level = self.level(view.zoom, len(boxes))
        surface = QtSurface(painter, tokens, kept=True)
        with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
            self._paint_frames(surface, area)
        if level == "near":
            if parts is not None:
                boxes = self._nearby.meeting(area, parts)
            paint_near_edges(surface, self.segments, states, view, area, parts)
            self._near.paint(surface, states, view, boxes)
            with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
                self._paint_shapes(surface, states, self.labels_in(area, parts))
        else:
            within = None if self._holds_all(area) else area
            paint_far(painter, tokens, self.segments, self._columns, states, view, boxes, None, level, grid, within)
            if view.zoom < NO_NAMES:
                blocks = specks(self.scene, states.edge, view.zoom)
                blocks[:, :2] -= (view.x, view.y)
                draw_rects(painter, blocks * view.zoom, qcolor(tokens, EDGES[Look.NAN].stroke))
        with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
            if view.zoom >= NO_NAMES:
                self._paint_frame_words(surface, area)
            else:
                draw_frame_tags(surface, list(self.frames_in(area)))
            self._paint_marks(surface, area)

    def paint_changes(
        self, painter: QPainter, tokens: Tokens, states: States, view: View, boxes: Indices, edges: Indices
    ) -> bool:
        """Far away: these boxes and edges over what they were, which they cover. False where that isn't enough."""
        level = self.level(view.zoom, len(self.boxes_in(view.area(30 / view.zoom))))
        spreads = any(self._framed[edge].look == Look.NAN for edge in edges.tolist() if edge in self._framed)
        if level == "near" or spreads:  # a block of NaN that goes again isn't covered by anything
            return False
        paint_far(painter, tokens, self.segments, self._columns, states, view, boxes, edges, level)
        return True

    def paint_blocks(
        self, painter: QPainter, tokens: Tokens, states: States, view: View, grid: PixelGrid | None = None
    ) -> None:
        """Everything as solid blocks, for a map."""
        paint_far(painter, tokens, self.segments, self._columns, states, view, self._every, None, "blocks", grid)

    def paint_all(self, surface: Surface, states: States, area: Area | None = None, tell: Tell = nobody) -> None:
        """All boxes and edges (of `area`) one by one in full detail, the current one included: for exports."""
        whole = self.scene.bounds if area is None else area
        boxes = self.boxes_in(whole) if area is not None else self._every
        edges = self.edges_in(whole) if area is not None else np.arange(self.scene.draft.edges)
        self._paint_frames(surface, whole)
        looks, total = states.edge[edges], len(edges) + len(boxes)
        for look in DRAWN_ORDER:
            tell(0, total)
            draw_edges(surface, self.scene, edges[looks == look].tolist(), look)
        for box in told(boxes.tolist(), tell, len(edges), total):
            draw_box(surface, self.scene, self.texts, box, int(states.box[box]), Detail())
        self._paint_shapes(surface, states, edges)
        self._paint_frame_words(surface, whole)
        self._paint_marks(surface, whole, alone=True)

    def paint_important(self, surface: Surface, states: States, area: Area) -> None:
        """The current node and those that failed: over all else, and never smaller than can be read.

        From afar the labels and badges of findings, too. `area`: what is in sight.
        """
        draft = self.scene.draft
        failed = np.flatnonzero(states.box == State.FAILED)[:MOST_FAILED].tolist()
        chosen = [*failed, *([states.current] if states.current >= 0 else [])]
        if growth(surface.zoom) == 1.0:
            seen = [box for box in chosen if _meets(self.boxes[box], area, BESIDE / surface.zoom)]
            for box in seen:
                self.paint_box(surface, states, int(box))
            for badge in self._badges_with(states):
                if badge.box in seen:
                    left, top = self.boxes[badge.box, :2].tolist()
                    with surface.moved(left, top):
                        draw_badge(surface, badge)
            return
        callouts = Callouts(self.scene, surface.zoom, area)
        loud = [label for label in reversed(draft.framed) if label.look in LOUD]  # the most likely cause's come last
        labels = [(label, callouts.label(label)) for label in loud]
        placed = [callout for callout in map(callouts.place, chosen) if callout is not None]
        for callout in placed:
            x, y = float(self.scene.x[callout.box]), float(self.scene.y[callout.box])
            with surface.moved(callout.x - x, callout.y - y):
                self.paint_box(surface, states, callout.box)
        for label, at in labels:
            if at is not None:
                with surface.moved(*at, growth(surface.zoom)):
                    draw_framed_label(surface, label, self.wording)
        callouts.badges(surface, self._badges_with(states), placed)

    @cached_property
    def crowded(self) -> bool:
        """Whether from afar the current node may have to make room for a finding's label or a node that failed."""
        draft = self.scene.draft
        return bool(draft.failed.any()) or any(label.look in LOUD for label in draft.framed)

    def _badges_with(self, states: States) -> tuple[Badge, ...]:
        """The findings' badges, and one for a node that is about to fail: the current one looks like any other."""
        draft, at = self.scene.draft, states.current
        fails = at >= 0 and bool(draft.failed[at]) and draft.kind[at] != Kind.GROUP
        if not fails or states.box[at] != State.CURRENT or any(badge.box == at for badge in draft.badges):
            return draft.badges
        return (*draft.badges, Badge(at, "error", -1, 1))

    def paint_box(self, surface: Surface, states: States, box: int) -> None:
        """One box in full detail, enlarged round its centre where it couldn't be read."""
        state = int(states.box[box])
        grow = growth(surface.zoom)
        if grow == 1.0:
            draw_box(surface, self.scene, self.texts, box, state, Detail())
            return
        x, y = float(self.scene.x[box]), float(self.scene.y[box])
        with surface.moved(x, y, grow), surface.moved(-x, -y, 1.0):
            draw_box(surface, self.scene, self.texts, box, state, Detail())

    def _paint_frames(self, surface: Surface, area: Area) -> None:
        for card, rect in self.frames_in(area):
            draw_frame(surface, card, rect)

    def _paint_frame_words(self, surface: Surface, area: Area) -> None:
        for card, rect in self.frames_in(area):
            draw_frame_words(surface, card, rect, self.wording)

    def frames_in(self, area: Area) -> Iterator[tuple[Card, tuple[float, float, float, float]]]:
        draft = self.scene.draft
        for at, card in enumerate(draft.open_cards):
            x, y, width, height = (float(part) for part in self.scene.frames[at])
            if x < area[2] and x + width > area[0] and y < area[3] and y + height > area[1]:
                yield draft.cards[card], (x, y, width, height)

    def _paint_shapes(self, surface: Surface, states: States, edges: Indices) -> None:
        if self.shapes and surface.zoom >= NO_NAMES:
            quiet = [edge for edge in edges.tolist() if edge not in self._framed]
            draw_quiet_labels(surface, self.scene, quiet, states.edge)

    def _paint_marks(self, surface: Surface, area: Area, alone: bool = False) -> None:
        """Findings keep their size at every zoom. `alone`: nothing is painted over this, as in exports."""
        draft = self.scene.draft
        for tie in draft.ties:
            draw_tie(surface, self.scene, tie)
        grow = growth(surface.zoom)
        framed = [label for label in draft.framed if self.shapes or label.look != Look.NEVER]
        paint_framed(surface, self.scene, framed, area, self.wording, alone)
        for badge in draft.badges if alone or grow == 1.0 else ():
            left, top = float(self.boxes[badge.box, 0]), float(self.boxes[badge.box, 1])
            if near(left, top, area):
                with surface.moved(left, top, grow):
                    draw_badge(surface, badge)
        panel = self._panel()
        if panel is not None:
            self._measure = self._measure or Measurer()
            draw_panel(surface, self.scene, panel, self.wording, self._measure)

    def _panel(self) -> Panel | None:
        """The shown finding's panel, or the first."""
        panels = self.scene.panels
        return next((panel for panel in panels if panel.at == self.finding), panels[0] if panels else None)


def changed_areas(picture: Placed, boxes: Indices, edges: Indices) -> Parts:
    """Areas of these boxes, of all pieces of these edges, and of their labels."""
    labels = picture.scene.label_at[edges][:, [0, 1, 0, 1]] + LABEL_ROOM
    return np.concatenate(
        (
            picture.boxes[boxes],
            picture.segments.boxes_of(edges),
            labels[~np.isnan(labels[:, 0])],
        ),
        dtype=np.float64,
    )


def _meets(rect: NDArray[Any], area: Area, around: float) -> bool:
    left, top, right, bottom = (float(part) for part in rect)
    across = left - around <= area[2] and right + around >= area[0]
    return across and top - around <= area[3] and bottom + around >= area[1]
