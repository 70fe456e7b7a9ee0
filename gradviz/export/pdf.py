"""A scene as one PDF page, with its text as text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from gradviz.draw.fonts import screen_dpi
from gradviz.draw.nearby import Area
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface
from gradviz.draw.telling import Tell, nobody
from gradviz.draw.tokens import Tokens
from gradviz.scene.model import States

LONGEST = 14_400.0  # points of a side: what readers open


def write_pdf(
    path: Path,
    picture: Picture,
    states: States,
    tokens: Tokens,
    area: Area,
    title: str,
    transparent: bool = False,
    tell: Tell = nobody,
) -> str:
    """One page as large as the drawing; returns a remark where it had to be made smaller. Raises OSError."""
    width, height = area[2] - area[0], area[3] - area[1]
    points = 72.0 / 96.0
    scale = min(1.0, LONGEST / (max(width, height) * points))
    writer = QPdfWriter(str(path))
    writer.setTitle(title)
    writer.setCreator("gradviz")
    writer.setPageSize(
        QPageSize(
            QSizeF(width * points * scale, height * points * scale),
            QPageSize.Unit.Point,
            "graph",
            QPageSize.SizeMatchPolicy.ExactMatch,
        )
    )
    writer.setPageLayout(
        QPageLayout(writer.pageLayout().pageSize(), QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0))
    )
    # Fonts are sized in points of the screen: with its resolution they come out as the figures do.
    writer.setResolution(round(screen_dpi()))
    painter = QPainter()
    if not painter.begin(writer):
        raise OSError(0, "the PDF can't be begun")
    try:
        pixel = writer.resolution() / 96.0 * scale
        painter.scale(pixel, pixel)
        painter.translate(-area[0], -area[1])
        surface = QtSurface(painter, tokens)
        if not transparent:
            surface.rect(area[0], area[1], width, height, 0, tokens.canvas)
        picture.paint_all(surface, states, area, tell)
    finally:
        painter.end()
    return "" if scale == 1.0 else f"Drawn at {100 * scale:.0f} %, so that the page is no longer than 200 inches."
