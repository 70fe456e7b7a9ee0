"""How the own engine draws the graphs that people open: straight spine, columns, frames, large and odd ones."""

from __future__ import annotations

import numpy as np
import pytest
from bench_layout import gpt_edges, lstm_edges, request_of

from gradviz.layout.own.engine import OwnEngine
from tests.unit.layout import geometry
from tests.unit.layout.geometry import Drawing
from tests.unit.layout.graphs import EIGH, request, residual_net

VIEW = (760.0, 470.0)


def drawn(*arguments: object, **options: object) -> Drawing:
    wanted = request(*arguments, **options)  # type: ignore[arg-type]  # handed on as they are
    return Drawing(wanted, OwnEngine().arrange(wanted))


def test_a_chain_is_one_straight_line() -> None:
    drawing = drawn(6, [(i, i + 1) for i in range(5)])
    assert len(set(drawing.result.x.tolist())) == 1
    assert all(len(drawing.route(e)) == 2 for e in range(5))
    assert np.diff(drawing.result.y).tolist() == [64.0] * 5  # 40 high, 24 between


def test_the_spine_of_a_residual_net_is_straight_and_the_long_way_round_beside_it() -> None:
    count, edges = residual_net(4)
    drawing = drawn(count, edges, label=(62, 16))
    spine = [0]
    for a, b in edges:
        if a == spine[-1] and any(tail == b for tail, _ in edges) and b - a <= 2:
            spine.append(b)
    assert len({round(float(drawing.result.x[v]), 3) for v in spine}) == 1
    assert geometry.crossings(drawing) == 0


def test_equal_branches_stand_on_both_sides_of_what_they_join() -> None:
    drawing = drawn(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    x = drawing.result.x
    assert x[0] == x[3] == (x[1] + x[2]) / 2


def test_bends_lie_within_the_gap() -> None:
    drawing = drawn(3, [(0, 1), (0, 2)])
    for e in range(2):
        bends = [y for _, y in drawing.route(e)[1:-1]]
        assert all(y == 52.0 for y in bends)  # midway between 40 and 64


def test_a_tall_drawing_is_folded_into_columns_that_the_viewport_holds() -> None:
    # GIVEN the graph of the picture, 13 layers of boxes in a view of 7
    drawing = drawn(14, EIGH, label=(62, 16), wrap=True, viewport=VIEW)
    # THEN it reads as two columns: down the first, then down the second
    result = drawing.result
    assert result.width <= VIEW[0] and result.height <= VIEW[1]
    first = [v for v in range(14) if result.x[v] < result.width / 2]
    assert first == list(range(8))
    assert result.y[8] <= result.y[1]
    # AND the lines between the columns share a lane, whose labels stand clear of all
    assert geometry.edges_through_nodes(drawing) == []
    assert geometry.label_faults(drawing) == []
    assert geometry.crossings(drawing) == 0


def test_what_fits_is_not_folded() -> None:
    assert len(set(drawn(6, [(i, i + 1) for i in range(5)], wrap=True, viewport=VIEW).result.x.tolist())) == 1


def test_a_folded_drawing_comes_close_to_the_shape_of_the_view() -> None:
    count, edges = gpt_edges(12)
    drawing = drawn(count, edges, wrap=True, viewport=(1600.0, 1000.0))
    assert 0.5 < drawing.result.width / drawing.result.height / 1.6 < 2


def test_folding_to_the_right_makes_rows() -> None:
    drawing = drawn(12, [(i, i + 1) for i in range(11)], wrap=True, viewport=VIEW, direction="right")
    assert drawing.result.width <= VIEW[0]
    assert drawing.result.y[11] > drawing.result.y[0]


def test_to_the_right_labels_stand_above_their_line() -> None:
    drawing = drawn(2, [(0, 1)], label=(62, 16), direction="right")
    (x0, y0), (x1, _) = drawing.route(0)
    label = drawing.label(0)
    assert label is not None
    assert label[3] < y0 and x0 <= label[0] and label[2] <= x1


def test_a_broad_label_makes_room_between_boxes() -> None:
    drawing = drawn(5, [(0, 1), (0, 2), (0, 3), (0, 4)], label=(260, 18))
    assert geometry.label_faults(drawing) == []


def test_a_line_through_frames_is_one_line() -> None:
    # GIVEN a block in a module list, as in the picture of the folded transformer
    edges = [(0, 1), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 6), (6, 7)]
    drawing = drawn(8, edges, group=[-1, 0, 1, 1, 1, 1, 0, -1], parent=[-1, 0], label=(62, 16))
    # THEN the spine is straight through both frames
    spine = [0, 1, 2, 3, 4, 5, 6, 7]
    assert len({round(float(drawing.result.x[v]), 3) for v in spine}) == 1
    assert len(drawing.route(0)) == 2
    assert geometry.crossings(drawing) == 0
    # AND there is room for a header above the content
    assert drawing.box(1)[1] - drawing.frame(0)[1] >= 28
    assert drawing.frame(1)[2] - drawing.frame(1)[0] >= 168


