"""Requests to arrange: by hand, the structures of real networks, and random ones for properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradviz.layout.model import Options, Request

Edges = Sequence[tuple[int, int]]

# The nodes of the eigh_energy example: a spine that parts in two and joins again, folded in the window.
EIGH: Edges = [
    *((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (5, 7), (6, 8), (7, 8)),
    *((8, 9), (9, 10), (10, 11), (11, 12), (12, 13)),
]


def request(
    count: int,
    edges: Edges,
    *,
    label: tuple[float, float] = (0, 0),
    group: Sequence[int] = (),
    parent: Sequence[int] = (),
    **options: Any,
) -> Request:
    """Boxes of 168 × 40, the same label at every edge."""
    ends = np.asarray(edges, np.int32).reshape(-1, 2)
    return Request(
        widths=np.full(count, 168, np.float32),
        heights=np.full(count, 40, np.float32),
        tail=np.ascontiguousarray(ends[:, 0]),
        head=np.ascontiguousarray(ends[:, 1]),
        label_sizes=np.tile(np.asarray(label, np.float32), (len(ends), 1)),
        group=np.asarray(group, np.int32),
        group_parent=np.asarray(parent, np.int32),
        rank_hint=np.arange(count, dtype=np.int32),
        options=Options(**options),
    )


def residual_net(blocks: int) -> tuple[int, list[tuple[int, int]]]:
    """A spine of blocks: an addition, three ops with a leaf each, and an edge round them to the next addition."""
    edges: list[tuple[int, int]] = []
    count = 1
    added = 0
    for _ in range(blocks):
        last = added
        for _ in range(3):
            edges += [(last, count), (last, count + 1)]
            last = count
            count += 2
        edges += [(last, count), (added, count)]
        added = count
        count += 1
    return count, edges


@st.composite
def requests(draw: st.DrawFn, most: int = 24, cycles: bool = True) -> Request:
    """Any graph: cycles, loops, parallel edges, several parts, nested groups, boxes and labels of all sizes."""
    count = draw(st.integers(0, most))
    node = st.integers(0, max(count - 1, 0))
    pairs = draw(st.lists(st.tuples(node, node), max_size=2 * count)) if count else []
    if not cycles:
        pairs = [(min(a, b), max(a, b)) for a, b in pairs if a != b]
    groups = draw(st.integers(0, 4))
    parent = [draw(st.integers(-1, g - 1)) for g in range(groups)]
    size = st.sampled_from((20.0, 40.0, 100.0, 168.0, 300.0))
    label = st.sampled_from((0.0, 24.0, 62.0, 210.0))
    widths = [draw(label) for _ in pairs]
    ends = np.asarray(pairs, np.int32).reshape(-1, 2)
    return Request(
        widths=np.asarray([draw(size) for _ in range(count)], np.float32),
        heights=np.asarray([draw(st.sampled_from((20.0, 40.0, 56.0))) for _ in range(count)], np.float32),
        tail=np.ascontiguousarray(ends[:, 0]),
        head=np.ascontiguousarray(ends[:, 1]),
        label_sizes=np.asarray([(width, 16.0 if width else 0.0) for width in widths], np.float32).reshape(-1, 2),
        group=np.asarray([draw(st.integers(-1, groups - 1)) for _ in range(count)] if groups else [], np.int32),
        group_parent=np.asarray(parent, np.int32),
        rank_hint=np.arange(count, dtype=np.int32),
        options=Options(
            direction=draw(st.sampled_from(("down", "right"))),
            wrap=draw(st.booleans()),
            viewport=draw(st.sampled_from((None, (760.0, 470.0), (0.0, 0.0)))),
        ),
    )
