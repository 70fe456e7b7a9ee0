"""The bench counts a drawing's faults all at once; here beside the count one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bench_drawings import SMALL, crossings, lines_through, overlaps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.layout.model import Request
from gradviz.layout.simple import SimpleEngine
from tests.unit.layout import geometry
from tests.unit.layout.geometry import Drawing
from tests.unit.layout.graphs import requests


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(wanted=requests(most=14), shrink=st.sampled_from((1.0, 0.4)))
def test_faults_are_counted_as_one_by_one(wanted: Request, shrink: float) -> None:
    # GIVEN the straight lines of the simple engine, and its boxes pushed into each other
    result = SimpleEngine().arrange(wanted)
    result = replace(result, x=(result.x * shrink).astype(np.float32))
    drawing = Drawing(wanted, result)
    # THEN each kind of fault is found as often
    ends = list(zip(wanted.tail.tolist(), wanted.head.tolist(), strict=True))
    foreign = [(e, v) for e, v in geometry.edges_through_nodes(drawing) if v not in ends[e]]
    assert overlaps(wanted, result) == len(geometry.overlapping_nodes(drawing))
    assert lines_through(wanted, result) == len(foreign)
    assert crossings(result) == geometry.crossings(drawing)


@pytest.mark.parametrize("name", SMALL)
def test_the_small_graphs_are_whole_and_small(name: str) -> None:
    count, edges = SMALL[name]
    assert count <= 1000
    assert {end for edge in edges for end in edge} == set(range(count))
    assert len(edges) >= count - 1
