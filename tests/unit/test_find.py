"""Searching in a pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.find import Entry, Index, shape_text
from tests.recordings import mlp

ENTRIES = [
    Entry("ReluBackward0", "", "net.0", "/f.py", 18, ((32, 64),)),
    Entry("AccumulateGrad", "net.weight", "net", "/f.py", 11, ((64, 20),)),
    Entry("SumBackward0", "", "", "/f.py", 164, ((),)),
    Entry("MulBackward0", "", "", "/f.py", 20, ((164,), (2, 3, 10))),
]


@pytest.mark.parametrize(
    ("query", "nodes"),
    [
        ("relu", [0]),
        ("RELU", [0]),
        ("net.weight", [1]),
        ("net", [0, 1]),
        ("backward0", [0, 2, 3]),
        (":18", [0]),
        ("line 11", [1]),
        ("164", [2, 3]),
        ("[164]", [3]),
        ("(164,)", [3]),
        ("[*, 64]", [0]),
        ("[..., 10]", [3]),
        ("[2, ...]", [3]),
        ("[]", [2]),
        ("[ \u2009 ]", [2]),
        ("", []),
        ("nothing like it", []),
    ],
)
def test_queries(query: str, nodes: list[int]) -> None:
    assert [hit.node for hit in Index(0, ENTRIES).search(query)] == nodes


def test_at_most_so_many() -> None:
    assert len(Index(0, ENTRIES * 100).search("backward0", limit=7)) == 7


def test_an_index_knows_what_the_recording_says(tmp_path: Path) -> None:
    index = Index.build(mlp(tmp_path / "mlp.gradviz"), 0)
    (hit,) = index.search("0.weight")
    assert (hit.kind, hit.title) == ("leaf", "0.weight AccumulateGrad")
    assert "[64, 20]" in hit.detail


def test_shapes_as_torch_writes_them() -> None:
    assert [shape_text(each) for each in ((), (3,), (2, "s0"))] == ["[\u2009]", "[3]", "[2, s0]"]
