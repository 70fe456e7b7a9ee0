"""What a scene is painted on: QPainter and the SVG writer offer the same few figures, so both give the same picture.

Coordinates are the scene's px; widths of strokes and dashes are px of the screen at any zoom. Colours are tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from gradviz.draw.fonts import font, metrics
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import TextStyle, Tokens

Points = Sequence[Sequence[float]]
Dash = tuple[float, ...]


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

    def text(
        self, x: float, middle: float, text: str, style: TextStyle, color: str, align: str = "left", weight: int = 0
    ) -> None:
        """One line; `middle` is the height of its centre, `x` its left edge, centre or right edge."""

    def icon(self, name: str, x: float, y: float, size: float = 16.0, ink: str = "text2") -> None: ...

    def hatch(self, x: float, y: float, width: float, height: float, color: str, radius: float = 0) -> None: ...

    def moved(self, x: float, y: float, scale: float = 1.0) -> AbstractContextManager[None]:
        """Within: (0, 0) is (x, y), and all is `scale` times as large."""


def text_width(text: str, style: TextStyle, weight: int = 0) -> float:
    return metrics(style, weight).horizontalAdvance(text)


def fitted(text: str, style: TextStyle, width: float, weight: int = 0) -> str:
    """The text, elided at its end where it is wider than `width`."""
    measure = metrics(style, weight)
    if measure.horizontalAdvance(text) <= width:
        return text
    return measure.elidedText(text, Qt.TextElideMode.ElideRight, width)


def fitted_path(text: str, style: TextStyle, width: float) -> str:
    """A dotted name without its first parts where it is wider than `width`: the end tells it from its neighbours."""
    measure = metrics(style)
    parts = text.split(".")
    while len(parts) > 1 and measure.horizontalAdvance(text) > width:
        parts = parts[1:]
        text = "…" + ".".join(parts)
    return fitted(text, style, width)


HATCH_GAP = 5.0


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
    """A QPainter that is already active; whoever began it ends it."""

    def __init__(self, painter: QPainter, tokens: Tokens, zoom: float = 1.0) -> None:
        self.painter = painter
        self.tokens = tokens
        self.zoom = zoom
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

    def text(
        self, x: float, middle: float, text: str, style: TextStyle, color: str, align: str = "left", weight: int = 0
    ) -> None:
        measure = metrics(style, weight)
        if align != "left":
            width = measure.horizontalAdvance(text)
            x -= width / 2 if align == "center" else width
        self.painter.setFont(font(style, weight))
        self.painter.setPen(QColor(self.tokens.color(color)))
        self.painter.drawText(QPointF(x, middle + (measure.ascent() - measure.descent()) / 2), text)

    def icon(self, name: str, x: float, y: float, size: float = 16.0, ink: str = "text2") -> None:
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

    def _use(self, fill: str, stroke: str, width: float, dash: Dash) -> None:
        self.painter.setBrush(QBrush(QColor(self.tokens.color(fill))) if fill else Qt.BrushStyle.NoBrush)
        self.painter.setPen(self._pen(stroke, width, dash) if stroke else QPen(Qt.PenStyle.NoPen))

    def _pen(self, stroke: str, width: float, dash: Dash) -> QPen:
        pen = QPen(QColor(self.tokens.color(stroke)), width / self.zoom)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if dash:
            pen.setDashPattern([part / width for part in dash])
        return pen
