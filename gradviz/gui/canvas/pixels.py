"""The painted graph as an image that reaches beyond the window, so that panning is a copy and a step a few strokes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPixmap, QRegion

from gradviz.draw.fonts import screen_dpi
from gradviz.draw.nearby import Area, Indices, Parts
from gradviz.draw.picture import Placed, changed_areas
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.scene.model import States

MARGIN = 64  # screen px beyond the window on each side
GRID_DOTS = 24
TILES = 40
STROKE = 16.0  # screen px that a ring, an arrow or a label's frame reaches beyond its box
MOST_PATCHES = 48
LEAST_LEFT = 0.4  # of the image that must stay in sight: else all is painted anew


class Paintable(Placed, Protocol):
    """A picture, or one of which a part stands out."""

    def boxes_in(self, area: Area) -> Indices: ...

    def level(self, zoom: float, visible: int) -> str: ...

    def paint(
        self,
        painter: QPainter,
        tokens: Tokens,
        states: States,
        view: View,
        grid: PixelGrid | None = None,
        parts: Parts | None = None,
    ) -> None: ...

    def paint_changes(
        self, painter: QPainter, tokens: Tokens, states: States, view: View, boxes: Indices, edges: Indices
    ) -> bool: ...


@dataclass(frozen=True)
class Change:
    """Boxes and edges of a picture that look different after a step, and where that is in the scene."""

    picture: Paintable
    before: States
    after: States
    boxes: Indices
    edges: Indices
    areas: Parts


class Pixels:
    """One picture's image at one zoom."""

    def __init__(self) -> None:
        self._image: QImage | None = None
        self._view: View | None = None  # what the image shows, its margins included
        self._states: States | None = None  # and in which states
        self._dots: tuple[str, float, QPixmap] | None = None
        self._spare: QImage | None = None  # the last image but one, to be painted over
        self._last: Change | None = None
        self._origin = (0, 0)  # where the ground's pattern begins, in px of the image
        self.renders = 0  # for tests and the bench

    def forget(self) -> None:
        self._image = self._last = None

    def draw(
        self, painter: QPainter, picture: Paintable, tokens: Tokens, states: States, view: View, ratio: float
    ) -> None:
        """Copy the graph into a painter in screen px, painted anew only where the image doesn't reach or differs."""
        reaches = self._covers(view, ratio)
        if not (reaches or self._can_scroll(picture, view, ratio)) or not self._bring(picture, tokens, states):
            self._render(picture, tokens, states, view, ratio)
        elif not reaches:
            self._scroll(picture, tokens, states, view, ratio)
        image, shown = self._image, self._view
        if image is None or shown is None:
            return
        where = QPointF(
            round((shown.x - view.x) * view.zoom * ratio) / ratio, round((shown.y - view.y) * view.zoom * ratio) / ratio
        )
        painter.drawImage(where, image)

    def differs(self, picture: Paintable, before: States, after: States, view: View) -> QRegion | None:
        """Where a view shows other pixels after a step, in px of the screen; None for everywhere."""
        shown = self._view
        if self._image is None or shown is None or shown.zoom != view.zoom:
            return None
        change = self._change(picture, before, after)
        # One px more: the image is copied to whole pixels.
        return None if change is None else _region(change.areas, view, STROKE + 1)

    def _change(self, picture: Paintable, before: States, after: States) -> Change | None:
        """What a step changes, found once for asking and for painting; None where it is too much for patches."""
        last = self._last
        if last is not None and last.picture is picture and last.before is before and last.after is after:
            return last
        boxes, edges = np.flatnonzero(before.box != after.box), np.flatnonzero(before.edge != after.edge)
        if len(boxes) + len(edges) > MOST_PATCHES:
            return None
        self._last = Change(picture, before, after, boxes, edges, changed_areas(picture, boxes, edges))
        return self._last

    def _bring(self, picture: Paintable, tokens: Tokens, after: States) -> bool:
        """Bring the image to these states, where they differ; only now, for a step that also moves paints it anew.

        False where it has to be painted from nothing.
        """
        image, shown, before = self._image, self._view, self._states
        if image is None or shown is None or before is None:
            return False
        self._states = after
        if before is after:
            return True
        change = self._change(picture, before, after)
        if change is None:
            return False
        if not self._strokes(picture, tokens, after, change.boxes, change.edges):
            self._patch(image, shown, picture, tokens, after, change.areas)
        return True

    def _patch(
        self, image: QImage, shown: View, picture: Paintable, tokens: Tokens, states: States, areas: Parts
    ) -> None:
        """Paint these areas of the scene anew, with all that is in them."""
        region = _region(areas, shown, STROKE)
        if region.isEmpty():
            return
        reach = max((STROKE + 12.0) / shown.zoom, 6.0)  # what lies near an area may reach into it
        painter = QPainter(image)
        try:
            painter.setClipRegion(region)
            painter.setBrushOrigin(QPointF(self._origin[0] / shown.ratio, self._origin[1] / shown.ratio))
            self.ground(painter, tokens, QRectF(region.boundingRect()), shown.ratio)
            picture.paint(painter, tokens, states, shown, parts=areas + np.array([-reach, -reach, reach, reach]))
        finally:
            painter.end()

    def _strokes(self, picture: Paintable, tokens: Tokens, after: States, boxes: Indices, edges: Indices) -> bool:
        """Far away a change is painted over what was there."""
        if self._image is None or self._view is None:
            return False
        painter = QPainter(self._image)
        try:
            return picture.paint_changes(painter, tokens, after, self._view, boxes, edges)
        finally:
            painter.end()

    def _way(self, view: View, ratio: float) -> tuple[int, int] | None:
        """How far, in whole px, the image has to move to lie round this view; None where little of it would be left."""
        shown, image = self._view, self._image
        if shown is None or image is None or shown.zoom != view.zoom or image.devicePixelRatio() != ratio:
            return None
        if (image.width(), image.height()) != _size(view, ratio):
            return None
        scale = view.zoom * ratio
        x = round((view.x - MARGIN / view.zoom - shown.x) * scale)
        y = round((view.y - MARGIN / view.zoom - shown.y) * scale)
        left = (image.width() - abs(x)) * (image.height() - abs(y))
        fits = abs(x) < image.width() and abs(y) < image.height() and left > image.width() * image.height() * LEAST_LEFT
        return (x, y) if fits else None

    def _can_scroll(self, picture: Paintable, view: View, ratio: float) -> bool:
        """Near by, before and after: strips of a far view would be painted in another manner than the rest."""
        if self._way(view, ratio) is None or self._view is None:
            return False
        areas = (self._view.area(30 / view.zoom), view.area((30 + MARGIN) / view.zoom))
        return all(picture.level(view.zoom, len(picture.boxes_in(area))) == "near" for area in areas)

    def _scroll(self, picture: Paintable, tokens: Tokens, states: States, view: View, ratio: float) -> None:
        """Move what is painted, and paint the strips that come into sight."""
        way, old, shown = self._way(view, ratio), self._image, self._view
        if way is None or old is None or shown is None:
            return
        x, y = way
        image = self._spare
        if image is None or image.size() != old.size() or image.devicePixelRatio() != ratio:
            image = _new_image(old.width(), old.height(), ratio)
        painter = QPainter(image)
        try:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.drawImage(QPointF(-x / ratio, -y / ratio), old)
        finally:
            painter.end()
        scale = view.zoom * ratio
        moved = replace(shown, x=shown.x + x / scale, y=shown.y + y / scale)
        self._image, self._spare, self._view = image, old, moved
        side = math.ceil(GRID_DOTS * ratio)
        self._origin = ((self._origin[0] - x) % side, (self._origin[1] - y) % side)
        width, height = old.width() / scale, old.height() / scale
        strips = []
        if x:
            at = moved.x + width - x / scale if x > 0 else moved.x
            strips.append((at, moved.y, at + abs(x) / scale, moved.y + height))
        if y:
            at = moved.y + height - y / scale if y > 0 else moved.y
            strips.append((moved.x, at, moved.x + width, at + abs(y) / scale))
        if strips:
            self._patch(image, moved, picture, tokens, states, np.array(strips, np.float64))

    def _covers(self, view: View, ratio: float) -> bool:
        shown, image = self._view, self._image
        if shown is None or image is None or shown.zoom != view.zoom or image.devicePixelRatio() != ratio:
            return False
        one, other = shown.area(0.5 / view.zoom), view.area()
        return one[0] <= other[0] and one[1] <= other[1] and one[2] >= other[2] and one[3] >= other[3]

    def _render(self, picture: Paintable, tokens: Tokens, states: States, view: View, ratio: float) -> None:
        shown = replace(
            view,
            x=view.x - MARGIN / view.zoom,
            y=view.y - MARGIN / view.zoom,
            width=view.width + 2 * MARGIN,
            height=view.height + 2 * MARGIN,
            ratio=ratio,
        )
        size = _size(view, ratio)
        image = self._image
        if image is None or (image.width(), image.height()) != size or image.devicePixelRatio() != ratio:
            image = _new_image(*size, ratio)
        side = math.ceil(GRID_DOTS * ratio)
        scale = view.zoom * ratio
        self._origin = (round(-shown.x * scale) % side, round(-shown.y * scale) % side)  # the dots go with the graph
        grid = PixelGrid(image)
        painter = QPainter(image)
        try:
            painter.setBrushOrigin(QPointF(self._origin[0] / ratio, self._origin[1] / ratio))
            self.ground(painter, tokens, QRectF(0, 0, shown.width, shown.height), ratio)
            picture.paint(painter, tokens, states, shown, grid)
        finally:
            painter.end()
        self._image, self._view, self._states = image, shown, states
        self.renders += 1

    def ground(self, painter: QPainter, tokens: Tokens, rect: QRectF, ratio: float) -> None:
        """The canvas's colour with its grid of dots."""
        if self._dots is None or self._dots[:2] != (tokens.name, ratio):
            self._dots = (tokens.name, ratio, _dotted(tokens, ratio))
        painter.fillRect(rect, QBrush(self._dots[2]))


