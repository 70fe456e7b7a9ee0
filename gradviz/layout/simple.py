"""The fall-back: networkx's topological generations as rows, straight edges. Ugly, but linear and never at a loss."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gradviz.layout.model import FloatArray, Request, Result

_HEADROOM = 8.0  # between a label and the boxes above and below it


class SimpleEngine:
    """Rows by generation, in the order given; frames are dropped to the boxes round their nodes."""

    name = "simple"
    limit = 1_000_000

    def available(self) -> bool:
        return True

    def arrange(self, request: Request) -> Result:
        options = request.options
        right = options.direction == "right"
        wide, high = (request.heights, request.widths) if right else (request.widths, request.heights)
        labels = request.label_sizes[:, ::-1] if right else request.label_sizes
        row = _rows(request)
        gap = max(options.layer_gap, float(labels[:, 1].max(initial=0.0)) + _HEADROOM)
        x = _along(row, wide, options.node_gap)
        tallest = np.zeros(int(row.max(initial=-1)) + 1, np.float64)
        np.maximum.at(tallest, row, high)
        top = np.concatenate(([0.0], np.cumsum(tallest + gap)))[:-1]
        y = (top + tallest / 2)[row] if len(row) else np.empty(0)
        points = np.empty((2 * len(request.tail), 2), np.float64)
        down = row[request.tail] <= row[request.head]
        half = np.where(down, 0.5, -0.5)
        points[0::2, 0], points[1::2, 0] = x[request.tail], x[request.head]
        points[0::2, 1] = y[request.tail] + half * high[request.tail]
        points[1::2, 1] = y[request.head] - half * high[request.head]
        middle = (points[0::2] + points[1::2]) / 2
        middle[~request.label_sizes.any(axis=1)] = np.nan
        places = np.stack([x, y])
        if right:
            places, points, middle = places[::-1], points[:, ::-1], middle[:, ::-1]
        x, y = np.ascontiguousarray(places, np.float32)
        return Result(
            x=x,
            y=y,
            points=np.ascontiguousarray(points, np.float32),
            offsets=np.arange(0, 2 * len(request.tail) + 1, 2, dtype=np.int32),
            labels=np.ascontiguousarray(middle, np.float32),
            group_rects=frames_round(request, x, y),
            width=float((x + request.widths / 2).max(initial=0.0)),
            height=float((y + request.heights / 2).max(initial=0.0)),
            engine=self.name,
        )


def _rows(request: Request) -> NDArray[np.int64]:
    """Generation of each node; edges that close a cycle (against the order of the hints) are left out of the count."""
    count = len(request.widths)
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(range(count))
    proper = request.tail != request.head
    graph.add_edges_from(zip(request.tail[proper].tolist(), request.head[proper].tolist(), strict=True))
    if not nx.is_directed_acyclic_graph(graph):
        hint = request.rank_hint if request.rank_hint is not None else np.arange(count)
        key = list(zip(hint.tolist(), range(count), strict=True))
        graph.remove_edges_from([(a, b) for a, b in graph.edges if key[a] > key[b]])
    row = np.zeros(count, np.int64)
    for index, generation in enumerate(nx.topological_generations(graph)):
        row[generation] = index
    return row


def _along(row: NDArray[np.int64], wide: FloatArray, gap: float) -> NDArray[np.float64]:
    """Places along each row, nodes in the order given, every row centred on the widest."""
    order = np.argsort(row, kind="stable")
    step = wide[order].astype(np.float64) + gap
    end = np.cumsum(step)
    _, first, size = np.unique(row[order], return_index=True, return_counts=True)
    base = (end - step)[first]
    length = end[first + size - 1] - base - gap
    shift = (length.max(initial=0.0) - length) / 2 - base
    x = np.empty(len(row), np.float64)
    x[order] = end - step + wide[order] / 2 + np.repeat(shift, size)
    return x


def frames_round(request: Request, x: FloatArray, y: FloatArray) -> FloatArray:
    """Boxes round the nodes of each group: what an engine without groups can offer. They may overlap foreign nodes."""
    parent = request.group_parent
    low = np.full((len(parent), 2), np.inf)
    high = np.full((len(parent), 2), -np.inf)
    size = np.stack([request.widths, request.heights], axis=1) / 2
    centre = np.stack([x, y], axis=1)
    group_of = request.group if len(request.group) else np.full(len(x), -1, np.int32)
    member = group_of >= 0
    np.minimum.at(low, group_of[member], (centre - size)[member])
    np.maximum.at(high, group_of[member], (centre + size)[member])
    pad, header = request.options.group_padding, request.options.group_header
    for group in _inner_first(parent.tolist()):
        if np.isfinite(low[group, 0]):
            low[group] -= (pad, pad + header)
            high[group] += pad
        else:
            low[group], high[group] = 0.0, 0.0
        if parent[group] >= 0:
            low[parent[group]] = np.minimum(low[parent[group]], low[group])
            high[parent[group]] = np.maximum(high[parent[group]], high[group])
    return np.concatenate([low, high - low], axis=1).astype(np.float32)


def _inner_first(parent: list[int]) -> list[int]:
    depth = [0] * len(parent)
    for group in range(len(parent)):
        up = parent[group]
        while up >= 0:
            depth[group] += 1
            up = parent[up]
    return sorted(range(len(parent)), key=lambda group: -depth[group])
