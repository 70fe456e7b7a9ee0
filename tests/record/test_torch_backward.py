"""What is recorded of backward passes: graph, steps, seeds, the node at fault, and passes inside passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from gradviz.trace import packing
from tests.record.recorded import nodes_of, recorded


class Scaled(torch.autograd.Function):
    """Hands back whatever `answer` makes of the gradient."""

    answer: Callable[[torch.Tensor], Any] = staticmethod(lambda g: g)

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 1

    @classmethod
    def backward(cls, ctx: Any, *grads: Any) -> Any:
        return Scaled.answer(grads[0])


scaled: Any = Scaled.apply


def test_each_node_has_its_op_its_edges_and_what_it_expects(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(2, 3, requires_grad=True)
        (x * 2).sum(dim=1).pow(2).sum().backward()

    trace = recorded(tmp_path, program)

    (record,) = trace.passes()
    nodes = nodes_of(trace, record)
    assert [node.name for node in nodes] == [
        "SumBackward0", "PowBackward0", "SumBackward1", "MulBackward0", "AccumulateGrad"
    ]  # fmt: skip
    assert [node.expected[0].shape for node in nodes] == [(), (2,), (2,), (2, 3), (2, 3)]
    ops = {op.number: op.name for op in trace.ops()}
    assert [ops.get(node.op) for node in nodes] == ["sum", "pow", "sum", "mul", None]
    graph = trace.graph(record.id)
    assert list(zip(graph.tail.tolist(), graph.head.tolist())) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert nodes[-1].flags & packing.NODE_LEAF and trace.leaves()[nodes[-1].leaf].name == "x"


def test_steps_carry_what_they_received_with_statistics(tmp_path: Path) -> None:
    x = torch.tensor([1.0, -2.0, 0.0], requires_grad=True)

    def program() -> None:
        x.pow(2).sum().backward()

    trace = recorded(tmp_path, program)

    (record,) = trace.passes()
    steps = [trace.step(record.id, number) for number in range(record.steps)]
    assert [step.node for step in steps] == [0, 1, 2] and record.outcome == "completed"
    stats = steps[2].received[0].stats
    assert (stats.min, stats.max, stats.zeros, stats.nans) == (-4.0, 2.0, 1, 0)
    assert stats.norm == pytest.approx(math.sqrt(20)) and stats.mean == pytest.approx(-2 / 3)
    leaf = trace.leaves()[0]
    assert leaf.grad_stats is not None and leaf.grad_stats.min == -4.0


@pytest.mark.parametrize("shape", [(300, 300), (40, 5, 600)])
def test_statistics_of_big_gradients_are_right_however_they_lie_in_memory(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    x, weight = torch.randn(shape, requires_grad=True), torch.randn(shape)
    line = torch.randn(shape[:-1])[..., None]

    def program() -> None:
        turned = (x * weight).transpose(-1, -2)
        (turned.transpose(-1, -2) * line).sum().backward()
        x.expand(2, *shape).sum().backward()

    trace = recorded(tmp_path, program)

    first, second = trace.passes()
    last = trace.step(first.id, first.steps - 1).received[0].stats
    right = (weight * line).double()
    assert last.min == pytest.approx(right.min().item()) and last.max == pytest.approx(right.max().item())
    assert last.norm == pytest.approx(right.norm().item(), rel=1e-5)
    assert last.mean == pytest.approx(right.mean().item(), abs=1e-5)
    ones = trace.step(second.id, second.steps - 2).received[0].stats
    assert (ones.min, ones.max, ones.mean) == (1, 1, 1) and ones.norm == pytest.approx(math.sqrt(2 * x.numel()))


def test_seeds_are_kept_as_given_with_a_sample(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(2, 3, requires_grad=True)
        seed = torch.full((2, 3), 0.5)
        (x * 2).backward(seed)

    trace = recorded(tmp_path, program)

    (record,) = trace.passes()
    (seed,) = record.seeds
    assert seed is not None and seed.spec.shape == (2, 3)
    made = trace.producer(seed.value)
    assert made is not None and made.name == "full"
    (sample,) = trace.samples(record.id, -1)
    assert sample.role == "seed" and len(sample.data) == 24


def refused_mismatch(x: torch.Tensor) -> None:
    (x * 2).backward(torch.ones(5))


def refused_non_scalar(x: torch.Tensor) -> None:
    (x * 2).backward()


def refused_without_graph(x: torch.Tensor) -> None:
    x.detach().sum().backward()


@pytest.mark.parametrize("program", [refused_mismatch, refused_non_scalar, refused_without_graph])
def test_a_pass_that_is_refused_is_there_with_its_graph(
    program: Callable[[torch.Tensor], None], tmp_path: Path
) -> None:
    trace = recorded(tmp_path, lambda: program(torch.ones(3, requires_grad=True)))

    (record,) = trace.passes()
    (error,) = trace.exceptions()
    assert (record.outcome, record.steps, record.failed_node) == ("refused", 0, None)
    assert record.exception == error.id and error.phase == "backward"
    assert record.nodes == (0 if program is refused_without_graph else 2)
    assert record.stack[0].function == program.__name__


def wrong_shape(g: torch.Tensor) -> Any:
    return g.new_ones(7)


def wrong_count(g: torch.Tensor) -> Any:
    return g, g


def wrong_type(g: torch.Tensor) -> Any:
    return 1.5


def raising(g: torch.Tensor) -> Any:
    raise ValueError("mine")


@pytest.mark.parametrize("answer", [wrong_shape, wrong_count, wrong_type, raising])
def test_the_node_whose_backward_is_wrong_is_named(answer: Callable[[torch.Tensor], Any], tmp_path: Path) -> None:
    Scaled.answer = staticmethod(answer)

    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        (scaled(x * 2) * 3).sum().backward()

    trace = recorded(tmp_path, program)

    (record,) = trace.passes()
    assert record.outcome == "raised" and record.failed_node is not None
    node = trace.node(record.id, record.failed_node)
    assert node.name == "ScaledBackward" and node.flags & packing.NODE_CUSTOM
    returned = trace.returned(record.id)
    expected = {"wrong_shape": 1, "wrong_count": 2, "wrong_type": 1, "raising": 0}
    assert len(returned) == expected[answer.__name__]
    if answer is wrong_type:
        assert returned[0].type == "float"
    if answer is wrong_shape:
        assert returned[0].spec is not None and returned[0].spec.shape == (7,) and returned[0].stats.max == 1


def test_what_a_custom_backward_returned_is_seen_before_it_is_summed(tmp_path: Path) -> None:
    Scaled.answer = staticmethod(lambda g: g.expand(5, 3))

    def program() -> None:
        scaled(torch.ones(3, requires_grad=True)).sum().backward()

    trace = recorded(tmp_path, program)
    (record,) = trace.passes()
    (returned,) = trace.returned(record.id)
    assert record.outcome == "completed" and returned.spec is not None and returned.spec.shape == (5, 3)


def test_a_freed_graph_fails_at_the_first_node_that_needs_what_was_freed(tmp_path: Path) -> None:
    def program() -> None:
        loss = torch.ones(3, requires_grad=True).exp().sum()
        loss.backward()
        loss.backward()

    trace = recorded(tmp_path, program)
    record = trace.passes()[-1]
    assert record.failed_node is not None and trace.node(record.id, record.failed_node).name == "ExpBackward0"


def hook_of_other_shape(h: torch.Tensor) -> None:
    h.register_hook(lambda g: g.sum())


def hook_that_raises(h: torch.Tensor) -> None:
    def hook(g: torch.Tensor) -> None:
        raise KeyError("mine")

    h.register_hook(hook)


@pytest.mark.parametrize("register", [hook_of_other_shape, hook_that_raises])
def test_the_node_whose_hook_is_wrong_is_named(register: Callable[[torch.Tensor], None], tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        h = x.exp()
        register(h)
        (h * 2 + h.tanh()).sum().backward()

    trace = recorded(tmp_path, program)

    (record,) = trace.passes()
    assert record.failed_node is not None
    assert trace.node(record.id, record.failed_node).name == "ExpBackward0"
    (error,) = trace.exceptions()
    assert error.detail["hook"]["file"] == __file__
    if register is hook_of_other_shape:
        assert error.detail["hook"]["returned"]["shape"] == []


def test_a_hook_on_a_leaf_that_is_wrong_names_the_leaf(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        x.register_hook(lambda g: g.sum())
        (x * 2).sum().backward()

    trace = recorded(tmp_path, program)
    (record,) = trace.passes()
    assert record.failed_node is not None and trace.node(record.id, record.failed_node).name == "AccumulateGrad"


def test_an_input_that_is_not_in_the_graph_is_no_nodes_fault(tmp_path: Path) -> None:
    def program() -> None:
        x, other = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        torch.autograd.grad((x * 2).sum(), other)

    trace = recorded(tmp_path, program)
    (record,) = trace.passes()
    assert (record.entry, record.outcome, record.failed_node) == ("grad", "refused", None)
    assert record.inputs[0].node == -1 and record.inputs[0].requires_grad


def test_nan_is_found_with_its_node_and_a_sample(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.zeros(3, requires_grad=True)
        (x.sqrt() * 0).sum().backward()

    trace = recorded(tmp_path, program)
    (record,) = trace.passes()
    last = trace.step(record.id, record.steps - 1)
    assert last.received[0].stats.nans == 3
    assert [sample.role for sample in trace.samples(record.id, last.number)] == ["received"]


def test_saved_tensors_are_told_by_shape(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(2, 3, requires_grad=True)
        x.exp().sum().backward()

    trace = recorded(tmp_path, program)
    (saved,) = trace.saved(trace.passes()[0].id, 1)
    assert saved.name == "result" and saved.spec is not None and saved.spec.shape == (2, 3)


def test_checkpoint_runs_the_forward_as_often_as_without_a_recorder(tmp_path: Path) -> None:
    calls: list[str] = []

    def block(x: torch.Tensor) -> torch.Tensor:
        calls.append("")
        return (x * 2).tanh()

    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        checkpoint(block, x, use_reentrant=False).sum().backward()
        assert len(calls) == 2
        checkpoint(block, x, use_reentrant=True).sum().backward()
        assert len(calls) == 4

    trace = recorded(tmp_path, program)

    assert not trace.exceptions()
    plain, outer, inner = trace.passes()
    assert inner.parent == outer.id and plain.parent is None
    ops = {op.number: op.name for op in trace.ops()}
    assert [ops.get(node.op) for node in nodes_of(trace, inner)][:2] == ["tanh", "mul"]
    assert not [record for record in (plain, outer, inner) if record.outcome != "completed"]


def test_a_backward_inside_a_hook_is_a_pass_of_its_own(tmp_path: Path) -> None:
    def hook(g: torch.Tensor) -> None:
        with torch.enable_grad():
            (torch.ones(2, requires_grad=True) * 3).sum().backward()

    def program() -> None:
        h = torch.ones(3, requires_grad=True) * 2
        h.register_hook(hook)
        h.sum().backward()

    outer, inner = recorded(tmp_path, program).passes()
    assert (inner.parent, inner.steps, outer.steps) == (outer.id, 3, 3)


def test_the_graph_of_a_gradient_is_recorded_with_the_line_of_grad(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        first.pow(2).sum().backward()

    trace = recorded(tmp_path, program)
    grad, backward = trace.passes()
    assert grad.create_graph and grad.steps == grad.nodes - 1  # the leaf is captured, not run
    ops = {op.number: op.name for op in trace.ops()}
    assert "grad" in {ops.get(node.op) for node in nodes_of(trace, backward)}


def sparse(x: torch.Tensor) -> None:
    nn.functional.embedding(torch.tensor([1, 2]), x, sparse=True).sum().backward()


def nested(x: torch.Tensor) -> None:
    parts = torch.nested.nested_tensor([x[0].detach(), x[1, :2].detach()], layout=torch.jagged, requires_grad=True)
    (parts * 2).values().sum().backward()


def complex_numbers(x: torch.Tensor) -> None:
    z = torch.complex(x, x)
    (z * z.conj()).real.sum().backward()


def low_precision(x: torch.Tensor) -> None:
    x.to(torch.bfloat16).pow(2).sum().backward()


def empty(x: torch.Tensor) -> None:
    (x[:0] * 2).sum().backward()


def meta(x: torch.Tensor) -> None:
    (torch.ones(3, device="meta", requires_grad=True) * 2).sum().backward()


def vectorized(x: torch.Tensor) -> None:
    torch.autograd.functional.jacobian(lambda v: (v**2).sum(0), x, vectorize=True)


def functional(x: torch.Tensor) -> None:
    torch.autograd.functional.hessian(lambda v: (v**3).sum(), x[0])


def transforms(x: torch.Tensor) -> None:
    torch.func.vmap(torch.func.grad(lambda v: (v.sin() * v).sum()))(x)
    torch.func.jacrev(lambda v: (v * v).sum(0))(x)


def scripted(x: torch.Tensor) -> None:
    function = torch.jit.trace(lambda v: (v * v).sum(), torch.ones(4, 3))
    for _ in range(3):
        function(x).backward()


def views_written_to(x: torch.Tensor) -> None:
    base = x * 1
    row = base[0]
    base.mul_(2)
    row.sum().backward()


def several_outputs(x: torch.Tensor) -> None:
    first, _ = x.split(2)
    first.sum().backward()


def mixed_precision(x: torch.Tensor) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        (x @ x.T).sum().backward()


def packed(x: torch.Tensor) -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda held: held[0]):
        x.exp().sum().backward()


def from_an_edge(x: torch.Tensor) -> None:
    edge = torch.autograd.graph.get_gradient_edge((x * 2).sum())
    torch.autograd.grad(edge, x)
    torch.autograd.backward([(x * 3).sum()], inputs=[x])


def from_a_leaf(x: torch.Tensor) -> None:
    x.backward(torch.ones_like(x))


def compiled(x: torch.Tensor) -> None:
    function = torch.compile(lambda v: (v * 2).tanh().sum())
    function(x).backward()


KINDS = [
    *(sparse, nested, complex_numbers, low_precision, empty, meta, vectorized, functional, transforms),
    *(scripted, views_written_to, several_outputs, mixed_precision, packed),
    *(from_an_edge, from_a_leaf, compiled),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", KINDS)
@pytest.mark.parametrize("level", ["shapes", "summaries", "values"])
def test_every_kind_of_tensor_and_caller_is_recorded(
    program: Callable[[torch.Tensor], None], level: str, tmp_path: Path
) -> None:
    trace = recorded(tmp_path, lambda: program(torch.rand(4, 3, requires_grad=True)), level)

    assert not trace.exceptions(), trace.exceptions()
    assert trace.passes() and all(record.outcome == "completed" for record in trace.passes())
    for record in trace.passes():
        for number in range(record.steps):
            trace.step(record.id, number)


def test_parameters_of_a_module_that_was_never_called_are_named_by_the_way_to_them(tmp_path: Path) -> None:
    net = nn.Linear(3, 2)
    deep = nn.Sequential(nn.Linear(3, 3), nn.ModuleDict({"out": nn.Linear(3, 2)}))

    def program() -> None:
        (net.weight * deep.get_parameter("1.out.weight")).sum().backward()

    leaves = recorded(tmp_path, program).leaves()

    assert [leaf.name for leaf in leaves if leaf.in_graph] == ["net.weight", "deep[1].out.weight"]
    assert {leaf.kind for leaf in leaves} == {"parameter"}


def test_leaves_tell_their_gradient_at_the_end(tmp_path: Path) -> None:
    net = nn.Linear(3, 2)
    frozen = nn.Linear(3, 2).requires_grad_(False)

    def program() -> None:
        (net(torch.ones(1, 3)) + frozen(torch.ones(1, 3))).sum().backward()

    leaves = {(leaf.name, leaf.requires_grad): leaf for leaf in recorded(tmp_path, program).leaves()}

    assert leaves["weight", True].grad_spec is not None and leaves["weight", True].in_graph
    assert leaves["weight", False].grad_spec is None and leaves["weight", False].kind == "parameter"


def test_at_level_values_gradients_are_kept_whole(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(100, 90, requires_grad=True)
        (x * 2).sum().backward()

    trace = recorded(tmp_path, program, level="values")
    (record,) = trace.passes()
    (sample,) = trace.samples(record.id, 1)
    assert sample.shape == (100, 90) and set(sample.strides) == {1} and len(sample.data) == 4 * 9000


def test_the_node_that_fetches_what_checkpoint_repeats_is_the_culprit(tmp_path: Path) -> None:
    calls: list[int] = []

    def block(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return torch.tanh(x.relu()[:, : 4 - len(calls) // 2])

    def program() -> None:
        x = torch.randn(2, 4, requires_grad=True)
        (checkpoint(block, x, use_reentrant=False) * 2).sum().backward()

    trace = recorded(tmp_path, program)

    [failed] = [record for record in trace.passes() if record.outcome == "raised"]
    assert failed.failed_node is not None
    assert trace.node(failed.id, failed.failed_node).name == "TanhBackward0"


@pytest.mark.parametrize(("seed", "kind"), [(1.0, "float"), ([1.0, 2.0], "list"), (np.ones(3), "numpy.ndarray")])
@pytest.mark.parametrize("entry", ["backward", "grad"])
def test_a_seed_that_is_no_tensor_is_a_pass_that_was_refused(
    seed: object, kind: str, entry: str, tmp_path: Path
) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        y: Any = x * 2
        wrong: Any = seed
        if entry == "grad":
            torch.autograd.grad(y, x, wrong)
        y.backward(wrong)

    trace = recorded(tmp_path, program)

    (refused,) = trace.passes()
    assert (refused.outcome, refused.entry, len(refused.roots)) == ("refused", entry, 1)
    assert [node.name for node in nodes_of(trace, refused)] == ["MulBackward0", "AccumulateGrad"]
    (error,) = trace.exceptions()
    assert (error.type, error.detail["seed_type"], refused.exception) == ("TypeError", kind, error.id)