def _size(view: View, ratio: float) -> tuple[int, int]:
    """Of the image for such a view, in its own px."""
    return math.ceil((view.width + 2 * MARGIN) * ratio), math.ceil((view.height + 2 * MARGIN) * ratio)


def _new_image(width: int, height: int, ratio: float) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.setDotsPerMeterX(round(screen_dpi() / 0.0254))
    image.setDotsPerMeterY(round(screen_dpi() / 0.0254))
    return image


def _region(areas: Parts, view: View, around: float) -> QRegion:
    """Areas of the scene as whole pixels of a view, with so much room round each."""
    places = (areas - np.array([view.x, view.y, view.x, view.y])) * view.zoom
    places += np.array([-around, -around, around, around])
    places = np.clip(places, 0.0, np.array([view.width, view.height, view.width, view.height]))
    region = QRegion()
    for left, top, right, bottom in places.tolist():
        if right > left and bottom > top:
            x, y = math.floor(left), math.floor(top)
            region += QRect(x, y, math.ceil(right) - x, math.ceil(bottom) - y)
    return region


def _dotted(tokens: Tokens, ratio: float) -> QPixmap:
    """A piece of ground: many dots wide, for a brush is copied row by row, and long rows are copied faster."""
    side = math.ceil(GRID_DOTS * ratio)
    one = QPixmap(side, side)
    one.setDevicePixelRatio(ratio)
    one.fill(QColor(tokens.canvas))
    many = QPixmap(side * TILES, side)
    painter = QPainter(one)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.border))
        painter.drawEllipse(QPointF(12.0, 12.0), 1.0, 1.0)
    finally:
        painter.end()
    one.setDevicePixelRatio(1.0)
    painter = QPainter(many)
    try:
        painter.drawTiledPixmap(many.rect(), one)
    finally:
        painter.end()
    many.setDevicePixelRatio(ratio)
    return many
