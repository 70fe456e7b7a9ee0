"""One level of the graph from start to end: layers, columns, order, places, lanes, routes."""

from __future__ import annotations

import numpy as np

from gradviz.layout.own.blocks import Blocks, Firmness
from gradviz.layout.own.columns import fold
from gradviz.layout.own.flat import FlatGraph, FlatPlaces, Style
from gradviz.layout.own.lanes import plan_lanes
from gradviz.layout.own.ordering import Order, ordered
from gradviz.layout.own.ports import place_ports
from gradviz.layout.own.proper import proper
from gradviz.layout.own.ranking import layers
from gradviz.layout.own.routing import Router

_LABEL_ROOM = 8.0
_STAIRCASE = 2.5  # times the fullest layer; broader than that, a drawing drifts to one side
_BROAD = 4000.0  # px; a narrower drawing may drift
_WORTH = {Firmness.SPINE: 0.92, Firmness.BENT: 0.8}  # of the width at most, for a drawing to give up so much
_QUICK = 20_000  # vertices up to which another try costs next to nothing


def arrange_level(graph: FlatGraph, style: Style) -> FlatPlaces:
    if not graph.widths:
        return FlatPlaces([], [], [], [], 0.0, 0.0)
    layer = layers(graph)
    pitch = np.zeros(max(layer) + 1)
    np.maximum.at(pitch, layer, graph.heights)
    gap = np.full(len(pitch), style.layer_gap)
    if graph.head:
        above = np.maximum(np.asarray(layer)[graph.head] - 1, 0)
        np.maximum.at(gap, above, np.asarray(graph.label_h) + _LABEL_ROOM)
    pitch += gap
    column = fold(graph, layer, pitch, style)
    layered = proper(graph, layer, column, style)
    order = ordered(layered, graph.hint, style.line_gap, style.effort)
    blocks, x, widths = _place(order, style)
    ports = place_ports(graph, blocks, x)
    level = _levels(pitch, column)
    lanes = plan_lanes(graph, layered, x, widths, level, style)
    shift = np.asarray(lanes.column_x)[np.asarray(column)[np.asarray(layered.layer)]]
    placed = (np.asarray(x) + shift).tolist()
    return Router(graph, layered, ports, placed, lanes, style).places()


def _place(order: Order, style: Style) -> tuple[Blocks, list[float], list[float]]:
    """The blocks, every vertex's x from its column's left border, and the columns' widths."""
    blocks = Blocks(order, style)
    x, widths = _within_columns(blocks)
    bound = max(_BROAD, _STAIRCASE * sum(_packed(blocks)))
    for firm in (Firmness.SPINE, Firmness.BENT):
        if sum(widths) > bound or (firm == Firmness.SPINE and len(x) <= _QUICK):
            other = Blocks(order, style, firm)
            other_x, other_widths = _within_columns(other)
            if sum(other_widths) < _WORTH[firm] * sum(widths):
                blocks, x, widths = other, other_x, other_widths
    return blocks, x, widths


def _within_columns(blocks: Blocks) -> tuple[list[float], list[float]]:
    """Every vertex's x from its column's left border, and the columns' widths."""
    graph = blocks.graph
    x = np.asarray(blocks.places())
    of = np.asarray(graph.column)[np.asarray(graph.layer)]
    count = int(of.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, of, x - np.asarray(graph.left))
    np.maximum.at(high, of, x + np.asarray(graph.right))
    return (x - low[of]).tolist(), (high - low).tolist()


def _packed(blocks: Blocks) -> list[float]:
    """The least width that each column could have: that of its fullest layer."""
    graph = blocks.graph
    least = [0.0] * (max(graph.column) + 1)
    for layer, column in zip(blocks.order.layers, graph.column, strict=True):
        width = sum([graph.left[v] + graph.right[v] for v in layer]) + blocks.order.gap * (len(layer) - 1)
        least[column] = max(least[column], width)
    return least


def _levels(pitch: np.ndarray[tuple[int], np.dtype[np.float64]], column: list[int]) -> list[float]:
    """Roughly where each layer ends, from the top of its column."""
    bottom = np.cumsum(pitch)
    starts = np.flatnonzero(np.diff(np.asarray(column), prepend=-1))
    before = (bottom - pitch)[starts]
    return [float(value) for value in bottom - before[np.asarray(column)]]
