"""Searching in a pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.document.find import FEW, MANY, Found, Index
from gradviz.document.find_columns import Columns
from gradviz.trace.model import Source
from gradviz.trace.reader import Trace
from tests.recordings import mlp

TEXT = "import torch\nx = relu(y)  # [164]\nloss = x.sum()\n"
# name, leaf, module, line and shapes of each node
NODES: list[tuple[str, str, str, int, list[tuple[int, ...]]]] = [
    ("ReluBackward0", "", "net.0", 18, [(32, 64)]),
    ("AccumulateGrad", "net.weight", "net", 11, [(64, 20)]),
    ("SumBackward0", "", "", 164, [()]),
    ("MulBackward0", "", "", 2, [(164,), (2, 3, 10)]),
]


def number(texts: list[str]) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Each once, "" first, and where each of them is."""
    once = ("", *dict.fromkeys(text for text in texts if text))
    return once, np.array([once.index(text) for text in texts], np.int64)


def columns(copies: int = 1) -> Columns:
    rows = NODES * copies
    names, name = number([row[0] for row in rows])
    leaves, leaf = number([row[1] for row in rows])
    modules, module = number([row[2] for row in rows])
    places = (("", 0), *dict.fromkeys(("/f.py", row[3]) for row in rows))
    shapes = tuple(dict.fromkeys(shape for row in rows for shape in row[4]))
    pairs = [(at, shapes.index(shape)) for at, row in enumerate(rows) for shape in row[4]]
    return Columns(
        names, leaves, modules, places, shapes, name, leaf, module,
        np.array([places.index(("/f.py", row[3])) for row in rows], np.int64),
        np.array([shape for _, shape in pairs], np.int64),
        np.array([node for node, _ in pairs], np.int64),
        tuple("Linear" if path else "" for path in modules),
        (Source("/f.py", TEXT, "utf-8"),),
    )  # fmt: skip


def of(kind: str, found: tuple[Found, ...]) -> Found:
    return next((each for each in found if each.kind == kind), Found(kind, 0, ()))


@pytest.mark.parametrize(
    ("query", "nodes"),
    [
        ("relu", [0]),
        ("RELU", [0]),
        ("net.weight", [1]),
        ("net accumulate", [1]),
        ("net", [1, 0]),  # the leaf begins so, the other's module does
        ("backward0", [0, 2, 3]),
        (":18", [0]),
        ("line 11", [1]),
        ("164", [3]),
        ("[164]", [3]),
        ("(164,)", [3]),
        ("[*, 64]", [0]),
        ("32×64", [0]),
        ("[..., 10]", [3]),
        ("[2, ...]", [3]),
        ("[]", [2]),
        ("[ \u2009 ]", [2]),
        ("", []),
        ("nothing like it", []),
    ],
)
def test_nodes(query: str, nodes: list[int]) -> None:
    assert [hit.node for hit in of("node", Index(columns()).search(query)).hits] == nodes


@pytest.mark.parametrize(
    ("query", "kind", "titles"),
    [
        ("net", "module", ["net", "net.0"]),
        ("linear", "module", ["net.0", "net"]),
        ("164", "shape", ["[164]"]),
        ("[*, *, *]", "shape", ["[2, 3, 10]"]),
        ("relu", "line", ["x = relu(y)  # [164]"]),
        (":2", "line", ["x = relu(y)  # [164]"]),
        (":164", "line", ["f.py:164"]),  # a node has it, though no source does
        ("loss sum", "line", ["loss = x.sum()"]),
    ],
)
def test_other_kinds(query: str, kind: str, titles: list[str]) -> None:
    assert [hit.title for hit in of(kind, Index(columns()).search(query)).hits] == titles


def test_what_matches_is_marked() -> None:
    (hit,) = of("node", Index(columns()).search("net.weight accumulate")).hits
    assert [hit.title[start:end] for start, end in hit.marks] == ["net.weight"]
    assert [hit.detail[start:end] for start, end in hit.detail_marks] == ["Accumulate"]
    (hit,) = of("node", Index(columns()).search("[*, 64]")).hits
    assert [hit.detail[start:end] for start, end in hit.detail_marks] == ["64"]


def test_a_line_and_a_shape_know_their_nodes() -> None:
    index = Index(columns(3))
    (shape,) = of("shape", index.search("[64, 20]")).hits
    assert shape.nodes == (1, 5, 9)
    (line,) = of("line", index.search(":2")).hits
    assert (line.nodes, line.file, line.line) == ((3, 7, 11), "/f.py", 2)


def test_few_at_first_and_many_when_asked() -> None:
    index = Index(columns(100))
    found = of("node", index.search("backward0"))
    assert (len(found.hits), found.total) == (FEW, 300)
    assert len(of("node", index.search("backward0", wide=["node"])).hits) == MANY


def test_an_index_knows_what_the_recording_says(tmp_path: Path) -> None:
    path = mlp(tmp_path / "mlp.gradviz")
    index = Index.build(path, 0)
    (hit,) = of("node", index.search("0.weight")).hits
    assert (hit.kind, hit.title) == ("leaf", "0.weight")
    assert hit.detail == "AccumulateGrad · mlp_train.py:11 · [64, 20]"
    with Trace(path) as trace:
        modules = trace.modules()
        for query in ("Linear", "ReLU"):
            for hit in of("module", index.search(query)).hits:
                assert modules[hit.module].class_name == query
        # AND a line's nodes are those that were made there
        graph = trace.graph(0)
        (line,) = of("line", index.search(":20")).hits
        made = [node for node in range(len(graph)) if trace.op(int(graph.op[node])) is not None]
        assert set(line.nodes) == {node for node in made if trace.op(int(graph.op[node])).stack[0].line == 20}  # type: ignore[union-attr]  # as said above


def test_parameters_alone(tmp_path: Path) -> None:
    index = Index.build(mlp(tmp_path / "mlp.gradviz"), 0)
    assert sorted(hit.title for hit in index.leaves("").hits) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    assert [hit.title for hit in index.leaves("2 wei").hits] == ["2.weight"]
