"""The table of the recorder's cost: each part can be left out of a running recorder, and nothing of that stays."""

from __future__ import annotations

from typing import Any

import pytest
import recorder_cost
import torch
from bench_nets import TinyOps, Workload
from recorder_cost import PARTS, Figure, Part, StandInError, costs_of, figure, measure, table

from gradviz.record.userframes import UserFrames


def tiny(steps: int = 2) -> Workload:
    torch.manual_seed(0)
    return Workload("tiny", TinyOps(), torch.randn(8, 16), steps=steps, peers=())


def test_the_recorder_is_built_up_from_nothing_to_whole_and_left_as_it_was() -> None:
    places = [(owner, attribute) for part in PARTS for owner, attribute, _ in part.stand_ins]
    before = [getattr(*place) for place in places]

    costs = measure(tiny(), rounds=1)

    assert [getattr(*place) for place in places] == before
    assert costs.nodes == 79
    assert list(costs.parts) == [part.name for part in PARTS]
    assert list(costs.totals) == ["shapes", "summaries"]
    assert sum(each.value for each in costs.parts.values()) == pytest.approx(costs.totals["summaries"].value)


def test_a_stand_in_that_the_other_parts_cannot_do_with_is_told() -> None:
    def raising(*_: Any) -> int:
        raise ValueError("no stack")

    parts = (Part("most"), Part("stacks", ((UserFrames, "stack", raising),)))

    with pytest.raises(StandInError, match=r"stacks.*no stack"):
        measure(tiny(), rounds=1, parts=parts)


def test_a_step_counts_with_its_least_time() -> None:
    rounds = [[4e-6, 9e-6, 1e-6], [2e-6, 8e-6, 3e-6], [6e-6, 5e-6, 9e-6]]  # two steps, and closing the file

    found = figure(rounds, nodes=4)

    assert (found.value, *found.halves) == pytest.approx((1.0, 1.25, 1.625))


def test_the_table_has_each_part_and_its_share_of_the_whole() -> None:
    parts = (Part("walk"), Part("hook"), Part("statistics", level="summaries"))
    built = {
        recorder_cost.BARE: Figure(6.0, (6.5, 6.25)),
        "walk": Figure(8.0, (8.5, 8.5)),
        "hook": Figure(9.0, (9.5, 9.5)),
        "statistics": Figure(10.0, (10.5, 10.75)),
    }

    lines = table([costs_of("net", 10, parts, built)], parts).splitlines()

    assert lines[2:] == [
        "| walk | 2.00 (2.00, 2.25) | 50% |",
        "| hook | 1.00 (1.00, 1.00) | 25% |",
        "| **together, level `shapes`** | 3.00 (3.00, 3.25) | 75% |",
        "| statistics | 1.00 (1.00, 1.25) | 25% |",
        "| **together, level `summaries`** | 4.00 (4.00, 4.50) | 100% |",
        "| torch itself, bare | 6.00 (6.50, 6.25) |  |",
    ]


def test_a_net_that_is_unknown_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["recorder_cost.py", "chian"])

    assert recorder_cost.main() == 2
    assert "no net is called chian; there are encoder, tiny, chain" in capsys.readouterr().err
