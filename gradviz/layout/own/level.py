"""One level of the graph from start to end: layers, columns, order, places, lanes, routes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.blocks import Blocks, Firmness
from gradviz.layout.own.columns import fold
from gradviz.layout.own.flat import FlatGraph, FlatPlaces, Routes, Style, beginnings
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
        return FlatPlaces(np.empty(0), np.empty(0), Routes.of([]), np.empty((0, 2)), 0.0, 0.0)
    layer = layers(graph)
    pitch = np.zeros(max(layer) + 1)
    np.maximum.at(pitch, np.asarray(layer), graph.sizes[1])
    gap = np.full(len(pitch), style.layer_gap)
    if graph.head:
        above = np.maximum(np.asarray(layer)[graph.ends[1]] - 1, 0)
        np.maximum.at(gap, above, graph.label_sizes[1] + _LABEL_ROOM)
    pitch += gap
    column = fold(graph, layer, pitch, style)
    layered = proper(graph, layer, column, style)
    order = ordered(layered, graph.hint, style.line_gap, style.effort)
    blocks, x, widths = _place(order, style)
    ports = place_ports(graph, blocks, x)
    level = _levels(pitch, column)
    lanes = plan_lanes(graph, layered, x, widths, level, style)
    shift = np.asarray(lanes.column_x)[np.asarray(column)[layered.arrays.layer]]
    return Router(graph, layered, ports, x + shift, lanes, style).places()


def _place(order: Order, style: Style) -> tuple[Blocks, NDArray[np.float64], list[float]]:
    """The blocks, every vertex's x from its column's left border, and the columns' widths."""
    blocks = Blocks(order, style)
    x, widths = _within_columns(blocks)
    least = sum(_packed(blocks))
    bound = max(_BROAD, _STAIRCASE * least)
    for firm in (Firmness.SPINE, Firmness.BENT):
        if least >= _WORTH[firm] * sum(widths):
            continue
        if sum(widths) > bound or (firm == Firmness.SPINE and len(x) <= _QUICK):
            other = Blocks(order, style, firm)
            other_x, other_widths = _within_columns(other)
            if sum(other_widths) < _WORTH[firm] * sum(widths):
                blocks, x, widths = other, other_x, other_widths
    return blocks, x, widths


def _within_columns(blocks: Blocks) -> tuple[NDArray[np.float64], list[float]]:
    """Every vertex's x from its column's left border, and the columns' widths."""
    arrays = blocks.graph.arrays
    x = blocks.places()
    of = np.asarray(blocks.graph.column)[arrays.layer]
    count = int(of.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, of, x - arrays.left)
    np.maximum.at(high, of, x + arrays.right)
    return x - low[of], (high - low).tolist()


def _packed(blocks: Blocks) -> list[float]:
    """The least width that each column could have: that of its fullest layer."""
    arrays, column = blocks.graph.arrays, np.asarray(blocks.graph.column)
    width = np.bincount(arrays.layer, arrays.left + arrays.right + blocks.order.gap, len(column)) - blocks.order.gap
    least = np.zeros(int(column.max()) + 1)
    np.maximum.at(least, column, width)
    return [float(value) for value in least]


def _levels(pitch: NDArray[np.float64], column: list[int]) -> list[float]:
    """Roughly where each layer ends, from the top of its column."""
    bottom = np.cumsum(pitch)
    of = np.asarray(column)
    before = (bottom - pitch)[beginnings(of)]
    return [float(value) for value in (bottom - before[of]).tolist()]
