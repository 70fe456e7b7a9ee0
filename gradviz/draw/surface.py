"""What a scene is painted on: QPainter and the SVG writer offer the same few figures, so both give the same picture.

Coordinates are the scene's px; widths of strokes and dashes are px of the screen at any zoom. Colours are tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF, QStaticText, QTransform

from gradviz.draw.batch import draw_rects
from gradviz.draw.colors import qcolor
from gradviz.draw.copies import draw_copies
from gradviz.draw.fonts import font, metrics
from gradviz.draw.icons import draw_icon, icon_pixmap_cached
from gradviz.draw.tokens import TextStyle, Tokens

Points = Sequence[Sequence[float]]
Dash = tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """A rounded rectangle (`rect` and `radius`), or a line through `points`, closed or not."""

    rect: tuple[float, float, float, float] | None = None
    radius: float = 0.0
    points: Points = ()
    closed: bool = False


class Surface(Protocol):
    """Something to paint on. `zoom` is px of the screen per px of the scene where we are."""

    tokens: Tokens
    zoom: float

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        radius: float = 0,
        fill: str = "",
        stroke: str = "",
        pen: float = 1.0,
        dash: Dash = (),
    ) -> None: ...

    def poly(
        self, points: Points, closed: bool = False, fill: str = "", stroke: str = "", pen: float = 1.0, dash: Dash = ()
    ) -> None: ...

    def many(
        self, figures: Sequence[Figure], fill: str = "", stroke: str = "", pen: float = 1.0, dash: Dash = ()
    ) -> None:
        """Many figures that look alike, at the price of one."""

    def text(
        self, x: float, middle: float, text: str, style: TextStyle, color: str, align: str = "left", weight: int = 0
    ) -> None:
        """One line; `middle` is the height of its centre, `x` its left edge, centre or right edge."""

    def same_text(self, middles: Points, text: str, style: TextStyle, color: str) -> None:
        """One text, centred on many places."""

    def icon(self, name: str, x: float, y: float, size: float = 16.0, ink: str = "text2") -> None: ...

    def hatch(self, x: float, y: float, width: float, height: float, color: str, radius: float = 0) -> None: ...

    def moved(self, x: float, y: float, scale: float = 1.0) -> AbstractContextManager[None]:
        """Within: (0, 0) is (x, y), and all is `scale` times as large."""


@lru_cache(maxsize=16384)
def text_width(text: str, style: TextStyle, weight: int = 0) -> float:
    return metrics(style, weight).horizontalAdvance(text)


@lru_cache(maxsize=8192)
def static_text(text: str, style: TextStyle, weight: int = 0) -> tuple[QStaticText, float]:
    """A text laid out once, and the height of its line."""
    made = QStaticText(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    made.prepare(QTransform(), font(style, weight))
    measure = metrics(style, weight)
    return made, measure.ascent() + measure.descent()


@lru_cache(maxsize=64)
def baseline(style: TextStyle, weight: int = 0) -> float:
    """From the middle of a line down to its baseline."""
    measure = metrics(style, weight)
    return (measure.ascent() - measure.descent()) / 2


@lru_cache(maxsize=16384)
def fitted(text: str, style: TextStyle, width: float, weight: int = 0) -> str:
    """The text, elided at its end where it is wider than `width`."""
    measure = metrics(style, weight)
    if measure.horizontalAdvance(text) <= width:
        return text
    return measure.elidedText(text, Qt.TextElideMode.ElideRight, width)


@lru_cache(maxsize=4096)
def fitted_path(text: str, style: TextStyle, width: float) -> str:
    """A dotted name without its first parts where it is wider than `width`: the end tells it from its neighbours."""
    measure = metrics(style)
    parts = text.split(".")
    while len(parts) > 1 and measure.horizontalAdvance(text) > width:
        parts = parts[1:]
        text = "…" + ".".join(parts)
    return fitted(text, style, width)


HATCH_GAP = 5.0
LARGEST_ICON = 64  # px that are worth keeping as pixmaps


def hatch_lines(x: float, y: float, width: float, height: float) -> list[tuple[float, float, float, float]]:
    """Rising diagonals, clipped to the box."""
    lines = []
    reach = HATCH_GAP
    while reach < width + height:
        # From the lower left to the upper right: start on the left or bottom edge, end on the top or right edge.
        start = (x, y + reach) if reach <= height else (x + reach - height, y + height)
        end = (x + reach, y) if reach <= width else (x + width, y + reach - width)
        lines.append((*start, *end))
        reach += HATCH_GAP
    return lines


class QtSurface:
    """A QPainter that is already active; whoever began it ends it.

    `kept`: texts and icons are prepared once. For the window's own thread only, and for the screen: two threads
    can't share a QStaticText, and in a PDF text has to stay text.
    """

    def __init__(self, painter: QPainter, tokens: Tokens, zoom: float = 1.0, kept: bool = False) -> None:
        self.painter = painter
        self.tokens = tokens
        self.zoom = zoom
        self._font: tuple[TextStyle, int] | None = None
        self._kept = kept
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        radius: float = 0,
        fill: str = "",
        stroke: str = "",
        pen: float = 1.0,
        dash: Dash = (),
    ) -> None:
        self._use(fill, stroke, pen, dash)
        if radius:
            self.painter.drawRoundedRect(QRectF(x, y, width, height), radius, radius)
        else:
            self.painter.drawRect(QRectF(x, y, width, height))

    def poly(
        self, points: Points, closed: bool = False, fill: str = "", stroke: str = "", pen: float = 1.0, dash: Dash = ()
    ) -> None:
        self._use(fill, stroke, pen, dash)
        shape = QPolygonF([QPointF(float(x), float(y)) for x, y in points])
        if closed:
            self.painter.drawPolygon(shape)
        else:
            self.painter.drawPolyline(shape)

    def many(
        self, figures: Sequence[Figure], fill: str = "", stroke: str = "", pen: float = 1.0, dash: Dash = ()
    ) -> None:
        # One by one: a single path of hundreds of figures costs the rasteriser three times as much.
        painter = self.painter
        if fill and not stroke and all(figure.rect is not None and not figure.radius for figure in figures):
            draw_rects(painter, np.array([figure.rect for figure in figures], np.float64), qcolor(self.tokens, fill))
            return
        self._use(fill, stroke, pen, dash)
        for figure in figures:
            if figure.rect is not None:
                painter.drawRoundedRect(QRectF(*figure.rect), figure.radius, figure.radius)
                continue
            shape = [QPointF(x, y) for x, y in figure.points]
            if figure.closed:
                painter.drawConvexPolygon(shape)
            else:
                painter.drawPolyline(shape)

    def text(
        self, x: float, middle: float, text: str, style: TextStyle, color: str, align: str = "left", weight: int = 0
    ) -> None:
        if align != "left":
            width = text_width(text, style, weight)
            x -= width / 2 if align == "center" else width
        if self._font != (style, weight):
            self.painter.setFont(font(style, weight))
            self._font = (style, weight)
        self.painter.setPen(qcolor(self.tokens, color))
        if self._kept:
            kept, high = static_text(text, style, weight)
            self.painter.drawStaticText(QPointF(x, middle - high / 2), kept)
        else:
            self.painter.drawText(QPointF(x, middle + baseline(style, weight)), text)

    def same_text(self, middles: Points, text: str, style: TextStyle, color: str) -> None:
        # The world's, not the combined one: that holds the device's px per px, which stay in force below.
        painter, transform = self.painter, self.painter.worldTransform()
        if not self._kept or transform.isRotating():
            for x, middle in middles:
                self.text(x, middle, text, style, color, "center")
            return
        pixmap, width, height = self._written(text, style, color, transform.m11())
        places = np.array(middles, np.float64) * (transform.m11(), transform.m22()) + (transform.dx(), transform.dy())
        painter.save()
        painter.resetTransform()
        draw_copies(painter, pixmap, places - (width / 2, height / 2))
        painter.restore()

    def _written(self, text: str, style: TextStyle, color: str, zoom: float) -> tuple[QPixmap, float, float]:
        """A text by itself, and how large that is on the screen."""
        ratio = self.painter.device().devicePixelRatioF()
        width = (text_width(text, style) + 2) * zoom
        height = (metrics(style).height() + 2) * zoom
        pixmap = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(QColor(0, 0, 0, 0))
        painter = QPainter(pixmap)
        try:
            surface = QtSurface(painter, self.tokens, kept=True)
            with surface.moved(0.0, 0.0, zoom):
                surface.text(width / zoom / 2, height / zoom / 2, text, style, color, "center")
        finally:
            painter.end()
        return pixmap, width, height

    def icon(self, name: str, x: float, y: float, size: float = 16.0, ink: str = "text2") -> None:
        transform = self.painter.combinedTransform()
        side = round(size * transform.m11())
        if self._kept and 4 <= side <= LARGEST_ICON:
            # On whole pixels, so that it is copied and not resampled.
            left = (round(transform.m11() * x + transform.dx()) - transform.dx()) / transform.m11()
            top = (round(transform.m22() * y + transform.dy()) - transform.dy()) / transform.m22()
            pixmap = icon_pixmap_cached(name, self.tokens, side, ink)
            room = side / transform.m11()
            self.painter.drawPixmap(QRectF(left, top, room, room), pixmap, QRectF(0, 0, side, side))
            return
        draw_icon(self.painter, name, x, y, self.tokens, size, ink)

    def hatch(self, x: float, y: float, width: float, height: float, color: str, radius: float = 0) -> None:
        self._use("", color, 1.2, ())
        for x1, y1, x2, y2 in hatch_lines(x, y, width, height):
            self.painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))

    @contextmanager
    def moved(self, x: float, y: float, scale: float = 1.0) -> Iterator[None]:
        self.painter.save()
        self.painter.translate(x, y)
        self.painter.scale(scale, scale)
        self.zoom *= scale
        try:
            yield
        finally:
            self.zoom /= scale
            self.painter.restore()
            self._font = None

    def _use(self, fill: str, stroke: str, width: float, dash: Dash) -> None:
        self.painter.setBrush(qcolor(self.tokens, fill) if fill else Qt.BrushStyle.NoBrush)
        if not stroke:
            self.painter.setPen(Qt.PenStyle.NoPen)
            return
        pen = QPen(qcolor(self.tokens, stroke), width / self.zoom)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if dash:
            pen.setDashPattern([part / width for part in dash])
        self.painter.setPen(pen)