def test_the_way_out_of_a_frame_is_the_spine_even_beside_a_longer_branch() -> None:
    # GIVEN a linear layer: a bias, the way on, and a weight two steps below
    edges = [(0, 1), (1, 2), (1, 3), (1, 4), (4, 5)]
    drawing = drawn(6, edges, group=[-1, 0, 0, -1, 0, 0], parent=[-1], label=(62, 16))
    # THEN what comes after stands straight below what was before
    x = drawing.result.x
    assert x[0] == x[1] == x[3]


def test_a_cycle_that_only_the_groups_make() -> None:
    # GIVEN a chain that leaves a group and comes back
    drawing = drawn(3, [(0, 1), (1, 2)], group=[0, -1, 0], parent=[-1])
    assert geometry.loose_ends(drawing) == []
    assert geometry.edges_through_nodes(drawing) == []
    assert geometry.frame_faults(drawing) == []


def test_blocks_that_are_alike_are_drawn_alike() -> None:
    # GIVEN four equal blocks, one after the other, each with a way round and a leaf
    edges = [(v + a, v + b) for v in range(0, 20, 5) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3), (1, 4))]
    edges += [(v + 3, v + 5) for v in range(0, 15, 5)]
    drawing = drawn(20, edges, group=[v // 5 for v in range(20)], parent=[-1] * 4, label=(62, 16))
    # THEN the two that have the same ends look the same, and all stand clear of each other
    centre = np.stack([drawing.result.x, drawing.result.y], axis=1)
    second, third = centre[5:10] - drawing.frame(1)[:2], centre[10:15] - drawing.frame(2)[:2]
    assert np.allclose(second, third, atol=0.01)
    assert geometry.frame_faults(drawing) == []
    assert geometry.edges_through_nodes(drawing) == []


def test_parts_that_do_not_hang_together_stand_in_rows() -> None:
    drawing = drawn(400, [(2 * i, 2 * i + 1) for i in range(200)])
    assert 0.5 < drawing.result.width / drawing.result.height < 3
    assert geometry.overlapping_nodes(drawing) == []


def _lstm_with_shared_weights(steps: int) -> tuple[int, list[tuple[int, int]]]:
    """Every step's weights are one node: edges as long as the whole graph."""
    count, edges = lstm_edges(steps)
    leaves = sorted(set(range(count)) - {a for a, _ in edges})[-4:]
    kinds = {leaf % 19: leaf for leaf in leaves}
    outs = {a for a, _ in edges}
    return count, [(a, b if b in outs else kinds.get(b % 19, b)) for a, b in edges]


BIG = {
    "lstm": lstm_edges(1000),
    "lstm with shared weights": _lstm_with_shared_weights(200),
    "chain": (10_001, [(i, i + 1) for i in range(10_000)]),
    "fan": (50_001, [(0, i) for i in range(1, 50_001)]),
    "fan in": (20_001, [(i, 0) for i in range(1, 20_001)]),
    "no edges": (50_000, []),
}


@pytest.mark.parametrize("wrap", [False, True], ids=["tall", "folded"])
@pytest.mark.parametrize("name", BIG)
def test_large_and_odd_graphs(name: str, wrap: bool) -> None:
    count, edges = BIG[name]
    wanted = request(count, edges, label=(56, 16), wrap=wrap)
    result = OwnEngine().arrange(wanted)
    assert np.isfinite(result.x).all() and np.isfinite(result.y).all() and np.isfinite(result.points).all()
    assert len(result.offsets) == len(edges) + 1


def test_two_thousand_nodes_in_one_group_and_in_a_hundred() -> None:
    count, edges = lstm_edges(100)
    for groups in (1, 100):
        group = [min(v // (count // groups), groups - 1) for v in range(count)]
        wanted = request(count, edges, group=group, parent=[-1] * groups)
        result = OwnEngine().arrange(wanted)
        assert (result.group_rects[:, 2:] > 0).all()


def test_a_request_as_the_bench_makes_it_has_no_faults() -> None:
    wanted = request_of(*lstm_edges(6))
    drawing = Drawing(wanted, OwnEngine().arrange(wanted))
    assert geometry.edges_through_nodes(drawing) == []
    assert geometry.label_faults(drawing) == []


def test_tall_labels_of_loops_in_neighbouring_layers_stand_clear() -> None:
    drawing = drawn(2, [(0, 0), (0, 1), (1, 1)], label=(210, 16), direction="right")
    assert geometry.label_faults(drawing) == []
    assert geometry.overlapping_nodes(drawing) == []
