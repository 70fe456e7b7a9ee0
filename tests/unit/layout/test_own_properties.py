"""What every drawing of the own engine holds, whatever the graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gradviz.layout.model import Request, Result
from gradviz.layout.own.engine import OwnEngine
from tests.unit.layout import geometry
from tests.unit.layout.geometry import Drawing
from tests.unit.layout.graphs import request, requests

ANY_GRAPH = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def drawn(wanted: Request) -> Drawing:
    return Drawing(wanted, OwnEngine().arrange(wanted))


@ANY_GRAPH
@given(wanted=requests())
def test_a_drawing_keeps_boxes_lines_labels_and_frames_apart(wanted: Request) -> None:
    # GIVEN any graph, cyclic or not, with any groups
    # WHEN it is arranged
    drawing = drawn(wanted)
    # THEN boxes don't overlap, lines are upright or level, run from border to border and through no box
    assert geometry.overlapping_nodes(drawing) == []
    assert geometry.edges_through_nodes(drawing) == []
    assert geometry.loose_ends(drawing) == []
    assert geometry.slanted(drawing) == []
    # AND labels hide neither boxes nor each other, frames hold their nodes and nobody else's
    assert geometry.label_faults(drawing) == []
    assert geometry.frame_faults(drawing) == []


@ANY_GRAPH
@given(wanted=requests())
def test_all_of_a_drawing_is_within_its_size(wanted: Request) -> None:
    drawing = drawn(wanted)
    result = drawing.result
    whole = (0.0, 0.0, result.width, result.height)
    rects = [*drawing.boxes(), *(drawing.frame(g) for g in range(len(result.group_rects)))]
    rects += [rect for e in range(len(wanted.tail)) if (rect := drawing.label(e)) is not None]
    assert all(geometry.contains(whole, rect) for rect in rects)
    assert all(geometry.contains(whole, (x, y, x, y)) for x, y in result.points.tolist())


@settings(max_examples=30, deadline=None)
@given(wanted=requests())
def test_the_same_request_gives_the_same_drawing(wanted: Request) -> None:
    first, second = OwnEngine().arrange(wanted), OwnEngine().arrange(wanted)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(arrays(first), arrays(second), strict=True))


@settings(max_examples=60, deadline=None)
@given(wanted=requests(cycles=False))
def test_without_cycles_and_folds_every_edge_leads_down(wanted: Request) -> None:
    if wanted.options.wrap or len(wanted.group_parent):
        return
    result = OwnEngine().arrange(wanted)
    along = result.y if wanted.options.direction == "down" else result.x
    assert bool((along[wanted.tail] < along[wanted.head]).all())


def test_labels_are_told_only_where_there_are_some() -> None:
    wanted = request(3, [(0, 1), (1, 2)], label=(62, 16))
    wanted.label_sizes[1] = 0
    result = OwnEngine().arrange(wanted)
    assert np.isfinite(result.labels[0]).all()
    assert np.isnan(result.labels[1]).all()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_next_to_nothing(count: int) -> None:
    result = OwnEngine().arrange(request(count, []))
    assert len(result.x) == count
    assert result.points.shape == (0, 2)
    assert result.offsets.tolist() == [0]


def arrays(result: Result) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    return [result.x, result.y, result.points, result.labels, result.group_rects, result.offsets.astype(np.float32)]
