"""Which nodes a line made: told per op, and the same as asked node by node."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.scene.lines import lines_of
from gradviz.scene.texts import Texts
from gradviz.trace.reader import Trace
from tests import large_recordings, recordings


@pytest.mark.parametrize("make", [recordings.eigh_seed_mismatch, lambda path: large_recordings.lstm(path, 60)])
def test_as_asked_node_by_node(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "run.gradviz")
    with Trace(tmp_path / "run.gradviz") as trace:
        graph = trace.graph(0)
        texts = Texts(trace, graph)
        expected: dict[tuple[str, int], list[int]] = {}
        for node in range(len(graph)):
            expected.setdefault(texts.line(node), []).append(node)
        found = lines_of(graph, texts)
    assert found and found == {place: tuple(nodes) for place, nodes in expected.items() if place[1]}
