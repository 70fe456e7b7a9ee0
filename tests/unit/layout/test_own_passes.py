"""The passes of the own engine, each by itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.layout.own.columns import fold
from gradviz.layout.own.crossings import gap_crossings, inversions
from gradviz.layout.own.flat import ENTRY, EXIT, FREE, FlatGraph, Style
from gradviz.layout.own.groups import tidy
from gradviz.layout.own.labels import GapLabels, LaneLabel, stagger
from gradviz.layout.own.ordering import ordered
from gradviz.layout.own.proper import LONGEST_CHAIN, proper
from gradviz.layout.own.ranking import layers, upward_edges
from gradviz.layout.own.repair import repair
from gradviz.layout.own.rows import arrange_rows
from gradviz.layout.own.tracks import Net, assign, pack

Pairs = list[tuple[int, int]]


def flat(count: int, edges: Pairs, pin: list[int] | None = None, label: float = 0.0) -> FlatGraph:
    return FlatGraph(
        widths=[100.0] * count,
        heights=[40.0] * count,
        tail=[a for a, _ in edges],
        head=[b for _, b in edges],
        label_w=[label] * len(edges),
        label_h=[16.0 if label else 0.0] * len(edges),
        hint=list(range(count)),
        pin=pin or [FREE] * count,
    )


edge_lists = st.integers(1, 12).flatmap(
    lambda count: st.tuples(
        st.just(count), st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=30)
    )
)


# --- ranking


@given(edge_lists)
def test_with_some_edges_turned_no_cycle_is_left_and_layers_lead_down(graph: tuple[int, Pairs]) -> None:
    count, edges = graph
    turned = upward_edges(count, [a for a, _ in edges], [b for _, b in edges], list(range(count)))
    straight = [(b, a) if up else (a, b) for (a, b), up in zip(edges, turned, strict=True)]
    layer = layers(flat(count, straight))
    assert all(layer[a] < layer[b] for a, b in straight if a != b)
    assert min(layer) == 0


def test_only_the_edge_that_leads_back_is_turned() -> None:
    assert upward_edges(3, [0, 1, 2], [1, 2, 0], [0, 1, 2]) == [False, False, True]
    assert upward_edges(3, [0, 1, 2], [1, 2, 0], [5, 1, 2]) == [True, False, False]


def test_a_source_sinks_to_where_it_is_used_and_a_leaf_stays_below_its_user() -> None:
    layer = layers(flat(6, [(0, 1), (1, 2), (2, 3), (4, 3), (0, 5)]))
    assert layer == [0, 1, 2, 3, 2, 1]


def test_entries_are_alone_in_the_first_layer_and_exits_in_the_last() -> None:
    layer = layers(flat(5, [(0, 1), (2, 4), (1, 2)], [ENTRY, FREE, FREE, FREE, EXIT]))
    assert layer == [0, 1, 2, 1, 3]


def test_ten_thousand_layers_need_no_recursion() -> None:
    chain = [(i, i + 1) for i in range(10_000)]
    assert layers(flat(10_001, chain))[-1] == 10_000
    ring = [*chain, (10_000, 0)]
    assert upward_edges(10_001, [a for a, _ in ring], [b for _, b in ring], list(range(10_001)))[-1]


# --- columns


def test_columns_break_after_the_layer_that_would_leave_the_view() -> None:
    graph = flat(10, [(i, i + 1) for i in range(9)])
    column = fold(graph, list(range(10)), np.full(10, 64.0), Style(wrap=True, viewport=(700.0, 300.0)))
    assert column == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize("wrap", [False, True])
def test_what_fits_stays_in_one_column(wrap: bool) -> None:
    graph = flat(4, [(i, i + 1) for i in range(3)])
    assert fold(graph, [0, 1, 2, 3], np.full(4, 64.0), Style(wrap=wrap, viewport=(700.0, 260.0))) == [0] * 4


def test_what_fits_in_no_way_is_folded_to_the_shape_of_the_view() -> None:
    graph = flat(1000, [(i, i + 1) for i in range(999)])
    column = fold(graph, list(range(1000)), np.full(1000, 64.0), Style(wrap=True, viewport=(1600.0, 1000.0)))
    assert 18 <= max(column) + 1 <= 32  # 64,000 px of layers, columns of 148 px


# --- dummies


def test_an_edge_over_layers_becomes_a_chain_with_its_label_in_the_middle() -> None:
    layered = proper(flat(2, [(0, 1)], label=60.0), [0, 4], [0] * 5, Style())
    assert layered.layer == [0, 4, 1, 2, 3]
    assert layered.upper == [0, 2, 3, 4] and layered.lower == [2, 3, 4, 1]
    assert layered.right[2:] == [0.0, 66.0, 0.0]
    assert layered.lanes == []


def test_a_very_long_edge_and_one_to_another_column_take_lanes() -> None:
    long = proper(flat(2, [(0, 1)]), [0, LONGEST_CHAIN + 1], [0] * (LONGEST_CHAIN + 2), Style())
    across = proper(flat(2, [(0, 1)]), [0, 1], [0, 1], Style())
    assert long.lanes == across.lanes == [0]
    assert long.upper == across.upper == []


def test_dummies_stay_in_proportion_to_the_graph() -> None:
    # GIVEN 2,000 edges that each skip 50 layers
    edges = [(0, 1)] * 2000
    layered = proper(flat(2, edges), [0, 50], [0] * 51, Style())
    assert len(layered.layer) < 30_000


# --- ordering


@given(st.lists(st.integers(0, 50).map(float), max_size=40))
def test_inversions_are_counted_as_by_hand(values: list[float]) -> None:
    assert inversions(values) == sum(a > b for a, b in combinations(values, 2))


lines = st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(0, 6))


@given(st.lists(lines, max_size=40), st.integers(0, 80))
def test_crossings_of_all_gaps_are_counted_as_by_hand(some: list[tuple[int, int, int]], crowd: int) -> None:
    # GIVEN lines in three gaps, and more in the last than are compared pair by pair
    every = [*some, *((2, i % 9, i * 7 % 11) for i in range(crowd))]
    gap, top, bottom = np.asarray(every, np.int64).reshape(-1, 3).T
    # THEN a pair crosses where it stands one way above and the other way below
    found = gap_crossings(gap, top.astype(float), bottom.astype(float), 3)
    pairs = [(a[0], (a[1] - b[1]) * (a[2] - b[2])) for a, b in combinations(every, 2) if a[0] == b[0]]
    assert found.tolist() == [sum(1 for where, way in pairs if where == g and way < 0) for g in range(3)]


def test_a_tree_and_a_ladder_have_no_crossings() -> None:
    tree = [((i - 1) // 2, i) for i in range(1, 31)]
    ladder = [(i, i + 2) for i in range(20)] + [(2 * i, 2 * i + 3) for i in range(9)]
    for count, edges in ((31, tree), (22, ladder)):
        graph = flat(count, edges)
        layered = proper(graph, layers(graph), [0] * count, Style())
        assert ordered(layered, graph.hint, 14.0).crossings() == 0


# --- tracks


def test_lines_that_would_cross_are_stacked_so_that_they_do_not() -> None:
    # GIVEN two lines to the right, side by side
    left, right = Net(near=[0.0], far=[50.0]), Net(near=[30.0], far=[80.0])
    # THEN the right one is the upper
    assert assign([left, right]) == [1, 0]
    # AND mirrored, the left one
    assert assign([Net(near=[50.0], far=[0.0]), Net(near=[80.0], far=[30.0])]) == [0, 1]


def test_lines_that_do_not_meet_share_a_track() -> None:
    apart = [Net(near=[0.0], far=[10.0]), Net(near=[40.0], far=[60.0]), Net(near=[90.0], far=[80.0])]
    assert assign(apart) == [0, 0, 0]


def test_a_stub_never_lies_on_another() -> None:
    # GIVEN a line that ends at x = 50 below, and one that begins there above
    ends, begins = Net(near=[0.0], far=[50.0]), Net(near=[50.0], far=[90.0])
    assert assign([ends, begins]) == [1, 0]


nets = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=60)


@given(nets)
def test_no_two_lines_lie_on_each_other_until_there_are_too_many(ends: Pairs) -> None:
    tracks = assign([Net(near=[float(a)], far=[float(b)]) for a, b in ends])
    spans = [(min(pair), max(pair), track) for pair, track in zip(ends, tracks, strict=True)]
    crowded = len(ends) > 24
    assert crowded or all(a[2] != b[2] or a[1] < b[0] or b[1] < a[0] for a, b in combinations(spans, 2))


@given(nets)
def test_packing_uses_no_more_tracks_than_lines_meet(ends: Pairs) -> None:
    spans = [(float(min(pair)), float(max(pair))) for pair in ends]
    tracks = pack(spans)
    for (a, t), (b, u) in combinations(zip(spans, tracks, strict=True), 2):
        assert t != u or a[1] < b[0] or b[1] < a[0]
    most = max(sum(a - 6 <= x <= b + 6 for a, b in spans) for x, _ in spans)
    assert max(tracks) < most


# --- labels


def test_two_labels_at_one_head_stand_left_and_right() -> None:
    labels = GapLabels(careful=True, lines=[100.0, 128.0])
    labels.add(0, 100.0, 60.0, 16.0)
    labels.add(1, 128.0, 60.0, 16.0)
    assert labels.arrange(1) == 17.0
    assert labels.placed[0][0] < 100 - 30 and labels.placed[1][0] > 128 + 30


def test_more_labels_than_sides_get_rows() -> None:
    labels = GapLabels(careful=True, lines=[100.0, 110.0, 120.0])
    for e, x in enumerate(labels.lines):
        labels.add(e, x, 60.0, 16.0)
    assert labels.arrange(1) == 34.0
    assert len({y for _, y in labels.placed.values()}) == 2


def test_labels_of_a_lane_are_staggered() -> None:
    wanted = [LaneLabel(e, 100.0 + 8 * e, 0.0, 400.0, 60.0, 16.0) for e in range(5)]
    places = stagger(wanted)
    heights = sorted(y for _, y in places.values())
    assert all(b - a >= 17 for a, b in zip(heights, heights[1:], strict=False))
    assert all(8 <= y <= 392 for y in heights)


def test_a_label_over_a_box_moves_along_its_line() -> None:
    labels: list[tuple[float, float] | None] = [(50.0, 50.0), None]
    route = [(50.0, 0.0), (50.0, 400.0)]
    repair([(0.0, 20.0, 200.0, 80.0)], labels, [(40.0, 16.0), (0.0, 0.0)], [route, route])
    assert labels[0] is not None and labels[1] is None
    assert labels[0][1] >= 88.0


def test_a_label_with_no_free_spot_stays() -> None:
    labels: list[tuple[float, float] | None] = [(50.0, 50.0)]
    repair([(-500.0, -500.0, 500.0, 500.0)], labels, [(40.0, 16.0)], [[(50.0, 0.0), (50.0, 100.0)]])
    assert labels == [(50.0, 50.0)]


# --- rows and lines


def test_parts_are_not_mixed() -> None:
    edges = [(0, 1), (1, 2), (3, 4), (4, 5)]
    places = arrange_rows(flat(6, edges), Style(viewport=(150.0, 100.0)))
    assert max(places.y[:3]) < min(places.y[3:]) or max(places.x[:3]) < min(places.x[3:])


def test_boxes_on_a_frame_keep_all_in_one_row() -> None:
    pinned = flat(4, [(0, 1), (2, 3)], [ENTRY, FREE, ENTRY, FREE])
    places = arrange_rows(pinned, Style(viewport=(10.0, 10.0)))
    assert places.y[0] == places.y[2]


def test_points_on_a_straight_line_go() -> None:
    assert tidy([(0, 0), (0, 5), (0, 5), (0, 9), (4, 9), (8, 9)]) == [(0, 0), (0, 9), (8, 9)]
    assert tidy([(0, 0), (0, 0)]) == [(0, 0), (0, 0)]
