"""What is recorded of forward calls: operands by identity, versions, what left the graph, modules, failures."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from gradviz.trace import packing
from tests.record.recorded import line_of, nodes_of, op_named, recorded

NEEDING = packing.VALUE_REQUIRES_GRAD


def here(offset: int = 0) -> int:
    """The line of the caller."""
    return sys._getframe(1).f_lineno + offset


def test_an_operand_has_the_number_of_the_result_it_is(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        torch.add(y, x)

    trace = recorded(tmp_path, program)

    made, mul, add = op_named(trace, "ones"), op_named(trace, "mul"), op_named(trace, "add")
    assert made.flags & packing.OP_FACTORY
    assert mul.operands[0].number == made.results[0].number
    assert [value.number for value in add.operands] == [mul.results[0].number, made.results[0].number]
    assert [value.name for value in add.operands] == ["self", "other"]
    assert trace.producer(mul.results[0].number) == mul


def test_a_dead_tensors_number_is_not_given_to_the_next_at_its_address(tmp_path: Path) -> None:
    def program() -> None:
        for _ in range(20):
            torch.relu(torch.ones(2))

    trace = recorded(tmp_path, program)

    numbers = [op.results[0].number for op in trace.ops()]
    assert len(set(numbers)) == len(numbers) == 40


def test_an_op_knows_its_line_and_columns(tmp_path: Path) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    line = here(3)

    def program() -> None:
        (x @ x).exp()

    trace = recorded(tmp_path, program)

    matmul, exp = op_named(trace, "matmul"), op_named(trace, "exp")
    assert line_of(matmul) == line_of(exp) == line
    if sys.version_info >= (3, 11):
        assert (matmul.stack[0].column, matmul.stack[0].end_column) == (9, 14)
        assert exp.stack[0].end_column > matmul.stack[0].end_column
    assert matmul.stack[0].function.endswith("program")


def test_arguments_that_are_no_tensors_are_kept_short(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(2, 3, requires_grad=True)
        x.sum(dim=1, keepdim=True)
        x.view(3, 2)
        x[:, -2:]
        torch.cat([x, x], dim=0)

    trace = recorded(tmp_path, program)

    assert op_named(trace, "sum").arguments == {"dim": 1, "keepdim": True}
    assert op_named(trace, "view").arguments == {"shape": [3, 2]}
    assert op_named(trace, "__getitem__").arguments == {"index": ":, -2:"}
    cat = op_named(trace, "cat")
    assert cat.arguments == {"dim": 0}
    assert all(value.flags & packing.VALUE_LIST_ITEM for value in cat.operands)


LEAVING: list[tuple[str, Callable[[torch.Tensor], Any]]] = [
    ("detach", lambda x: x.detach()),
    ("item", lambda x: x.sum().item()),
    ("tolist", lambda x: x.tolist()),
    ("data", lambda x: x.data),
    ("argmax", lambda x: x.argmax()),
    ("gt", lambda x: x > 0),
    ("numpy", lambda x: x.detach().numpy()),
]


@pytest.mark.parametrize(("name", "leave"), LEAVING, ids=[name for name, _ in LEAVING])
def test_what_leaves_the_graph_is_told(name: str, leave: Callable[[torch.Tensor], Any], tmp_path: Path) -> None:
    def program() -> None:
        leave(torch.ones(3, requires_grad=True) * 2)

    op = op_named(recorded(tmp_path, program), name)

    assert bool(op.flags & packing.OP_LEAVES_GRAPH) == (name != "numpy")  # numpy takes what detach made
    assert op.operands


def test_no_grad_is_told(tmp_path: Path) -> None:
    def program() -> None:
        with torch.no_grad():
            torch.ones(3, requires_grad=True) * 2

    flags = op_named(recorded(tmp_path, program), "mul").flags
    assert flags & packing.OP_NO_GRAD and flags & packing.OP_LEAVES_GRAPH


def test_each_write_in_place_is_an_op_with_the_version_before_and_after(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3)
        x.add_(1)
        x[0] = 5
        x.data.mul_(2)
        x.requires_grad_()

    trace = recorded(tmp_path, program)

    for name, before in (("add_", 0), ("__setitem__", 1)):
        op = op_named(trace, name)
        assert op.flags & packing.OP_IN_PLACE
        assert (op.operands[0].version, op.results[0].version) == (before, before + 1)
        assert op.operands[0].number == op.results[0].number
    assert op_named(trace, "mul_").operands[0].number == op_named(trace, "data").results[0].number
    assert op_named(trace, "requires_grad_").results[0].flags & packing.VALUE_REQUIRES_GRAD


def test_a_write_without_grad_mode_that_changes_the_looks_is_read_anew(tmp_path: Path) -> None:
    x = torch.zeros(2, 3)

    def program() -> None:
        with torch.no_grad():
            x.add_(1, alpha=2)
            x.t_()
            x.resize_(6)
            x.requires_grad_()
            x.mul_(2)

    trace = recorded(tmp_path, program)

    shapes = [op_named(trace, name).results[0].spec.shape for name in ("add_", "t_", "resize_", "mul_")]
    assert shapes == [(2, 3), (3, 2), (6,), (6,)]
    assert op_named(trace, "t_").results[0].flags & packing.VALUE_NON_CONTIGUOUS
    assert op_named(trace, "mul_").results[0].flags & packing.VALUE_REQUIRES_GRAD
    assert [op_named(trace, name).results[0].version for name in ("add_", "mul_")] == [1, x._version]


@pytest.mark.parametrize(("to_none", "recorded_ops"), [(True, 0), (False, 2)])
def test_gradients_set_to_none_are_no_news_and_zeros_written_are(
    to_none: bool, recorded_ops: int, tmp_path: Path
) -> None:
    net = nn.Linear(3, 1, bias=False)
    optimizer = torch.optim.SGD(net.parameters())

    def program() -> None:
        for zeroed in (net, optimizer):
            net(torch.ones(1, 3)).sum().backward()
            zeroed.zero_grad(set_to_none=to_none)
            assert (net.weight.grad is None) == to_none

    names = [op.name for op in recorded(tmp_path, program).ops()]

    assert sum("zero_" in name for name in names) == recorded_ops
    assert names.count("grad") == (2 if to_none else 0)  # what the program itself asks for


def test_zero_grad_is_torchs_own_again_afterwards(tmp_path: Path) -> None:
    before = nn.Module.zero_grad, torch.optim.Optimizer.zero_grad

    recorded(tmp_path, lambda: None)

    assert (nn.Module.zero_grad, torch.optim.Optimizer.zero_grad) == before


def test_a_parameter_that_is_frozen_by_its_attribute_is_told(tmp_path: Path) -> None:
    def program() -> None:
        nn.Linear(2, 2).weight.requires_grad = False

    op = op_named(recorded(tmp_path, program), "requires_grad")
    assert op.arguments == {"value": False} and not op.results[0].flags & packing.VALUE_REQUIRES_GRAD


def test_reading_a_gradient_that_is_not_there_is_told(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    x = torch.ones(2, requires_grad=True)

    def program() -> None:
        hidden = x * 2
        hidden.sum().backward()
        print(hidden.grad)
        print(x.grad)

    reads = [op for op in recorded(tmp_path, program).ops() if op.name == "grad"]

    assert len(reads) == 1 and not reads[0].results  # x.grad is there: no news
    assert len([w for w in recwarn if "not a leaf" in str(w.message) and w.filename == __file__]) == 1


def test_a_module_used_twice_has_the_path_it_is_called_by(tmp_path: Path) -> None:
    shared = nn.Linear(3, 3)
    net = nn.Sequential(nn.Sequential(shared, nn.Tanh()), shared)

    def program() -> None:
        net(torch.ones(1, 3))

    trace = recorded(tmp_path, program)

    modules = trace.modules()
    calls = [trace.call(op.call) for op in trace.ops() if op.name == "linear"]
    assert [modules[call.module].path for call in calls if call] == ["0.0", "1"]
    assert modules[0].root_name == "net" and modules[0].parameters == 12
    assert calls[0] is not None and calls[0].in_spec is not None and calls[0].in_spec.shape == (1, 3)


def test_a_call_whose_forward_raised_did_not_complete(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(3, 2))

    def program() -> None:
        net(torch.ones(1, 3))

    trace = recorded(tmp_path, program)

    failed = op_named(trace, "linear")
    call = trace.call(failed.call)
    assert failed.flags & packing.OP_RAISED and not failed.results
    assert call is not None and not call.completed
    (error,) = trace.exceptions()
    assert (error.phase, error.op) == ("forward", failed.number)
    (partial,) = trace.passes()
    assert (partial.phase, partial.outcome, partial.steps) == ("forward", "refused", 0)
    assert [node.name for node in nodes_of(trace, partial)][:1] == ["AddmmBackward0"]


def test_torch_code_that_raises_without_a_torch_function_is_told_by_its_modules_name(tmp_path: Path) -> None:
    lstm = nn.LSTM(3, 2)

    def program() -> None:
        lstm(torch.ones(1, 1, 1, 3))

    trace = recorded(tmp_path, program)
    op = op_named(trace, "LSTM")
    assert op.flags & packing.OP_RAISED and op.operands[0].spec.shape == (1, 1, 1, 3)


def test_the_innermost_call_that_raised_is_the_one(tmp_path: Path) -> None:
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.view(7)

    def program() -> None:
        Broken.apply(torch.ones(3, requires_grad=True))  # type: ignore[no-untyped-call]  # torch leaves it untyped

    trace = recorded(tmp_path, program)
    (error,) = trace.exceptions()
    assert error.op == op_named(trace, "view").number


def test_a_custom_function_is_an_op_and_its_inside_is_not(tmp_path: Path) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, factor: float) -> torch.Tensor:
            return x * factor

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * 2, None

    def program() -> None:
        double: Any = Double.apply
        double(torch.ones(3, requires_grad=True), 2.0).sum().backward()

    trace = recorded(tmp_path, program)
    op = op_named(trace, "Double")
    assert op.flags & packing.OP_APPLY and op.arguments == {"factor": 2.0}
    assert [value.name for value in op.operands] == ["x"]
    assert [each.name for each in trace.ops()] == ["ones", "Double", "sum"]
    assert [node.op for node in nodes_of(trace, trace.passes()[0])][1] == op.number


def test_an_optimizers_step_is_one_op_that_writes_to_its_parameters(tmp_path: Path) -> None:
    net = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(net.parameters())

    def program() -> None:
        net(torch.ones(1, 3)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    trace = recorded(tmp_path, program)
    op = op_named(trace, "Adam.step")
    assert trace.ops()[-1] == op and op.flags & packing.OP_IN_PLACE
    assert [value.version for value in op.results] == [value.version + 1 for value in op.operands]


def test_threads_number_from_zero_and_are_told_apart(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)

    def work() -> None:
        (x * 2).exp().sum().backward()

    def program() -> None:
        (x * 3).sum().backward()
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()

    trace = recorded(tmp_path, program)

    first, second = trace.passes()
    assert trace.threads()[second.thread] == "worker" and first.thread == 0
    ops = {op.number: op for op in trace.ops()}
    names = [ops[node.op].name for node in nodes_of(trace, second) if node.op >= 0]
    assert names == ["sum", "exp", "mul"]
    assert all(ops[node.op].thread == second.thread for node in nodes_of(trace, second) if node.op >= 0)


def test_a_graph_of_two_threads_finds_each_ones_ops(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    kept: list[torch.Tensor] = []

    def program() -> None:
        thread = threading.Thread(target=lambda: kept.append(x.exp()))
        thread.start()
        thread.join()
        (kept[0] * 2).sum().backward()

    trace = recorded(tmp_path, program)
    ops = {op.number: op.name for op in trace.ops()}
    (record,) = trace.passes()
    assert [ops[node.op] for node in nodes_of(trace, record) if node.op >= 0][:2] == ["sum", "mul"]


@pytest.mark.parametrize(
    ("make", "operand_flags", "result_flags"),
    [
        (lambda y: torch.autograd.Variable(y, requires_grad=True), NEEDING, NEEDING | packing.VALUE_LEAF),
        (lambda y: torch.autograd.Variable(data=y), NEEDING, packing.VALUE_LEAF),
        (lambda y: torch.autograd.Variable(y.detach()), packing.VALUE_LEAF, packing.VALUE_LEAF),
        (torch.nn.Parameter, NEEDING, NEEDING | packing.VALUE_LEAF | packing.VALUE_PARAMETER),
    ],
)
def test_a_class_that_takes_a_tensor_over_is_an_op(
    make: Callable[[torch.Tensor], torch.Tensor], operand_flags: int, result_flags: int, tmp_path: Path
) -> None:
    made: list[torch.Tensor] = []

    def program() -> None:
        made.append(make(torch.ones(3, requires_grad=True) * 2))

    trace = recorded(tmp_path, program)

    op = trace.ops()[-1]
    assert op.name == ("Parameter" if isinstance(made[0], torch.nn.Parameter) else "Variable")
    assert [(value.flags & ~packing.VALUE_VIEW) for value in op.operands] == [operand_flags]
    assert [(value.flags & ~packing.VALUE_VIEW) for value in op.results] == [result_flags]
    assert bool(op.flags & packing.OP_LEAVES_GRAPH) == bool(operand_flags & NEEDING)


def test_a_models_own_parameters_are_no_ops(tmp_path: Path) -> None:
    trace = recorded(tmp_path, lambda: nn.Linear(2, 3))

    assert {op.name for op in trace.ops()} == {"empty", "kaiming_uniform_", "uniform_"}


def test_tensors_given_by_name_alone_leave_no_other_argument(tmp_path: Path) -> None:
    def program() -> None:
        torch.nn.functional.linear(torch.ones(2, 3), weight=torch.ones(4, 3))

    op = op_named(recorded(tmp_path, program), "linear")

    assert op.arguments == {}
    assert [value.name for value in op.operands] == ["input", "weight"]
