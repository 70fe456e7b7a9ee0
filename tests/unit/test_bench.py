"""The bench's judgement: a bound is held, broken, or missed because nothing was measured."""

from __future__ import annotations

import bench
import pytest
from bench_measure import Measured, embraced, interleave, quartiles, ratio_of

WISH = bench.Wish("a.row", "bench_a", "×", 1.5, "what it is")


@pytest.mark.parametrize(("value", "holds"), [(1.4, True), (1.5, True), (1.51, False)])
def test_a_row_holds_up_to_its_bound(value: float, holds: bool) -> None:
    (row,) = bench.judge([WISH], [Measured("a.row", value, "×", (1.3, 1.6))])

    assert (row.value, row.holds, row.spread) == (value, holds, (1.3, 1.6))


def test_a_missing_row_counts_as_short() -> None:
    (row,) = bench.judge([WISH], [])

    assert (row.value, row.holds) == (None, False)
    assert "missing" in bench.table([row], {})
    assert "1 short" in bench.table([row], {})


def test_what_nobody_wished_for_is_shown_without_a_bound() -> None:
    rows = bench.judge([WISH], [Measured("a.row", 1.0, "×"), Measured("b.row", 9.0, "ms")])

    assert [(row.name, row.bound, row.holds) for row in rows] == [("a.row", 1.5, True), ("b.row", None, True)]
    assert "all bounds held" in bench.table(rows, {})


def test_every_row_of_the_file_is_whole_and_named_once() -> None:
    wishes = bench.read_wishes()

    assert len({wish.name for wish in wishes}) == len(wishes)
    assert all((bench.SCRIPTS / f"{wish.module}.py").exists() for wish in wishes)


def test_rounds_are_interleaved_from_another_start_each_time() -> None:
    order: list[str] = []

    def visit(name: str) -> float:
        order.append(name)
        return float(len(order))

    results = interleave({"x": lambda: visit("x"), "y": lambda: visit("y")}, 2)

    assert order == ["x", "y", "y", "x"]
    assert results == {"x": [1.0, 4.0], "y": [2.0, 3.0]}


def test_a_ratio_to_the_base_before_and_after_is_free_of_a_drift() -> None:
    """Each measurement finds the machine slower by as much again."""
    clock = iter(range(100, 200))

    def measure(cost: float) -> float:
        return cost * next(clock)

    found = embraced(lambda: measure(1.0), {"x": lambda: measure(3.0), "y": lambda: measure(4.0)}, 2)

    assert found == {"x": [pytest.approx(3.0)] * 2, "y": [pytest.approx(4.0)] * 2}


def test_a_ratio_is_taken_round_by_round() -> None:
    row = ratio_of("r", [2.0, 40.0, 3.0], [1.0, 20.0, 1.0])

    assert (row.value, row.spread) == (2.0, (2.0, 2.5))
    assert quartiles([1.0]) is None
