"""The fall-back: never at a loss, boxes apart, linear."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from gradviz.layout.model import Request
from gradviz.layout.simple import SimpleEngine, frames_round
from tests.unit.layout import geometry
from tests.unit.layout.geometry import Drawing
from tests.unit.layout.graphs import request, requests


@settings(max_examples=60, deadline=None)
@given(wanted=requests())
def test_boxes_stand_apart_whatever_the_graph(wanted: Request) -> None:
    drawing = Drawing(wanted, SimpleEngine().arrange(wanted))
    assert geometry.overlapping_nodes(drawing) == []
    assert len(drawing.result.offsets) == len(wanted.tail) + 1


@pytest.mark.parametrize("direction", ["down", "right"])
def test_edges_lead_from_border_to_border(direction: str) -> None:
    wanted = request(4, [(0, 1), (1, 2), (0, 3)], direction=direction)
    drawing = Drawing(wanted, SimpleEngine().arrange(wanted))
    assert geometry.loose_ends(drawing) == []


def test_fifty_thousand_boxes_in_a_row_and_in_a_chain() -> None:
    wide = SimpleEngine().arrange(request(50_001, [(0, i) for i in range(1, 50_001)]))
    deep = SimpleEngine().arrange(request(10_000, [(i, i + 1) for i in range(9_999)]))
    assert len(set(wide.y.tolist())) == 2
    assert len(set(deep.y.tolist())) == 10_000


def test_frames_hold_their_nodes_and_the_frames_inside() -> None:
    # GIVEN a group within a group, and an empty one
    wanted = request(3, [(0, 1), (1, 2)], group=[0, 1, -1], parent=[-1, 0, -1])
    result = SimpleEngine().arrange(wanted)
    drawing = Drawing(wanted, result)
    assert geometry.contains(drawing.frame(0), drawing.box(0))
    assert geometry.contains(drawing.frame(1), drawing.box(1))
    assert geometry.contains(drawing.frame(0), drawing.frame(1))
    assert frames_round(wanted, result.x, result.y)[2].tolist() == [0, 0, 0, 0]


def test_a_cycle_is_cut_where_it_runs_against_the_order_of_steps() -> None:
    result = SimpleEngine().arrange(request(3, [(0, 1), (1, 2), (2, 0)]))
    assert np.all(np.diff(result.y) > 0)
