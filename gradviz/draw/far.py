"""Far views: nodes as blocks, edges as lines a pixel wide, all of one colour at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from gradviz.draw.batch import draw_lines, draw_rects
from gradviz.draw.colors import qcolor
from gradviz.draw.looks import BLOCKS, BOXES, DRAWN_ORDER, EDGES
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.segments import Indices, Segments
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.scene.model import Look, State, States

_RANK = np.zeros(len(Look), np.int8)
_RANK[list(DRAWN_ORDER)] = np.arange(len(DRAWN_ORDER))


@lru_cache(maxsize=4)
def _edge_colors(tokens: Tokens) -> NDArray[np.uint32]:
    """RGB32 of every look."""
    return np.array([qcolor(tokens, EDGES[look].stroke).rgb() for look in Look], np.uint32)


@lru_cache(maxsize=4)
def _block_colors(tokens: Tokens) -> NDArray[np.uint32]:
    """RGB32 of every state."""
    return np.array([qcolor(tokens, BLOCKS[state]).rgb() for state in State], np.uint32)


def paint_far(
    painter: QPainter,
    tokens: Tokens,
    segments: Segments,
    rects_of: NDArray[Any],
    states: States,
    view: View,
    boxes: Indices,
    edges: Indices | None,
    level: str,
    grid: PixelGrid | None = None,
) -> None:
    """These boxes (places in `rects_of`) and edges (None: all). `level`: far | blocks; `grid`: see Picture.paint."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    origin = np.array([view.x, view.y, view.x, view.y], np.float32)
    pieces, edge = segments.far(view.zoom, edges)
    lines, looks = (pieces - origin) * view.zoom, states.edge[edge]
    order = np.argsort(_RANK[looks], kind="stable")
    lines, looks = lines[order], looks[order]
    if grid is not None:
        left = grid.lines(lines * view.ratio, _edge_colors(tokens)[looks])
        lines, looks = lines[left], looks[left]
    for look in DRAWN_ORDER:
        draw_lines(painter, lines[looks == look], qcolor(tokens, EDGES[look].stroke))
    rects = (rects_of[boxes] - origin) * view.zoom
    of_state = states.box[boxes]
    if grid is not None and level == "blocks":
        left = grid.blocks(rects * view.ratio, _block_colors(tokens)[of_state])
        rects, of_state = rects[left], of_state[left]
    rects[:, 2:] = np.maximum(rects[:, 2:] - rects[:, :2], 1.0)
    for state in State:
        style = BOXES[state]
        chosen = rects[of_state == state]
        if level == "blocks":
            draw_rects(painter, chosen, qcolor(tokens, BLOCKS[state]))
        else:
            draw_rects(painter, chosen, qcolor(tokens, style.fill), qcolor(tokens, style.stroke))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
