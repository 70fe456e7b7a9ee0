"""What every frontend keeps: one program, written in each framework, gives one graph, the same steps and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.vocabulary import plain
from tests.record.contract_programs import PROGRAMS, SCRIPTS
from tests.record.contract_runs import HERE, Picture, Run, run_here, run_in_tensorflow
from tests.tensorflow_python import needs_tensorflow

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero")  # the program that makes an infinity says so
HEALTHY = [name for name, program in PROGRAMS.items() if program.finding != "custom-backward-wrong-shape"]
RELATIVE = 1e-8
TENSORFLOW = pytest.param("tensorflow", marks=needs_tensorflow)
FRAMEWORKS = [*HERE, TENSORFLOW]
OTHERS = [*(name for name in HERE if name != "torch"), TENSORFLOW]

Runs = Callable[[str, str], Run]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """The run of a program in a framework. TensorFlow takes seconds to start, so it records all programs in one go."""
    made: dict[tuple[str, str], Run] = {}
    in_tensorflow: list[Callable[[str], Run]] = []

    def run(framework: str, name: str) -> Run:
        if (framework, name) not in made:
            folder = tmp_path_factory.mktemp(framework)
            if framework in HERE:
                made[framework, name] = run_here(folder, framework, name)
            else:
                if not in_tensorflow:
                    in_tensorflow.append(run_in_tensorflow(folder))
                made[framework, name] = in_tensorflow[0](name)
        return made[framework, name]

    yield run
    for each in made.values():
        each.trace.close()


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_nodes_are_the_calls_of_the_program(name: str, framework: str, runs: Runs) -> None:
    trace = runs(framework, name).trace

    assert Picture(trace).names() == [*PROGRAMS[name].kinds, "leaf"]
    assert all(op.stack for op in trace.ops())
    assert len(trace.passes()) == 1


@pytest.mark.parametrize("framework", OTHERS)
@pytest.mark.parametrize("name", HEALTHY)
def test_graph_and_steps_are_those_of_torch(name: str, framework: str, runs: Runs) -> None:
    assert Picture(runs(framework, name).trace).facts() == Picture(runs("torch", name).trace).facts()


@pytest.mark.parametrize("framework", OTHERS)
@pytest.mark.parametrize("name", HEALTHY)
def test_gradients_and_their_figures_are_those_of_torch(name: str, framework: str, runs: Runs) -> None:
    theirs, own = runs("torch", name), runs(framework, name)

    assert len(own.gradients) == len(theirs.gradients) > 0
    for mine, their in zip(own.gradients, theirs.gradients):
        np.testing.assert_allclose(mine, their, rtol=RELATIVE)
    np.testing.assert_allclose(Picture(own.trace).figures(), Picture(theirs.trace).figures(), rtol=RELATIVE)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_finding_the_same_everywhere(name: str, framework: str, runs: Runs) -> None:
    found, expected = _loud(runs(framework, name)), _loud(runs("torch", name))

    assert [each.rule for each in found] == [PROGRAMS[name].finding] * bool(PROGRAMS[name].finding)
    for mine, their in zip(found, expected):
        assert (mine.severity, mine.expected_shape, mine.received_shape) == (
            (their.severity, their.expected_shape, their.received_shape)
        )
        assert plain(mine.op).lower() == plain(their.op).lower()  # a class in torch, a function elsewhere


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_fault_of_its_own_is_told_apart_from_what_an_earlier_one_spoiled(
    name: str, framework: str, runs: Runs
) -> None:
    found = _loud(runs(framework, name))

    assert [plain(each.op) for each in found] == SCRIPTS[name][1]
    assert {each.rule for each in found} == {"non-finite-gradient"}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_misshapen_gradient_is_told_at_its_return_with_both_shapes(framework: str, runs: Runs) -> None:
    run = runs(framework, "misshapen")
    (first,) = _loud(run)
    file = Path(first.file)

    assert (first.expected_shape, first.received_shape) == ((2, 3), (2,))
    assert file.name == f"contract_{framework}.py"
    assert "[0, :-1] * 2.0" in file.read_text(encoding="utf-8").splitlines()[first.line - 1]


def _loud(run: Run) -> list[Finding]:
    return [finding for finding in diagnose(run.trace) if finding.severity != "note"]
