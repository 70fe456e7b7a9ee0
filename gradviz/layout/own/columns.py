"""Where a tall drawing is folded: the column of each layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import FlatGraph, Style

_CANDIDATES = 48
_EARLY = 0.15  # of its layers that a column may be short of
_CHANNEL = 16.0  # above and below a column, for the lines to the next


def fold(graph: FlatGraph, layer: list[int], pitch: NDArray[np.float64], style: Style) -> list[int]:
    """Column of each layer. `pitch` is each layer's height with the gap below it.

    Columns as high as the viewport, broken before the layer that would leave it, where the whole fits beside each
    other; else the height that lets the whole be shown largest.
    """
    count = len(pitch)
    view_w, view_h = style.viewport
    bottom = np.cumsum(pitch)
    if not style.wrap or count < 2 or bottom[-1] - style.layer_gap <= view_h:
        return [0] * count
    broad = np.zeros(count)
    np.add.at(broad, np.asarray(layer), graph.sizes[0] + style.node_gap)
    tallest = float(pitch.max())
    lane = max(style.lane, max(graph.label_w, default=0.0) + _CHANNEL / 2)
    cuts = _cuts(graph, layer, count)
    heights = [max(view_h - 2 * _CHANNEL, tallest)]
    columns = 2.0
    while columns < count and len(heights) < _CANDIDATES:
        heights.append(bottom[-1] / columns + tallest / 2)
        columns = max(columns + 1, round(columns * 1.15))
    best: tuple[float, int] | None = None
    starts = [0]
    for height in heights:
        breaks = _breaks(bottom, height + style.layer_gap, cuts)
        width = float(np.maximum.reduceat(broad, breaks).sum()) + lane * (len(breaks) - 1)
        high = float(np.diff(np.append(np.concatenate(([0.0], bottom))[breaks], bottom[-1])).max())
        scale = min(1.0, view_w / width, view_h / (high - style.layer_gap + 2 * _CHANNEL))
        if best is None or (scale, -len(breaks)) > best:
            best, starts = (scale, -len(breaks)), breaks
    column = np.zeros(count, np.int64)
    column[starts[1:]] = 1
    return [int(value) for value in np.cumsum(column)]


def _cuts(graph: FlatGraph, layer: list[int], count: int) -> NDArray[np.int64]:
    """How many edges would be cut by a break before each layer."""
    change = np.zeros(count + 1, np.int64)
    level = np.asarray(layer)
    tail, head = graph.ends
    np.add.at(change, level[tail] + 1, 1)
    np.add.at(change, level[head] + 1, -1)
    return np.cumsum(change)[:count]


def _breaks(bottom: NDArray[np.float64], height: float, cuts: NDArray[np.int64]) -> list[int]:
    """First layers of the columns. A tall column ends a little early where that cuts fewer edges."""
    starts = [0]
    done = 0.0
    while True:
        end = int(np.searchsorted(bottom, done + height, side="right"))
        end = max(end, starts[-1] + 1)
        if end >= len(bottom):
            return starts
        early = end - int((end - starts[-1]) * _EARLY)
        end -= int(np.argmin(cuts[early : end + 1][::-1]))
        starts.append(end)
        done = float(bottom[end - 1])
