"""Graphviz as an engine, the system's and the bundled one, where they are installed."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.layout import dot_text
from gradviz.layout.dot_engines import BundledDotEngine, DotEngine
from gradviz.layout.model import Engine
from tests.unit.layout import geometry
from tests.unit.layout.geometry import Drawing
from tests.unit.layout.graphs import EIGH, request, residual_net

ENGINES = [engine for engine in (DotEngine(), BundledDotEngine()) if engine.available()]


def test_one_graphviz_at_least_is_there() -> None:
    assert ENGINES


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("direction", ["down", "right"])
def test_boxes_keep_their_size_and_lines_their_ends(engine: Engine, direction: str) -> None:
    wanted = request(14, EIGH, label=(62, 16), direction=direction)
    drawing = Drawing(wanted, engine.arrange(wanted))
    assert drawing.result.engine == engine.name
    assert geometry.overlapping_nodes(drawing) == []
    assert geometry.edges_through_nodes(drawing) == []
    assert geometry.loose_ends(drawing) == []
    assert geometry.label_faults(drawing) == []
    along = drawing.result.y if direction == "down" else drawing.result.x
    assert bool((along[wanted.tail] < along[wanted.head]).all())


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_open_groups_become_frames(engine: Engine) -> None:
    count, edges = residual_net(2)
    group = [0 if v < count // 2 else 1 for v in range(count)]
    wanted = request(count, edges, group=group, parent=[-1, -1, 0])
    drawing = Drawing(wanted, engine.arrange(wanted))
    assert geometry.frame_faults(drawing) == []
    assert drawing.result.group_rects[2, 2] > 0  # a group without nodes has its frame, too


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_cycles_loops_and_parallel_edges(engine: Engine) -> None:
    wanted = request(3, [(0, 1), (0, 1), (1, 2), (2, 0), (2, 2)])
    result = engine.arrange(wanted)
    assert np.all(np.diff(result.offsets) >= 2)
    assert np.isfinite(result.points).all()


def test_the_source_never_asks_for_curved_splines() -> None:
    assert "curved" not in dot_text.source(request(2, [(0, 1)]))
    assert "splines=polyline" in dot_text.source(request(2, [(0, 1)]))


def test_an_answer_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError):
        dot_text.result(request(1, []), "no JSON", "dot")
