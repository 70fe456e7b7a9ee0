"""Outlines with their icons as small pixmaps: nodes come in few sizes, and copying is far cheaper than drawing."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPixmap

from gradviz.draw.cards import draw_icon_of, draw_outline
from gradviz.draw.looks import BOXES
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import Tokens
from gradviz.scene.model import State

MOST = 600
PAD = 4  # px round the box, for its stroke

Key = tuple[str, int, int, int, int, int, float, bool]


class CardCache:
    """Pixmaps of one painter's boxes, by what they look like and how large they are on the screen."""

    def __init__(self) -> None:
        self._pixmaps: dict[Key, QPixmap] = {}

    def draw(
        self,
        painter: QPainter,
        tokens: Tokens,
        kind: int,
        state: int,
        rect: tuple[float, float, float, float],
        zoom: float,
        with_icon: bool,
    ) -> None:
        """Copy a box's outline to `rect` (x, y of the screen; width, height of the scene), on whole pixels."""
        ratio = painter.device().devicePixelRatioF()
        x, y, width, height = rect
        key = (tokens.name, kind, state, round(width * 4), round(height * 4), round(zoom * 10_000), ratio, with_icon)
        pixmap = self._pixmaps.get(key)
        if pixmap is None:
            if len(self._pixmaps) >= MOST:
                self._pixmaps.clear()
            pixmap = self._pixmaps[key] = _render(tokens, kind, state, width, height, zoom, ratio, with_icon)
        painter.drawPixmap(QPointF(round((x - PAD) * ratio) / ratio, round((y - PAD) * ratio) / ratio), pixmap)


def _render(
    tokens: Tokens, kind: int, state: int, width: float, height: float, zoom: float, ratio: float, with_icon: bool
) -> QPixmap:
    pixmap = QPixmap(math.ceil((width * zoom + 2 * PAD) * ratio), math.ceil((height * zoom + 2 * PAD) * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(0, 0, 0, 0))
    look = BOXES[State(state)]
    painter = QPainter(pixmap)
    try:
        surface = QtSurface(painter, tokens)
        with surface.moved(PAD, PAD, zoom):
            rect = (0.0, 0.0, width, height)
            draw_outline(surface, kind, rect, 0.0, look.fill, look.stroke, look.pen, look.dash)
            if with_icon:
                draw_icon_of(surface, kind, rect, look)
    finally:
        painter.end()
    return pixmap
