"""Far views: nodes as blocks, edges as lines a pixel wide, all of one colour at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPainter

from gradviz.draw.batch import draw_lines, draw_rects
from gradviz.draw.colors import qcolor
from gradviz.draw.looks import BLOCKS, BOXES, DRAWN_ORDER, EDGES
from gradviz.draw.nearby import Area, Indices
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.segments import Segments
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.scene.model import Look, State, States


def paint_far(
    painter: QPainter,
    tokens: Tokens,
    segments: Segments,
    columns: NDArray[Any],
    states: States,
    view: View,
    boxes: Indices,
    edges: Indices | None,
    level: str,
    grid: PixelGrid | None = None,
    area: Area | None = None,
) -> None:
    """These boxes (of the rows `columns`) and these edges, or those of an area, or all.

    `level`: far | blocks; `grid`: see Picture.paint.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    origin = np.array([view.x, view.y, view.x, view.y], np.float32)[:, None]
    zoom = np.float32(view.zoom)
    pieces, edge = segments.far(view.zoom, edges, area)
    lines, looks = (pieces - origin) * zoom, states.edge[edge]
    for look, of_look in _by_kind(lines, looks, DRAWN_ORDER):
        _draw_lines(painter, of_look, qcolor(tokens, EDGES[Look(look)].stroke), view.ratio, grid)
    rects, of_state = columns, states.box
    if len(boxes) < len(of_state):
        rects, of_state = np.take(columns, boxes, axis=1), of_state[boxes]
    rects = (rects - origin) * zoom
    for state, chosen in _by_kind(rects, of_state, State):
        if level == "blocks":
            _draw_blocks(painter, chosen, qcolor(tokens, BLOCKS[State(state)]), view.ratio, grid)
        else:
            style = BOXES[state]
            draw_rects(painter, _sized(chosen), qcolor(tokens, style.fill), qcolor(tokens, style.stroke))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _by_kind(places: NDArray[Any], kinds: NDArray[Any], order: Iterable[int]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Kinds that there are, in this order, and the columns of `places` of each: mostly one has them all."""
    counts = np.bincount(kinds).tolist()
    for kind in order:
        count = counts[kind] if kind < len(counts) else 0
        if count == len(kinds) and count:
            yield kind, places
        elif count:
            yield kind, np.take(places, np.flatnonzero(kinds == kind), axis=1)


def _draw_lines(painter: QPainter, lines: NDArray[Any], ink: QColor, ratio: float, grid: PixelGrid | None) -> None:
    if grid is not None and lines.size:
        lines = lines[:, grid.lines(lines * np.float32(ratio), ink.rgb())]
    draw_lines(painter, lines.T, ink)


def _draw_blocks(painter: QPainter, rects: NDArray[Any], ink: QColor, ratio: float, grid: PixelGrid | None) -> None:
    if grid is not None and rects.size:
        rects = rects[:, grid.blocks(rects * np.float32(ratio), ink.rgb())]
    draw_rects(painter, _sized(rects), ink)


def _sized(rects: NDArray[Any]) -> NDArray[Any]:
    """Left, top, right, bottom as rows to x, y, width, height as columns; nothing is smaller than a px."""
    columns: NDArray[Any] = np.concatenate((rects[:2], np.maximum(rects[2:] - rects[:2], 1.0))).T
    return columns
