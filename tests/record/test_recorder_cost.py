"""The table of the recorder's cost: each part can be left out of a running recorder, and nothing of that stays."""

from __future__ import annotations

from typing import Any

import pytest
import recorder_cost
import torch
from bench_nets import TinyOps, Workload
from recorder_cost import PARTS, Costs, Part, StandInError, measure, table

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
    assert sum(each for (each,) in costs.parts.values()) == pytest.approx(costs.totals["summaries"][0])


def test_a_stand_in_that_the_other_parts_cannot_do_with_is_told() -> None:
    def raising(*_: Any) -> int:
        raise ValueError("no stack")

    parts = (Part("most"), Part("stacks", ((UserFrames, "stack", raising),)))

    with pytest.raises(StandInError, match=r"stacks.*no stack"):
        measure(tiny(), rounds=1, parts=parts)


def test_the_table_has_medians_and_shares_of_the_whole() -> None:
    parts = (Part("walk"), Part("hook"), Part("statistics", level="summaries"))
    costs = Costs(
        "net",
        10,
        bare=[5.0, 6.0, 7.0],
        parts={"walk": [1.0, 2.0, 3.0], "hook": [1.0, 1.0, 1.0], "statistics": [1.0, 1.0, 4.0]},
        totals={"shapes": [2.0, 3.0, 4.0], "summaries": [3.0, 4.0, 8.0]},
    )

    lines = table([costs], parts).splitlines()

    assert lines[2] == "| walk | 2.00 (1.50 – 2.50) | 50% |"
    assert lines[4] == "| **together, level `shapes`** | 3.00 (2.50 – 3.50) | 75% |"
    assert lines[6] == "| **together, level `summaries`** | 4.00 (3.50 – 6.00) | 100% |"
    assert lines[7] == "| torch itself, bare | 6.00 (5.50 – 6.50) |  |"


def test_a_net_that_is_unknown_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["recorder_cost.py", "chian"])

    assert recorder_cost.main() == 2
    assert "no net is called chian; there are encoder, tiny, chain" in capsys.readouterr().err
