"""Graphs in several parts: parts that don't hang together stand in rows, like words on a page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import FREE, FlatGraph, FlatPlaces, Routes, Style
from gradviz.layout.own.level import arrange_level
from gradviz.layout.own.ranking import layers

_ROW_GAP = 2.0  # in layer gaps
_SHAPE = 1.6  # width over height that a page of rows should come to


@dataclass
class _Part:
    """Boxes that hang together, with a guess at their size."""

    boxes: list[int]
    width: float = 0.0
    height: float = 0.0


def arrange_rows(graph: FlatGraph, style: Style) -> FlatPlaces:
    """One level of the graph, its parts in rows; as one row where there is but one part, or boxes on a frame."""
    if _hangs_together(graph) or any(pin != FREE for pin in graph.pin):
        return arrange_level(graph, style)
    part_of, count = _parts(graph)
    if count < 2:
        return arrange_level(graph, style)
    rows = _fill_rows(_guess(graph, part_of, count, style), style)
    if len(rows) == 1:
        return arrange_level(graph, style)
    edges: list[list[int]] = [[] for _ in rows]
    row_of = [0] * len(graph.widths)
    for r, boxes in enumerate(rows):
        for v in boxes:
            row_of[v] = r
    for e, a in enumerate(graph.tail):
        edges[row_of[a]].append(e)
    x, y = np.zeros((2, len(graph.widths)))
    labels = np.full((len(graph.tail), 2), np.nan)
    parts: list[tuple[NDArray[np.int64], Routes, float]] = []
    width = top = 0.0
    for boxes, kept in zip(rows, edges, strict=True):
        places = arrange_level(_only(graph, boxes, kept), style)
        x[boxes], y[boxes] = places.x, top + places.y
        which = np.asarray(kept, np.int64)
        parts.append((which, places.routes, top))
        labels[which] = places.labels + np.array((0.0, top))
        width = max(width, places.width)
        top += places.height + _ROW_GAP * style.layer_gap
    routes = Routes.joined(parts, len(graph.tail))
    return FlatPlaces(x, y, routes, labels, width, top - _ROW_GAP * style.layer_gap)


def _hangs_together(graph: FlatGraph) -> bool:
    """Whether all can be reached from one box, which is so where but one has no edge into it; False is no proof."""
    tail, head = graph.ends
    fed = np.zeros(len(graph.widths), np.bool_)
    fed[head[tail != head]] = True
    return int(len(fed) - fed.sum()) < 2


def _parts(graph: FlatGraph) -> tuple[list[int], int]:
    """The number of the part that each box belongs to, counted in the order of the hints."""
    count = len(graph.widths)
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in zip(graph.tail, graph.head, strict=True):
        near[a].append(b)
        near[b].append(a)
    part = [-1] * count
    parts = 0
    for root in sorted(range(count), key=lambda v: (graph.hint[v], v)):
        if part[root] < 0:
            part[root] = parts
            reached = [root]
            for v in reached:  # grows while it is read
                for w in near[v]:
                    if part[w] < 0:
                        part[w] = parts
                        reached.append(w)
            parts += 1
    return part, parts


def _guess(graph: FlatGraph, part_of: list[int], count: int, style: Style) -> list[_Part]:
    """The broadest layer's width, and the sum of the layers' heights, of each part."""
    level = layers(graph)
    parts = [_Part([]) for _ in range(count)]
    broad: dict[tuple[int, int], float] = {}
    tall: dict[tuple[int, int], float] = {}
    for v, part in enumerate(part_of):
        parts[part].boxes.append(v)
        key = (part, level[v])
        broad[key] = broad.get(key, 0.0) + graph.widths[v] + style.node_gap
        tall[key] = max(tall.get(key, 0.0), graph.heights[v])
    for (part, _), width in broad.items():
        parts[part].width = max(parts[part].width, width)
    for (part, _), height in tall.items():
        parts[part].height += height + style.layer_gap
    return parts


def _fill_rows(parts: list[_Part], style: Style) -> list[list[int]]:
    """The boxes of each row, the tallest parts first, so that neighbours in a row are of like height."""
    area = sum(part.width * part.height for part in parts)
    limit = max([part.width for part in parts] + [(area * _SHAPE) ** 0.5, style.viewport[0]])
    rows: list[list[int]] = []
    filled = limit + 1.0
    for part in sorted(parts, key=lambda part: -part.height):
        if filled + part.width > limit:
            rows.append([])
            filled = 0.0
        rows[-1] += part.boxes
        filled += part.width
    return rows


def _only(graph: FlatGraph, boxes: list[int], edges: list[int]) -> FlatGraph:
    place = {v: i for i, v in enumerate(boxes)}
    return FlatGraph(
        widths=[graph.widths[v] for v in boxes],
        heights=[graph.heights[v] for v in boxes],
        tail=[place[graph.tail[e]] for e in edges],
        head=[place[graph.head[e]] for e in edges],
        label_w=[graph.label_w[e] for e in edges],
        label_h=[graph.label_h[e] for e in edges],
        hint=[graph.hint[v] for v in boxes],
        pin=[FREE] * len(boxes),
        tail_port=[graph.tail_port[e] for e in edges] if graph.tail_port else [],
        head_port=[graph.head_port[e] for e in edges] if graph.head_port else [],
    )
