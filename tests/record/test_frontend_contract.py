"""What every frontend keeps: one program, written in each framework, gives one graph, the same steps and findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.vocabulary import plain
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Node
from gradviz.trace.packing import NODE_LEAF
from gradviz.trace.reader import Trace
from tests.record.contract_programs import FRAMEWORKS, PROGRAMS, Program
from tests.record.recorded import nodes_of, recorded

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero")  # the program that makes an infinity says so
HEALTHY = [name for name, program in PROGRAMS.items() if program.finding != "custom-backward-wrong-shape"]
RELATIVE = 1e-8


def _recorded(folder: Path, framework: str, program: Program) -> tuple[Trace, list[Any]]:
    """The trace, and the gradients of each input where the pass ran through."""
    gradients: list[Any] = []
    arrays = FRAMEWORKS[framework]
    trace = recorded(folder, lambda: gradients.extend(arrays.differentiate(program.body, program.inputs)))
    return trace, gradients


def _names(trace: Trace, nodes: list[Node]) -> list[str]:
    """What the nodes are, in words that are the same everywhere: by the call that made each."""
    ops = {op.number: plain(op.name).lower() for op in trace.ops()}
    return ["leaf" if node.flags & NODE_LEAF else ops[node.op] for node in nodes]


def _picture(trace: Trace) -> dict[str, Any]:
    """The first pass, up to names: shapes, edges, steps and what each node received."""
    backward = trace.passes()[0]
    nodes, graph = nodes_of(trace, backward), trace.graph(backward.id)
    steps = [trace.step(backward.id, number) for number in range(backward.steps)]
    return {
        "roots": [(port.node, port.spec.shape) for port in backward.roots],
        "seeds": backward.seeds,
        "expected": [[spec.shape for spec in node.expected] for node in nodes],
        "dtypes": [[spec.dtype for spec in node.expected] for node in nodes],
        "leaves": [bool(node.flags & NODE_LEAF) for node in nodes],
        "edges": _edges(graph),
        "steps": [(step.node, [got.spec.shape for got in step.received if got.spec is not None]) for step in steps],
        "outcome": backward.outcome,
    }


def _edges(graph: PassGraph) -> list[tuple[int, int, int, int]]:
    """Tail, rank among the tail's edges (torch counts constants too), head, slot."""
    rows = sorted(zip(*(column.tolist() for column in (graph.tail, graph.index, graph.head, graph.slot))))
    before = [row[0] for row in rows]
    return [(tail, at - before.index(tail), head, slot) for at, (tail, _, head, slot) in enumerate(rows)]


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_nodes_are_the_calls_of_the_program(name: str, framework: str, tmp_path: Path) -> None:
    trace, _ = _recorded(tmp_path, framework, PROGRAMS[name])

    backward = trace.passes()[0]
    assert _names(trace, nodes_of(trace, backward)) == [*PROGRAMS[name].kinds, "leaf"]
    assert all(op.stack for op in trace.ops())


@pytest.mark.parametrize("framework", [name for name in FRAMEWORKS if name != "torch"])
@pytest.mark.parametrize("name", HEALTHY)
def test_graph_and_steps_are_those_of_torch(name: str, framework: str, tmp_path: Path) -> None:
    theirs, _ = _recorded(tmp_path, "torch", PROGRAMS[name])
    expected = _picture(theirs)

    trace, _ = _recorded(tmp_path, framework, PROGRAMS[name])

    assert _picture(trace) == expected


@pytest.mark.parametrize("framework", [name for name in FRAMEWORKS if name != "torch"])
@pytest.mark.parametrize("name", HEALTHY)
def test_gradients_and_their_figures_are_those_of_torch(name: str, framework: str, tmp_path: Path) -> None:
    theirs, expected = _recorded(tmp_path, "torch", PROGRAMS[name])
    figures = _figures(theirs)

    trace, gradients = _recorded(tmp_path, framework, PROGRAMS[name])

    assert len(gradients) == len(expected) > 0
    for own, their in zip(gradients, expected):
        np.testing.assert_allclose(own, their, rtol=RELATIVE)
    np.testing.assert_allclose(_figures(trace), figures, rtol=RELATIVE)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_findings_are_the_same_everywhere(name: str, framework: str, tmp_path: Path) -> None:
    trace, _ = _recorded(tmp_path, framework, PROGRAMS[name])

    loud = [finding for finding in diagnose(trace) if finding.severity != "note"]
    assert [finding.rule for finding in loud] == [PROGRAMS[name].finding] * bool(PROGRAMS[name].finding)


def test_the_misshapen_gradient_is_named_with_both_shapes_everywhere(tmp_path: Path) -> None:
    for framework in FRAMEWORKS:
        trace, _ = _recorded(tmp_path, framework, PROGRAMS["misshapen"])

        first = diagnose(trace)[0]

        assert (first.expected_shape, first.received_shape) == ((2, 3), (2,)), framework


def _figures(trace: Trace) -> list[tuple[float, ...]]:
    """Counts, extremes, mean and norm of all that the nodes of the first pass received."""
    steps = trace.steps(trace.passes()[0].id)
    columns = (steps.nans, steps.infs, steps.zeros, steps.min, steps.max, steps.mean, steps.norm)
    return [tuple(float(value) for value in row) for row in zip(*columns)]
