"""Thousands of lines or rectangles in one call: the memory of a numpy array handed to QPainter as Qt's own structs.

Far away every node is a few pixels; a call per node would cost a hundred times the painting itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from shiboken6 import Shiboken


def draw_lines(painter: QPainter, lines: NDArray[Any], color: QColor) -> None:
    """`lines` (k, 4): x1, y1, x2, y2 in device px. No antialiasing."""
    if not len(lines):
        return
    data = np.ascontiguousarray(lines, np.float64)
    painter.setPen(QPen(color, 0))  # one pixel, by the fastest way
    # The array is alive until drawLines returns: nothing keeps the pointer after that.
    first: Any = Shiboken.wrapInstance(data.ctypes.data, QLineF)
    painter.drawLines(first, len(data))


def draw_strokes(painter: QPainter, lines: NDArray[Any], color: QColor, width: float, dash: tuple[float, ...]) -> None:
    """Lines with a width and dashes, antialiased as the painter is; ends reach over corners."""
    if not len(lines):
        return
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap if dash else Qt.PenCapStyle.SquareCap)
    if dash:
        pen.setDashPattern([part / width for part in dash])
    painter.setPen(pen)
    data = np.ascontiguousarray(lines, np.float64)
    first: Any = Shiboken.wrapInstance(data.ctypes.data, QLineF)
    painter.drawLines(first, len(data))


def draw_rects(painter: QPainter, rects: NDArray[Any], fill: QColor, stroke: QColor | None = None) -> None:
    """`rects` (k, 4): x, y, width, height in device px."""
    if not len(rects):
        return
    data = np.ascontiguousarray(rects, np.float64)
    painter.setBrush(QBrush(fill))
    painter.setPen(QPen(stroke, 0) if stroke is not None else QPen(Qt.PenStyle.NoPen))
    first: Any = Shiboken.wrapInstance(data.ctypes.data, QRectF)
    painter.drawRects(first, len(data))


def fill_triangles(painter: QPainter, corners: Sequence[Sequence[Sequence[float]]], fill: QColor) -> None:
    """`corners`: three of each, in px of the painter; antialiased as it is."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(fill))
    # One by one: a single path of hundreds of figures costs the rasteriser more.
    for one, two, three in corners:
        painter.drawConvexPolygon([QPointF(*one), QPointF(*two), QPointF(*three)])
