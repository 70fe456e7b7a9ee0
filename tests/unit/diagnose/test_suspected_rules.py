"""Zero and vanishing gradients, wrong axes, scrambled layouts: told only where nothing is certainly wrong."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.trace import model
from tests.unit.diagnose.fake_trace import FakeTrace


def norm(size: float) -> model.Stats:
    return model.Stats(0, 0, 0, 0.0, 0.0, 0.0, size)


def flat(trace: FakeTrace, name: str, node: str, *, leaf_norm: float) -> None:
    w, h, loss = trace.tensor((3,), grad=True), trace.tensor((3,), grad=True), trace.tensor((), grad=True)
    leaf = trace.leaf(w, "w", grad_spec=w.spec)
    op = trace.op(name, "torch.round(p)", (w,), h)
    one = trace.backward("loss.backward()", loss)
    trace.add_node(one, "SumBackward0", (), to=(1,))
    trace.add_node(one, node, (3,), op=op, to=(2,))
    trace.accumulate(one, leaf)
    trace.add_step(one, 0)
    trace.add_step(one, 1)
    trace.add_step(one, 2, norm(leaf_norm))


def test_a_step_function_before_every_leaf() -> None:
    trace = FakeTrace("mask = torch.round(p)\nloss.backward()\n")
    flat(trace, "round", "RoundBackward0", leaf_norm=0.0)

    (found,) = diagnose(trace)

    assert (found.rule, found.line, found.node) == ("zero-gradient", 1, "RoundBackward0")


@pytest.mark.parametrize(("name", "node", "size"), [("relu", "ReluBackward0", 0.0), ("round", "RoundBackward0", 0.5)])
def test_a_zero_at_a_minimum_or_a_gradient_elsewhere_is_no_fault(name: str, node: str, size: float) -> None:
    trace = FakeTrace("mask = torch.round(p)\nloss.backward()\n")
    flat(trace, name, node, leaf_norm=size)

    assert diagnose(trace) == ()


def chain(node: str, factor: float, turns: int = 60, *, layers: bool = False) -> FakeTrace:
    """The same line, again and again, each turn shrinking the gradient by `factor`; of layers each has a parameter."""
    trace = FakeTrace("h = cell(x, h)\nh.sum().backward()\n")
    h = trace.tensor((8,), grad=True)
    one = trace.backward("h.sum().backward()", h)
    size = 1.0
    for turn in range(turns):
        op = trace.op("cell", "cell(x, h)", (h,), h)
        index = trace.add_node(one, node, (8,), op=op, to=(turn + 1,) if turn < turns - 1 else ())
        trace.add_step(one, index, norm(size))
        size *= factor
    for turn in range(turns if layers else 1):
        leaf = trace.accumulate(one, trace.leaf(trace.tensor((8,), grad=True), f"layers.{turn}.weight"))
        trace.add_step(one, leaf, norm(factor**turn))
    return trace


def test_a_recurrence_that_dies_out() -> None:
    (found,) = diagnose(chain("AddmmBackward0", 0.1))

    assert (found.rule, found.severity, found.line) == ("vanishing-gradient", "warning", 1)


@pytest.mark.parametrize(("turns", "layers", "told"), [(30, True, True), (30, False, False), (15, True, False)])
def test_layers_of_which_the_first_get_next_to_nothing(turns: int, layers: bool, told: bool) -> None:
    """Shared by all turns, a parameter gets enough from the last of them."""
    found = diagnose(chain("AddmmBackward0", 0.12, turns, layers=layers))

    assert [each.rule for each in found] == ["vanishing-gradient"] * told
    assert all("every layer" in each.message for each in found)


@pytest.mark.parametrize(("node", "factor"), [("AddmmBackward0", 0.9), ("AddBackward0", 0.1)])
def test_one_that_lives_and_a_plain_average_are_left_alone(node: str, factor: float) -> None:
    assert diagnose(chain(node, factor)) == ()


def test_softmax_over_the_batch_when_rows_are_picked_from() -> None:
    trace = FakeTrace("p = torch.softmax(s, dim=0)\nq = p[rows, label]\n")
    s, p = trace.tensor((6, 3), grad=True), trace.tensor((6, 3), grad=True)
    rows = [trace.tensor((6,), dtype="int64", name="index") for _ in range(2)]
    trace.op("softmax", "torch.softmax(s, dim=0)", (s,), p, dim=0)
    trace.op("__getitem__", "p[rows, label]", (p, *rows), trace.tensor((6,), grad=True))

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line) == ("wrong-axis", "warning", 1)
    assert found.fix == "p = torch.softmax(s, dim=1)"


def test_softmax_over_time_is_left_alone() -> None:
    trace = FakeTrace("a = torch.softmax(s, dim=0)\nc = (a * h).sum(0)\n")
    s, a = trace.tensor((7, 3), grad=True), trace.tensor((7, 3), grad=True)
    trace.op("softmax", "torch.softmax(s, dim=0)", (s,), a, dim=0)
    trace.op("sum", "(a * h).sum(0)", (a,), trace.tensor((3,), grad=True), dim=0)

    assert diagnose(trace) == ()


@pytest.mark.parametrize(
    ("before", "after", "loud"),
    [((2, 6, 3), (2, 3, 6), True), ((2, 6, 4), (2, 4, 3, 2), False), ((2, 6, 3), (12, 3), False),
     ((2, 6, 1), (2, 1, 6), False)],
)  # fmt: skip
def test_view_does_not_swap(before: tuple[int, ...], after: tuple[int, ...], loud: bool) -> None:
    trace = FakeTrace("h = h.view(B, C, T)\n")
    trace.op("view", "h.view(B, C, T)", (trace.tensor(before, grad=True),), trace.tensor(after, grad=True))

    assert [f.rule for f in diagnose(trace)] == (["layout-scramble"] if loud else [])


def test_suspicions_keep_quiet_beside_an_error() -> None:
    trace = FakeTrace("h = h.view(B, C, T)\nboom()\n")
    trace.op("view", "h.view(B, C, T)", (trace.tensor((2, 6, 3), grad=True),), trace.tensor((2, 3, 6), grad=True))
    trace.error("KeyError", "'lr'", "boom()", "user")

    assert [f.rule for f in diagnose(trace)] == ["uncaught-exception"]
