"""A part of a picture by itself: boxes on their way to new places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from gradviz.draw.lines import draw_edges, draw_frame, draw_frame_words
from gradviz.draw.looks import DRAWN_ORDER
from gradviz.draw.nearby import Area, Indices
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface, Surface
from gradviz.scene.model import States


def paint_moving(
    picture: Picture,
    surface: QtSurface,
    states: States,
    area: Area,
    boxes: Indices,
    away: NDArray[np.float64],
    part: float,
) -> None:
    """Boxes on their way: each `away` (n, 2) from its place; frames and edges appear as `part` goes to 1."""
    painter: QPainter = surface.painter
    painter.setOpacity(part * part)
    for card, rect in picture.frames_in(area):
        draw_frame(surface, card, rect)
        draw_frame_words(surface, card, rect, picture.wording)
    _edges(picture, surface, states, picture.edges_in(area))
    painter.setOpacity(1.0)
    for box, (dx, dy) in zip(boxes.tolist(), away.tolist()):
        with surface.moved(dx, dy):
            picture.paint_box(surface, states, box)


def _edges(picture: Picture, surface: Surface, states: States, edges: Indices) -> None:
    looks = states.edge[edges]
    for look in DRAWN_ORDER:
        chosen: Sequence[int] = edges[looks == look].tolist()
        if chosen:
            draw_edges(surface, picture.scene, chosen, look)
