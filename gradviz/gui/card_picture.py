"""Draws a gallery card's little graph in the canvas's own signs: forms for kinds, fill and stroke for states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from gradviz.draw.fonts import font
from gradviz.draw.tokens import DASH_CONSTANT, DASH_NEVER, NODE_LINE, Tokens

# state: (fill, stroke, stroke width, dash)
STATES: dict[str, tuple[str, str, float, tuple[float, ...]]] = {
    "done": ("done_soft", "done", 1.5, ()),
    "current": ("accent", "accent", 1.5, ()),
    "failed": ("error_soft", "error", 2.0, ()),
    "never": ("canvas", "never", 1.25, DASH_NEVER),
    "pending": ("node", "control", 1.0, ()),
    "changed": ("changed_soft", "changed", 1.5, (8.0, 3.0, 2.0, 3.0)),
    "constant": ("canvas", "control", 1.0, DASH_CONSTANT),
}
EDGE_WIDTH = {"done": 2.0, "failed": 2.0, "current": 2.0, "changed": 2.0}


def draw_picture(
    painter: QPainter, picture: Mapping[str, Any], box: tuple[float, float], area: QRectF, tokens: Tokens
) -> None:
    """Draw `picture` (in a box of `box`) as large as fits into `area`, strokes unscaled."""
    scale = min(area.width() / box[0], area.height() / box[1])
    left = area.center().x() - box[0] * scale / 2
    top = area.center().y() - box[1] * scale / 2

    def rect(entry: Mapping[str, Any]) -> QRectF:
        x, y, w, h = (float(entry[key]) * scale for key in ("x", "y", "w", "h"))
        return QRectF(left + x, top + y, w, h)

    nodes: Sequence[Mapping[str, Any]] = picture.get("nodes", ())
    rects = [rect(node) for node in nodes]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for edge in picture.get("edges", ()):
        _edge(painter, rects[edge["from"]], rects[edge["to"]], edge["state"], tokens)
    for node, place in zip(nodes, rects):
        _node(painter, place, node["kind"], node["state"], tokens)
    for cell in picture.get("cells", ()):
        _cell(painter, rect(cell), cell["fill"], tokens)
    for cut in picture.get("cuts", ()):
        _cut(painter, QPointF(left + cut["x"] * scale, top + cut["y"] * scale), tokens)
    for text in picture.get("texts", ()):
        painter.setFont(font(NODE_LINE))
        painter.setPen(QColor(tokens.color(_TEXT_COLORS.get(text.get("state", ""), "text2"))))
        at = QRectF(left + text["x"] * scale, top + text["y"] * scale - 8, 80, 16)
        painter.drawText(at, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text["text"])


_TEXT_COLORS = {"failed": "error", "done": "done", "current": "accent", "changed": "changed"}


def _pen(state: str, tokens: Tokens, width: float = 0.0) -> QPen:
    _, stroke, usual, dash = STATES.get(state, STATES["pending"])
    wide = width or usual
    pen = QPen(QColor(tokens.color(stroke)), wide)
    if dash:
        pen.setDashPattern([part * 0.7 / wide for part in dash])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _edge(painter: QPainter, tail: QRectF, head: QRectF, state: str, tokens: Tokens) -> None:
    painter.setPen(_pen(state, tokens, EDGE_WIDTH.get(state, 1.25)))
    start, end = QPointF(tail.center().x(), tail.bottom()), QPointF(head.center().x(), head.top())
    if abs(tail.center().y() - head.center().y()) < 1:
        start, end = QPointF(tail.right(), tail.center().y()), QPointF(head.left(), head.center().y())
    painter.drawLine(start, end)


def _node(painter: QPainter, place: QRectF, kind: str, state: str, tokens: Tokens) -> None:
    fill = STATES.get(state, STATES["pending"])[0]
    painter.setPen(_pen("constant" if kind == "constant" else state, tokens))
    painter.setBrush(QColor(tokens.color(fill)))
    if kind == "group":
        for offset in (4.0, 2.0):
            painter.drawRoundedRect(place.translated(offset, -offset), 5, 5)
    painter.drawPath(_outline(place, kind))


def _outline(place: QRectF, kind: str) -> QPainterPath:
    path = QPainterPath()
    if kind == "seed":
        shoulder = place.top() + place.height() * 0.55
        points = [place.topLeft(), place.topRight(), QPointF(place.right(), shoulder)]
        points += [QPointF(place.center().x(), place.bottom()), QPointF(place.left(), shoulder)]
        path.addPolygon(QPolygonF([*points, points[0]]))
    elif kind == "custom":
        cut = min(place.height() * 0.3, 5.0)
        corners = [(place.left() + cut, place.top()), (place.right() - cut, place.top())]
        corners += [(place.right(), place.top() + cut), (place.right(), place.bottom() - cut)]
        corners += [(place.right() - cut, place.bottom()), (place.left() + cut, place.bottom())]
        corners += [(place.left(), place.bottom() - cut), (place.left(), place.top() + cut)]
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in [*corners, corners[0]]]))
    else:
        radius = place.height() / 2 if kind == "leaf" else 3.0
        path.addRoundedRect(place, radius, radius)
    return path


def _cell(painter: QPainter, place: QRectF, fill: str, tokens: Tokens) -> None:
    hatched = fill == "hatched"
    painter.setPen(QPen(QColor(tokens.error if hatched else tokens.control), 1))
    painter.setBrush(QColor(tokens.error_soft if hatched else tokens.node))
    painter.drawRoundedRect(place, 1.5, 1.5)
    if hatched:
        painter.save()
        painter.setClipRect(place)
        x = place.left() - place.height()
        while x < place.right():
            painter.drawLine(QPointF(x, place.bottom()), QPointF(x + place.height(), place.top()))
            x += 5
        painter.restore()


def _cut(painter: QPainter, at: QPointF, tokens: Tokens) -> None:
    painter.setPen(QPen(QColor(tokens.error), 2))
    for offset in (-2.5, 2.5):
        painter.drawLine(QPointF(at.x() + offset - 3, at.y() - 4), QPointF(at.x() + offset + 3, at.y() + 4))
