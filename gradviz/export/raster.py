"""Pictures made of pixels: PNG, and the image that is copied."""

from __future__ import annotations

import math

from PySide6.QtGui import QColor, QImage, QPainter

from gradviz.draw.fonts import screen_dpi
from gradviz.draw.nearby import Area
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface
from gradviz.draw.telling import Tell, nobody
from gradviz.draw.tokens import Tokens
from gradviz.scene.model import States

LONGEST = 16_000  # px of a side: more takes gigabytes, and few programs open it


def image_of(
    picture: Picture,
    states: States,
    tokens: Tokens,
    area: Area,
    scale: float = 1.0,
    transparent: bool = False,
    tell: Tell = nobody,
) -> QImage:
    """The part `area` of the scene at `scale` px per px. Sides over LONGEST are for the caller to avoid."""
    width = max(1, math.ceil((area[2] - area[0]) * scale))
    height = max(1, math.ceil((area[3] - area[1]) * scale))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        raise MemoryError(f"no room for an image of {width} × {height} pixels")
    dots = round(screen_dpi() / 0.0254)  # points of fonts mean the same as on the screen
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    image.fill(QColor(0, 0, 0, 0) if transparent else QColor(tokens.canvas))
    painter = QPainter(image)
    try:
        painter.scale(scale, scale)
        painter.translate(-area[0], -area[1])
        picture.paint_all(QtSurface(painter, tokens), states, area, tell)
    finally:
        painter.end()
    return image
