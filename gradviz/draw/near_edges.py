"""Edges near by: all pieces of one look in one call, in screen px, with their arrows."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from gradviz.draw.batch import draw_lines, draw_strokes, fill_triangles
from gradviz.draw.colors import qcolor
from gradviz.draw.lines import arrowheads
from gradviz.draw.looks import DRAWN_ORDER, EDGES
from gradviz.draw.nearby import Area, Parts
from gradviz.draw.segments import Segments
from gradviz.draw.surface import QtSurface
from gradviz.draw.view import View
from gradviz.scene.model import States

MOST_STROKES = 1000  # smooth lines of one look; a weave of more can't be told apart anyway


def paint_near_edges(
    surface: QtSurface, segments: Segments, states: States, view: View, area: Area, parts: Parts | None
) -> None:
    """Those of an area; with `parts` of it, those that may be there."""
    pieces, edge, pointing = segments.near(area, states.edge, parts)
    origin = np.array([view.x, view.y, view.x, view.y])
    lines, looks, looks_of_tips = (pieces - origin) * view.zoom, states.edge[edge], states.edge[pointing]
    tips = (segments.before_tip(pointing) - origin) * view.zoom
    for look in DRAWN_ORDER:
        chosen, arrows = lines[looks == look], tips[looks_of_tips == look]
        if not len(chosen) and not len(arrows):
            continue
        style = EDGES[look]
        ink = qcolor(surface.tokens, style.stroke)
        if len(chosen) > MOST_STROKES:
            surface.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            draw_lines(surface.painter, chosen, ink)
            surface.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            continue
        draw_strokes(surface.painter, chosen, ink, style.pen, style.dash)
        fill_triangles(surface.painter, arrowheads(arrows, view.zoom), ink)
