"""State, severity and tool icons on a grid of 16, as plain figures that QPainter and the SVG writer draw alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

from gradviz.draw.tokens import Tokens

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Figure:
    """A circle (`radius` > 0 at the only point) or a polyline. Fill and stroke name tokens: "" none, "ink" as asked."""

    points: Points
    radius: float = 0.0
    closed: bool = False
    fill: str = ""
    stroke: str = ""
    width: float = 1.5
    dash: tuple[float, ...] = ()


def _disc(fill: str, radius: float = 7.0) -> Figure:
    return Figure(((8, 8),), radius, fill=fill)


def _ring(stroke: str, radius: float = 5.75, width: float = 1.5, dash: tuple[float, ...] = ()) -> Figure:
    return Figure(((8, 8),), radius, stroke=stroke, width=width, dash=dash)


def _line(*points: tuple[float, float], stroke: str = "ink", width: float = 1.5) -> Figure:
    return Figure(points, stroke=stroke, width=width)


def _poly(*points: tuple[float, float], fill: str = "ink", stroke: str = "", width: float = 1.5) -> Figure:
    return Figure(points, closed=True, fill=fill, stroke=stroke, width=width)


def _octagon(radius: float) -> Points:
    turn = math.pi / 8
    return tuple(
        (round(8 + radius * math.cos(turn + k * 2 * turn), 3), round(8 + radius * math.sin(turn + k * 2 * turn), 3))
        for k in range(8)
    )


def _hollow(*points: tuple[float, float]) -> Figure:
    return Figure(points, closed=True, stroke="ink")


ICONS: dict[str, tuple[Figure, ...]] = {
    # severities and states
    "error": (
        Figure(_octagon(7.6), closed=True, fill="error"),
        _line((5.4, 5.4), (10.6, 10.6), stroke="on_fill", width=1.8),
        _line((10.6, 5.4), (5.4, 10.6), stroke="on_fill", width=1.8),
    ),
    "warning": (
        _poly((8, 1.6), (15, 14), (1, 14), fill="warn_fill", stroke="warn", width=1.0),
        _line((8, 6), (8, 10), stroke="#1B2028", width=1.6),
        Figure(((8, 12),), 0.95, fill="#1B2028"),
    ),
    "note": (
        _ring("note", 6.25, 1.4),
        Figure(((8, 4.9),), 0.95, fill="note"),
        _line((8, 7.2), (8, 11.4), stroke="note"),
    ),
    "done": (_disc("done"), _line((4.9, 8.2), (7.1, 10.4), (11.2, 5.8), stroke="on_fill", width=1.7)),
    "current": (_disc("accent"), _poly((6.3, 4.8), (11.4, 8), (6.3, 11.2), fill="on_fill")),
    "current_on_fill": (_disc("on_fill"), _poly((6.3, 4.8), (11.4, 8), (6.3, 11.2), fill="accent")),
    "pending": (_ring("control", 5.5),),
    "never": (_ring("never", 5.75, 1.4, (3.2, 2.0)), _line((4.6, 11.4), (11.4, 4.6), stroke="never", width=1.4)),
    "breakpoint": (_disc("error", 6.0),),
    "breakpoint_off": (_ring("error", 5.25),),
    "line": (_poly((2, 5.5), (8, 5.5), (8, 2.5), (14, 8), (8, 13.5), (8, 10.5), (2, 10.5), fill="accent"),),
    "nan": (
        _line((3.5, 10), (10, 3.5), stroke="error", width=1.3),
        _line((3.5, 13.2), (13.2, 3.5), stroke="error", width=1.3),
        _line((6.8, 13.2), (13.2, 6.8), stroke="error", width=1.3),
    ),
    # tools, in the colour of the text beside them
    "open": (_hollow((1.5, 12.8), (1.5, 3.2), (6, 3.2), (7.6, 5.2), (14.5, 5.2), (14.5, 12.8)),),
    "save": (_line((8, 2), (8, 9.6)), _line((4.8, 6.8), (8, 10), (11.2, 6.8)), _line((2, 13.2), (14, 13.2))),
    "run": (_poly((4, 2.4), (13.4, 8), (4, 13.6)),),
    "stop": (_poly((3.5, 3.5), (12.5, 3.5), (12.5, 12.5), (3.5, 12.5)),),
    "view_back": (_line((14, 8), (2.5, 8)), _line((7.2, 3.3), (2.5, 8), (7.2, 12.7))),
    "view_forward": (_line((2, 8), (13.5, 8)), _line((8.8, 3.3), (13.5, 8), (8.8, 12.7))),
    "first": (
        _line((2.5, 3), (2.5, 13), width=2),
        _poly((8.6, 3), (8.6, 13), (3.6, 8)),
        _poly((14, 3), (14, 13), (9, 8)),
    ),
    "back": (_line((3.5, 3), (3.5, 13), width=2), _poly((12.5, 3), (12.5, 13), (5.5, 8))),
    "step": (_line((12.5, 3), (12.5, 13), width=2), _poly((3.5, 3), (3.5, 13), (10.5, 8))),
    "last": (
        _line((13.5, 3), (13.5, 13), width=2),
        _poly((7.4, 3), (7.4, 13), (12.4, 8)),
        _poly((2, 3), (2, 13), (7, 8)),
    ),
    "previous_finding": (
        _hollow((8, 2), (14, 12), (2, 12)),
        _line((8, 6), (8, 9.6)),
        _line((12, 14.6), (4, 14.6)),
        _line((6, 13), (4, 14.6), (6, 16)),
    ),
    "next_finding": (
        _hollow((8, 2), (14, 12), (2, 12)),
        _line((8, 6), (8, 9.6)),
        _line((4, 14.6), (12, 14.6)),
        _line((10, 13), (12, 14.6), (10, 16)),
    ),
    "run_to": (_line((1.5, 8), (10, 8)), _line((7, 5), (10, 8), (7, 11)), _line((13.5, 3), (13.5, 13), width=2)),
    "fit": (
        _line((2.5, 6), (2.5, 2.5), (6, 2.5), width=1.8),
        _line((10, 2.5), (13.5, 2.5), (13.5, 6), width=1.8),
        _line((13.5, 10), (13.5, 13.5), (10, 13.5), width=1.8),
        _line((6, 13.5), (2.5, 13.5), (2.5, 10), width=1.8),
    ),
    "search": (Figure(((7, 7),), 4.5, stroke="ink"), _line((10.4, 10.4), (14, 14), width=1.8)),
    "target": (
        _ring("ink", 4.75),
        *(_line(a, b) for a, b in (((8, 1), (8, 4.5)), ((8, 11.5), (8, 15)), ((1, 8), (4.5, 8)), ((11.5, 8), (15, 8)))),
    ),
    "copy": (
        _hollow((5.5, 5.5), (13.5, 5.5), (13.5, 13.5), (5.5, 13.5)),
        _line((10.5, 3.2), (10.5, 2.5), (2.5, 2.5), (2.5, 10.5), (3.2, 10.5)),
    ),
    "wrap": (
        _line((3, 2.5), (3, 12.5), (8, 12.5), (8, 9)),
        _line((8, 12.5), (8, 3.5), (13, 3.5), (13, 9)),
        _line((10.8, 7), (13, 9.4), (15.2, 7)),
    ),
    "across": (
        _hollow((1.5, 5.5), (5.5, 5.5), (5.5, 10.5), (1.5, 10.5)),
        _line((5.5, 8), (14, 8)),
        _line((11, 5), (14, 8), (11, 11)),
    ),
    "plus": (_line((3, 8), (13, 8), width=1.7), _line((8, 3), (8, 13), width=1.7)),
    "minus": (_line((3, 8), (13, 8), width=1.7),),
    "close": (_line((4, 4), (12, 12)), _line((12, 4), (4, 12))),
    "chevron_right": (_line((6, 3.5), (10.5, 8), (6, 12.5)),),
    "chevron_down": (_line((3.5, 6), (8, 10.5), (12.5, 6)),),
    "module": (
        _hollow((8, 1.8), (13.6, 4.9), (13.6, 11.1), (8, 14.2), (2.4, 11.1), (2.4, 4.9)),
        _line((2.4, 4.9), (8, 8), (13.6, 4.9), width=1.2),
        _line((8, 8), (8, 14.2), width=1.2),
    ),
    "document": (
        _hollow((3.2, 1.8), (9.4, 1.8), (12.8, 5.2), (12.8, 14.2), (3.2, 14.2)),
        _line((5.6, 7.6), (10.4, 7.6), width=1.2),
        _line((5.6, 10.4), (10.4, 10.4), width=1.2),
    ),
    "recording": (_line((2, 2), (2, 6), (6.5, 6), (6.5, 10), (11, 10), (11, 13.5), (14.5, 13.5)),),
}
SEVERITY_ICONS = {"error": "error", "warning": "warning", "note": "note"}


def _path(figure: Figure) -> QPainterPath:
    path = QPainterPath()
    if figure.radius:
        (x, y), r = figure.points[0], figure.radius
        path.addEllipse(QRectF(x - r, y - r, 2 * r, 2 * r))
        return path
    path.moveTo(*figure.points[0])
    for point in figure.points[1:]:
        path.lineTo(*point)
    if figure.closed:
        path.closeSubpath()
    return path


_PATHS = {name: tuple(_path(figure) for figure in figures) for name, figures in ICONS.items()}


def icon_path(name: str) -> QPainterPath:
    """All figures of an icon in one path, on the grid of 16."""
    whole = QPainterPath()
    for path in _PATHS[name]:
        whole.addPath(path)
    return whole


def draw_icon(
    painter: QPainter, name: str, x: float, y: float, tokens: Tokens, size: float = 16.0, ink: str = "text2"
) -> None:
    """Draw an icon with its top left corner at (x, y); `ink` (a token) is the colour of tool icons."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.translate(QPointF(x, y))
    painter.scale(size / 16.0, size / 16.0)
    for figure, path in zip(ICONS[name], _PATHS[name]):
        if figure.fill:
            painter.fillPath(path, QColor(tokens.color(ink if figure.fill == "ink" else figure.fill)))
        if figure.stroke:
            pen = QPen(QColor(tokens.color(ink if figure.stroke == "ink" else figure.stroke)), figure.width)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap if figure.dash else Qt.PenCapStyle.RoundCap)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            if figure.dash:
                pen.setDashPattern([part / figure.width for part in figure.dash])
            painter.strokePath(path, pen)
    painter.restore()


def icon_pixmap(name: str, tokens: Tokens, size: int = 16, ratio: float = 1.0, ink: str = "text2") -> QPixmap:
    """An icon as a pixmap for `ratio` physical pixels per logical one."""
    pixmap = QPixmap(math.ceil(size * ratio), math.ceil(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(0, 0, 0, 0))
    painter = QPainter(pixmap)
    try:
        draw_icon(painter, name, 0, 0, tokens, size, ink)
    finally:
        painter.end()
    return pixmap


@lru_cache(maxsize=512)
def icon_pixmap_cached(name: str, tokens: Tokens, size: int, ink: str = "text2") -> QPixmap:
    """For painting many of them; don't change what you get."""
    return icon_pixmap(name, tokens, size, 1.0, ink)


def icon(name: str, tokens: Tokens, size: int = 16, ink: str = "text", disabled: str = "disabled") -> QIcon:
    """An icon for buttons and lists, with its disabled look, sharp on screens of up to 2 pixels per px."""
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(icon_pixmap(name, tokens, size, ratio, ink), QIcon.Mode.Normal)
        made.addPixmap(icon_pixmap(name, tokens, size, ratio, disabled), QIcon.Mode.Disabled)
    return made
