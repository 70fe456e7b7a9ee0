"""What meets an area, and parts of it, as comparing with every box says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gradviz.draw.nearby import Nearby

side = st.integers(-50, 50)
rect = st.tuples(side, side, st.integers(0, 30), st.integers(0, 30)).map(
    lambda r: (r[0], r[1], r[0] + r[2], r[1] + r[3])
)


def meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] >= other[0] and one[0] <= other[2] and one[3] >= other[1] and one[1] <= other[3]


def columns(rects: list[tuple[int, int, int, int]]) -> NDArray[np.float64]:
    return np.array(rects, np.float64).reshape(-1, 4)


@given(st.lists(rect), st.lists(st.tuples(rect, st.lists(rect, max_size=4)), min_size=1, max_size=4))
def test_each_area_and_its_parts_find_what_is_there(
    boxes: list[tuple[int, int, int, int]],
    asked: list[tuple[tuple[int, int, int, int], list[tuple[int, int, int, int]]]],
) -> None:
    nearby = Nearby(columns(boxes))
    for area, parts in asked:  # one after the other: what is kept of the last area must not show in the next
        inside = [at for at, box in enumerate(boxes) if meet(box, area)]
        assert nearby.meeting(area).tolist() == inside
        wanted = [at for at in inside if any(meet(boxes[at], part) for part in parts)]
        assert nearby.meeting(area, columns(parts)).tolist() == wanted
        assert (nearby.boxes(np.array(inside, np.intp)) == columns([boxes[at] for at in inside])).all()


def test_a_place_that_is_nowhere_meets_nothing() -> None:
    nearby = Nearby(np.array([[np.nan] * 4, [0, 0, 1, 1]]))
    assert nearby.meeting((-1e9, -1e9, 1e9, 1e9)).tolist() == [1]
