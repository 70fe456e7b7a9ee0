"""Leaves at the right of what they belong to: the same faultless drawings, with a straight line of layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gradviz.layout.model import Request, Result
from gradviz.layout.own.engine import OwnEngine
from gradviz.layout.own.sides import MOST_BOXES, fold
from tests.unit.layout import geometry
from tests.unit.layout.geometry import Drawing
from tests.unit.layout.graphs import request, requests

ANY_GRAPH = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def aside(wanted: Request) -> Request:
    return replace(wanted, options=replace(wanted.options, aside=True))


def layers(count: int) -> Request:
    """Per layer 0: op, 1: turned weight, 2: weight, 3: bias; each op hands on to the next. All in one group."""
    edges = []
    for at in range(0, 4 * count, 4):
        edges += [(at, at + 3), (at, at + 1), (at + 1, at + 2)]
        if at:
            edges.append((at - 4, at))
    return request(4 * count, edges, label=(50, 16), group=[0] * (4 * count), parent=[-1])


@ANY_GRAPH
@given(wanted=requests())
def test_any_graph_is_drawn_without_fault(wanted: Request) -> None:
    drawing = Drawing(aside(wanted), OwnEngine().arrange(aside(wanted)))
    assert geometry.overlapping_nodes(drawing) == []
    assert geometry.edges_through_nodes(drawing) == []
    assert geometry.loose_ends(drawing) == []
    assert geometry.slanted(drawing) == []
    assert geometry.label_faults(drawing) == []
    assert geometry.frame_faults(drawing) == []
    whole = (0.0, 0.0, drawing.result.width, drawing.result.height)
    assert all(geometry.contains(whole, rect) for rect in drawing.boxes())
    assert all(geometry.contains(whole, (x, y, x, y)) for x, y in drawing.result.points.tolist())


def test_leaves_stand_at_the_right_and_layers_below_each_other() -> None:
    wanted = layers(4)
    beside, below = OwnEngine().arrange(aside(wanted)), OwnEngine().arrange(wanted)
    ops, turned, weights, biases = (np.arange(first, 16, 4) for first in range(4))
    # the ops are one straight line; what leads to the weight is level with its op, and the bias is below the weight
    assert np.ptp(beside.x[ops]) < 0.01
    assert np.allclose(beside.y[turned], beside.y[ops]) and np.allclose(beside.y[weights], beside.y[ops])
    assert (beside.x[turned] > beside.x[ops]).all() and (beside.x[weights] > beside.x[turned]).all()
    assert (beside.y[biases] > beside.y[weights]).all() and np.allclose(beside.x[biases], beside.x[weights])
    # a staircase is twice as broad
    assert beside.width < 0.5 * below.width and beside.height < 1.2 * below.height


def test_the_end_of_a_line_stays_below() -> None:
    wanted = aside(request(3, [(0, 1), (1, 2)], group=[0, 0, 0], parent=[-1]))
    result = OwnEngine().arrange(wanted)
    assert np.ptp(result.x) < 0.01 and result.y[0] < result.y[1] < result.y[2]


def test_outside_groups_leaves_stay_below_and_so_do_labels_of_findings() -> None:
    free = layers(3)
    assert fold(aside(replace(free, group=np.empty(0, np.int32), group_parent=np.empty(0, np.int32)))) is None
    framed = aside(layers(3))
    framed.label_sizes[:] = (50, 28)
    assert fold(framed) is None


def test_graphs_too_large_to_read_and_other_directions_stay_as_they_were() -> None:
    large = aside(layers(MOST_BOXES // 4 + 1))
    assert fold(large) is None
    small = layers(2)
    assert fold(replace(small, options=replace(small.options, aside=True, direction="right"))) is None


@pytest.mark.parametrize("edges", [[(0, 0), (0, 1)], [(0, 1), (1, 0), (0, 2)]], ids=["to itself", "round"])
def test_where_edges_lead_back_up_leaves_stay_below(edges: list[tuple[int, int]]) -> None:
    wanted = aside(request(3, edges, group=[0, 0, 0], parent=[-1]))
    assert fold(wanted) is None
    drawing = Drawing(wanted, OwnEngine().arrange(wanted))
    assert geometry.loose_ends(drawing) == [] and geometry.edges_through_nodes(drawing) == []


def test_the_same_request_gives_the_same_drawing() -> None:
    first, second = OwnEngine().arrange(aside(layers(5))), OwnEngine().arrange(aside(layers(5)))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(arrays(first), arrays(second), strict=True))


def arrays(result: Result) -> list[np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    return [result.x, result.y, result.points, result.offsets, result.labels, result.group_rects]
