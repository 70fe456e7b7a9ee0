"""A part of a picture by itself: a node's neighbourhood over a dimmed graph, boxes on their way to new places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from gradviz.draw.lines import draw_edges, draw_frame, draw_frame_words, draw_quiet_labels
from gradviz.draw.looks import DRAWN_ORDER, NO_NAMES
from gradviz.draw.picture import Picture
from gradviz.draw.segments import Area, Indices
from gradviz.draw.surface import QtSurface, Surface
from gradviz.scene.model import Scene, States


def neighbours(scene: Scene, box: int) -> tuple[Indices, Indices]:
    """The boxes that an edge joins with `box`, itself among them, and these edges."""
    draft = scene.draft
    edges = np.flatnonzero((draft.tail == box) | (draft.head == box))
    return np.unique(np.concatenate(([box], draft.tail[edges], draft.head[edges]))), edges


def paint_part(picture: Picture, surface: Surface, states: States, boxes: Indices, edges: Indices) -> None:
    """These boxes and edges with their shapes, and nothing else."""
    _edges(picture, surface, states, edges)
    for box in boxes.tolist():
        picture.paint_box(surface, states, box)
    if picture.shapes and surface.zoom >= NO_NAMES:
        draw_quiet_labels(surface, picture.scene, edges.tolist(), states.edge)


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
