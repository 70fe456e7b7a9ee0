"""The painted graph as an image that reaches beyond the window, so that panning is a copy and a step a few strokes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPixmap, QRegion

from gradviz.draw.fonts import screen_dpi
from gradviz.draw.picture import Picture, changed_area
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.segments import Area, Indices
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.scene.model import States

MARGIN = 64  # screen px beyond the window on each side
GRID_DOTS = 24
TILES = 40
STROKE = 16.0  # screen px that a ring, an arrow or a label's frame reaches beyond its box
MOST_PATCHES = 48


class Pixels:
    """One picture's image at one zoom."""

    def __init__(self) -> None:
        self._image: QImage | None = None
        self._view: View | None = None  # what the image shows, its margins included
        self._dots: tuple[str, float, QPixmap] | None = None
        self.renders = 0  # for tests and the bench

    def forget(self) -> None:
        self._image = None

    def draw(
        self, painter: QPainter, picture: Picture, tokens: Tokens, states: States, view: View, ratio: float
    ) -> None:
        """Copy the graph into a painter in screen px, painted anew only where the image doesn't reach."""
        if not self._covers(view, ratio):
            self._render(picture, tokens, states, view, ratio)
        image, shown = self._image, self._view
        if image is None or shown is None:
            return
        where = QPointF(
            round((shown.x - view.x) * view.zoom * ratio) / ratio, round((shown.y - view.y) * view.zoom * ratio) / ratio
        )
        painter.drawImage(where, image)

    def patch(self, picture: Picture, tokens: Tokens, before: States, after: States) -> QRegion | None:
        """Bring the image to new states. Returns what changed, in px of the image; None for all of it."""
        image, shown = self._image, self._view
        if image is None or shown is None:
            return None
        boxes, edges = np.flatnonzero(before.box != after.box), np.flatnonzero(before.edge != after.edge)
        if len(boxes) + len(edges) <= MOST_PATCHES and self._strokes(picture, tokens, after, boxes, edges):
            return QRegion(QRect(0, 0, math.ceil(shown.width), math.ceil(shown.height)))
        areas = list(changed_area(picture, before, after))
        if len(areas) > MOST_PATCHES:
            self._image = None
            return None
        region = QRegion()
        for area in areas:
            region = region.united(self._on_screen(area, shown))
        region = region.intersected(QRect(0, 0, math.ceil(shown.width), math.ceil(shown.height)))
        if region.isEmpty():
            return region
        painter = QPainter(image)
        try:
            painter.setClipRegion(region)
            around = region.boundingRect()
            part = replace(
                shown,
                x=shown.x + around.x() / shown.zoom,
                y=shown.y + around.y() / shown.zoom,
                width=around.width(),
                height=around.height(),
            )
            self.ground(painter, tokens, QRectF(around), image.devicePixelRatio())
            painter.translate(around.topLeft())
            picture.paint(painter, tokens, after, part)
        finally:
            painter.end()
        return region

    def _strokes(self, picture: Picture, tokens: Tokens, after: States, boxes: Indices, edges: Indices) -> bool:
        """Far away a change is painted over what was there."""
        if self._image is None or self._view is None:
            return False
        painter = QPainter(self._image)
        try:
            return picture.paint_changes(painter, tokens, after, self._view, boxes, edges)
        finally:
            painter.end()

    def offset(self, view: View) -> tuple[float, float]:
        """From the image's px to the window's."""
        shown = self._view
        if shown is None:
            return 0.0, 0.0
        return (shown.x - view.x) * view.zoom, (shown.y - view.y) * view.zoom

    def _covers(self, view: View, ratio: float) -> bool:
        shown, image = self._view, self._image
        if shown is None or image is None or shown.zoom != view.zoom or image.devicePixelRatio() != ratio:
            return False
        one, other = shown.area(0.5 / view.zoom), view.area()
        return one[0] <= other[0] and one[1] <= other[1] and one[2] >= other[2] and one[3] >= other[3]

    def _render(self, picture: Picture, tokens: Tokens, states: States, view: View, ratio: float) -> None:
        shown = replace(
            view,
            x=view.x - MARGIN / view.zoom,
            y=view.y - MARGIN / view.zoom,
            width=view.width + 2 * MARGIN,
            height=view.height + 2 * MARGIN,
            ratio=ratio,
        )
        size = (math.ceil(shown.width * ratio), math.ceil(shown.height * ratio))
        image = self._image
        if image is None or (image.width(), image.height()) != size or image.devicePixelRatio() != ratio:
            image = QImage(*size, QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(ratio)
            image.setDotsPerMeterX(round(screen_dpi() / 0.0254))
            image.setDotsPerMeterY(round(screen_dpi() / 0.0254))
        grid = PixelGrid(image)
        painter = QPainter(image)
        try:
            self.ground(painter, tokens, QRectF(0, 0, shown.width, shown.height), ratio)
            picture.paint(painter, tokens, states, shown, grid)
        finally:
            painter.end()
        self._image, self._view = image, shown
        self.renders += 1

    def ground(self, painter: QPainter, tokens: Tokens, rect: QRectF, ratio: float) -> None:
        """The canvas's colour with its grid of dots."""
        if self._dots is None or self._dots[:2] != (tokens.name, ratio):
            self._dots = (tokens.name, ratio, _dotted(tokens, ratio))
        painter.fillRect(rect, QBrush(self._dots[2]))

    def _on_screen(self, area: Area, shown: View) -> QRect:
        left, top = (area[0] - shown.x) * shown.zoom - STROKE, (area[1] - shown.y) * shown.zoom - STROKE
        right, bottom = (area[2] - shown.x) * shown.zoom + STROKE, (area[3] - shown.y) * shown.zoom + STROKE
        return QRect(math.floor(left), math.floor(top), math.ceil(right - left) + 1, math.ceil(bottom - top) + 1)


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
