"""What the recorder sees of HIPS autograd: operators, nested traces, containers, failures; and what it leaves alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import autograd
import autograd.numpy as np
import numpy
import pytest
from autograd import checkpoint, core, elementwise_grad, grad, hessian, jacobian, make_vjp, tracer, value_and_grad
from autograd.builtins import tuple as traced_tuple
from autograd.extend import defvjp, primitive

from gradviz.diagnose.examination import diagnose
from gradviz.trace.packing import NODE_CUSTOM, NODE_LEAF
from tests.record.recorded import nodes_of, op_named, recorded

pytestmark = pytest.mark.filterwarnings("ignore")
X = numpy.array([0.5, -1.0, 2.0])


def cubed(x: Any) -> Any:
    return np.sum(x**3)


OPERATORS: dict[str, Callable[[], Any]] = {
    "grad": lambda: grad(cubed)(X),
    "value_and_grad": lambda: value_and_grad(cubed)(X),
    "elementwise_grad": lambda: elementwise_grad(np.tanh)(X),
    "jacobian": lambda: jacobian(lambda x: x**2)(X),
    "hessian": lambda: hessian(cubed)(X),
    "make_vjp": lambda: make_vjp(np.tanh)(X)[0](numpy.ones(3)),
    "checkpoint": lambda: grad(lambda x: np.sum(checkpoint(np.tanh)(x)))(X),
    "grad of grad": lambda: grad(lambda x: np.sum(grad(cubed)(x) ** 2))(X),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_is_recorded_and_gives_what_it_gave(name: str, tmp_path: Path) -> None:
    program, results = OPERATORS[name], []
    bare = program()

    trace = recorded(tmp_path, lambda: results.append(program()))

    assert repr(results[0]) == repr(bare)
    assert trace.passes()
    assert all(backward.outcome == "completed" and backward.entry == "vjp" for backward in trace.passes())
    assert [finding for finding in diagnose(trace) if finding.severity != "note"] == []


@pytest.mark.parametrize(("name", "count"), [("grad", 1), ("jacobian", 3), ("checkpoint", 2), ("grad of grad", 2)])
def test_each_call_of_a_vjp_is_a_pass(name: str, count: int, tmp_path: Path) -> None:
    trace = recorded(tmp_path, OPERATORS[name])

    assert sum(backward.repeats for backward in trace.passes()) >= count


def test_the_pass_inside_a_checkpoint_is_a_pass_of_its_own(tmp_path: Path) -> None:
    trace = recorded(tmp_path, OPERATORS["checkpoint"])

    outer = next(backward for backward in trace.passes() if backward.parent is None)
    assert [backward.parent for backward in trace.passes() if backward is not outer] == [outer.id]


def test_a_seed_of_ones_own_is_kept_and_grads_is_none(tmp_path: Path) -> None:
    own = recorded(tmp_path, OPERATORS["make_vjp"]).passes()[0]
    made = recorded(tmp_path, OPERATORS["grad"]).passes()[0]

    assert [seed.spec.shape for seed in own.seeds if seed is not None] == [(3,)]
    assert made.seeds == ()


def test_the_leaf_is_named_and_has_its_gradient(tmp_path: Path) -> None:
    weights = X.copy()

    trace = recorded(tmp_path, lambda: grad(cubed)(weights))

    leaf = trace.leaves()[0]
    assert (leaf.name, leaf.spec.shape, leaf.grad_spec and leaf.grad_spec.shape) == ("weights", (3,), (3,))
    assert nodes_of(trace, trace.passes()[0])[-1].flags & NODE_LEAF


def test_containers_are_one_leaf_and_their_gradients_no_mismatch(tmp_path: Path) -> None:
    def loss(parameters: Any) -> Any:
        return np.sum(parameters["w"] * parameters["b"]) + traced_tuple((parameters["w"], 1.0))[0][0]

    trace = recorded(tmp_path, lambda: grad(loss)({"w": X, "b": X + 1}))

    assert trace.leaves()[0].spec.layout == "container"
    assert trace.returned(trace.passes()[0].id) == ()


def test_sparse_gradients_are_no_mismatch(tmp_path: Path) -> None:
    trace = recorded(tmp_path, lambda: grad(lambda x: x[0] * x[1] + np.sum(x[1:]))(X))

    assert trace.returned(trace.passes()[0].id) == ()


def test_a_global_array_is_an_operand_without_a_node(tmp_path: Path) -> None:
    target = numpy.ones(3)

    trace = recorded(tmp_path, lambda: grad(lambda x: np.sum((target - x) ** 2))(X))

    flags = [value.flags for value in op_named(trace, "subtract").operands]
    assert flags[0] == 0 and flags[1] != 0


def test_the_first_wrong_gradient_is_named_though_a_later_argument_raises(tmp_path: Path) -> None:
    def loss(x: Any) -> Any:
        return np.sum(np.outer(np.outer(x, x), x))

    trace = recorded(tmp_path, lambda: grad(loss)(X))

    (wrong,) = trace.returned(trace.passes()[0].id)
    first = diagnose(trace)[0]
    assert (wrong.index, wrong.spec and wrong.spec.shape) == (0, (9,))
    assert (first.rule, first.expected_shape, first.received_shape) == ("hips-vjp-shape-error", (3, 3), (9,))


@pytest.mark.parametrize(("seed", "severity"), [(numpy.ones(2), "error"), (1.0, "warning")])
def test_a_seed_of_another_shape_is_told(seed: Any, severity: str, tmp_path: Path) -> None:
    trace = recorded(tmp_path, lambda: make_vjp(np.tanh)(X)[0](seed))

    (first,) = (finding for finding in diagnose(trace) if finding.severity != "note")
    assert (first.rule, first.severity) == ("seed-shape-mismatch", severity)
    assert (first.expected_shape, first.received_shape) == ((3,), numpy.shape(seed))


def test_a_vjp_of_ones_own_of_the_wrong_shape_is_told_though_autograd_accepts_it(tmp_path: Path) -> None:
    @primitive  # type: ignore[untyped-decorator]  # autograd has no types
    def halved(x: Any) -> Any:
        return x / 2

    defvjp(halved, lambda ans, x: lambda g: np.sum(g) / 2)

    trace = recorded(tmp_path, lambda: grad(lambda x: np.sum(halved(x)))(X))

    (first,) = (finding for finding in diagnose(trace) if finding.severity != "note")
    assert first.rule == "custom-backward-wrong-shape"
    assert (first.expected_shape, first.received_shape) == ((3,), ())
    assert first.file == __file__ and "lambda ans, x" in Path(__file__).read_text().splitlines()[first.line - 1]
    assert any(node.flags & NODE_CUSTOM for node in nodes_of(trace, trace.passes()[0]))


FAILURES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "float": (lambda x: float(x[0]) * 2.0, "hips-box-to-float"),
    "no vjp": (lambda x: np.sum(np.unwrap(x)), "hips-missing-vjp"),
    "objects": (lambda x: np.mean(numpy.dot(numpy.ones((2, 3)), x) ** 2), "hips-plain-numpy"),
    "vector": (lambda x: x * 2.0, "implicit-non-scalar"),
    "shapes": (lambda x: np.sum(np.dot(x, numpy.ones((2, 2)))), "forward-shape-error"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_has_its_rule_and_the_graph_that_stood(name: str, tmp_path: Path) -> None:
    program, rule = FAILURES[name]

    trace = recorded(tmp_path, lambda: grad(program)(X))

    assert diagnose(trace)[0].rule == rule
    assert trace.passes()[-1].nodes >= 1
    assert trace.passes()[-1].outcome == "refused"


def test_every_failure_is_told_though_the_exceptions_before_it_are_gone(tmp_path: Path) -> None:
    def several() -> None:
        for size in range(4, 9):
            with contextlib.suppress(ValueError):
                grad(lambda x, n=size: np.sum(np.dot(x, numpy.ones(n))))(X)

    trace = recorded(tmp_path, several)

    assert [bool(error.detail.get("framework")) for error in trace.exceptions()] == [True] * 5


def test_arrays_of_boxes_are_told_with_the_variables_that_held_them(tmp_path: Path) -> None:
    def loss(x: Any) -> Any:
        packed = numpy.array([x[0], x[1]])
        return np.sum(np.tanh(packed))

    trace = recorded(tmp_path, lambda: grad(loss)(X))

    (error,) = trace.exceptions()
    assert (error.detail["objects"][0], error.detail["objects_given"]) == (["packed"], True)
    first = diagnose(trace)[0]
    assert (first.rule, first.op, first.fix) == ("hips-plain-numpy", "array", "np.array([x[0], x[1]])")


def test_integers_are_told_from_shapes(tmp_path: Path) -> None:
    trace = recorded(tmp_path, lambda: grad(lambda n: n * 2)(3))

    assert diagnose(trace)[0].rule == "dtype-mismatch"


def test_everything_is_put_back_and_the_tracer_is_clean_after_a_function_that_raised(tmp_path: Path) -> None:
    before = (core.trace, core.backward_pass, core.VJPNode.__init__, tracer.trace_stack.top)
    inside = [cell.cell_contents for cell in grad.__closure__]

    recorded(tmp_path, lambda: grad(lambda x: 1 / 0)(X))

    assert (core.trace, core.backward_pass, core.VJPNode.__init__, tracer.trace_stack.top) == before
    assert [cell.cell_contents for cell in grad.__closure__] == inside
    assert repr(grad(cubed)(X)) == repr(3 * X**2)


def test_a_graph_made_before_the_recording_is_left_alone(tmp_path: Path) -> None:
    vjp, _ = make_vjp(np.tanh)(X)
    expected, results = vjp(numpy.ones(3)), []

    trace = recorded(tmp_path, lambda: results.append(vjp(numpy.ones(3))))

    assert repr(results[0]) == repr(expected)
    assert trace.passes() == ()


def test_torch_and_autograd_share_one_recording(tmp_path: Path) -> None:
    import torch

    def both() -> None:
        for _ in range(3):
            leaf = torch.ones(2, requires_grad=True)
            (leaf * 2).sum().backward()
            grad(cubed)(X)

    trace = recorded(tmp_path, both)

    numbers = [op.number for op in trace.ops()]
    assert numbers == sorted(set(numbers))
    assert {backward.entry for backward in trace.passes()} == {"backward", "vjp"}
    assert "autograd" in trace.run().framework and "torch" in trace.run().framework


def test_the_version_is_told(tmp_path: Path) -> None:
    trace = recorded(tmp_path, OPERATORS["grad"])

    assert trace.run().framework.startswith("autograd 1.") or ", autograd 1." in trace.run().framework
    assert autograd.__name__ == "autograd"
