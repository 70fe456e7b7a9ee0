"""Loops: equal passes are counted, the newest stay at hand, a fault in a late one is found with node and line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from gradviz.record import passstore
from gradviz.trace.reader import Trace
from tests.record.recorded import nodes_of, recorded


def train(steps: int, fault_at: int = -1) -> Any:
    def program() -> None:
        weight = nn.Parameter(torch.ones(3))
        for step in range(steps):
            x = torch.zeros(3) if step == fault_at else torch.ones(3)
            ((weight * x).sqrt().sum() * 0.5).backward()

    return program


def test_equal_passes_are_stored_once_with_the_two_newest(tmp_path: Path) -> None:
    passes = recorded(tmp_path, train(50)).passes()

    assert [record.id for record in passes] == [0, 48, 49]
    assert [record.repeats for record in passes] == [48, 1, 1]
    assert len({record.structure for record in passes}) == 1


def test_the_file_does_not_grow_with_equal_passes(tmp_path: Path) -> None:
    sizes = []
    for steps in (10, 400):
        trace = recorded(tmp_path, train(steps))
        trace.close()
        sizes.append((tmp_path / "run.gradviz").stat().st_size)
    assert sizes[1] <= sizes[0] * 1.1


def test_a_gradient_that_is_not_finite_in_a_late_pass_is_found(tmp_path: Path) -> None:
    trace = recorded(tmp_path, train(120, fault_at=77))

    passes = {record.id: record for record in trace.passes()}
    assert {0, 75, 76, 77, 118, 119} == set(passes)
    steps = [trace.step(77, number) for number in range(passes[77].steps)]
    bad = next(step for step in steps if step.received[0].stats.infs)
    assert trace.node(77, bad.node).name == "MulBackward0"
    op = trace.op(trace.node(77, bad.node).op)
    assert op is not None and op.stack[0].function.endswith("program")


def test_an_error_in_a_late_pass_is_found(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        for step in range(60):
            h = (x * 2).exp()
            if step == 50:
                h.add_(1)
            h.sum().backward()

    trace = recorded(tmp_path, program)

    record = trace.passes()[-1]
    assert (record.id, record.outcome) == (50, "raised") and record.failed_node is not None
    assert trace.node(50, record.failed_node).name == "ExpBackward0"
    assert [op.name for op in trace.ops() if op.operands and op.operands[0].version >= 0][-2:] == ["add_", "sum"]


def test_passes_of_different_lines_are_different(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        for _ in range(5):
            (x * 2).sum().backward()
            (x * 2).sum().backward()

    assert [record.repeats for record in recorded(tmp_path, program).passes()] == [4, 4, 1, 1]


def test_a_run_that_diverged_does_not_fill_the_disk(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.zeros(3, requires_grad=True)
        for _ in range(40):
            x.sqrt().sum().backward()

    assert len(recorded(tmp_path, program).passes()) <= 8


@pytest.mark.parametrize(("wanted", "stored"), [("all", [0, 8, 9]), ("first", [0]), ("last", [9]), ("3,5", [3, 5])])
def test_only_the_passes_that_were_asked_for_are_stored(wanted: str, stored: list[int], tmp_path: Path) -> None:
    trace = recorded(tmp_path, train(10), passes=wanted)

    assert [record.id for record in trace.passes()] == stored
    for record in trace.passes():
        assert len(nodes_of(trace, record)) == record.nodes and trace.step(record.id, record.steps - 1)


def test_calls_without_a_backward_pass_are_kept_within_bounds(tmp_path: Path) -> None:
    def program() -> None:
        x = torch.ones(1)
        for _ in range(2000):
            torch.neg(x)

    assert len(recorded(tmp_path, program).ops()) == 2001


def checkpointed(steps: int, reentrant: bool) -> None:
    """Layers that are run again within the backward pass."""
    layers = nn.ModuleList(nn.Sequential(nn.Linear(4, 4), nn.SiLU()) for _ in range(2))
    for _ in range(steps):
        h = torch.randn(3, 4, requires_grad=True)
        for layer in layers:
            h = h + checkpoint(layer, h, use_reentrant=reentrant)
        h.sum().backward()


def nested_and_failing(steps: int) -> None:
    """A backward that swallows an error and runs a pass of another structure, inside passes that are alike."""

    class Inner(torch.autograd.Function):
        length = 1

        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            with torch.enable_grad():
                y = torch.randn(3, requires_grad=True)
                with contextlib.suppress(RuntimeError):
                    y @ torch.randn(4)
                for _ in range(Inner.length):
                    y = y * 2
                y.sum().backward()
            return g * 2

    w = torch.randn(3, requires_grad=True)
    for step in range(steps):
        Inner.length = 1 + step % 3
        apply: Any = Inner.apply
        apply(w * 3).sum().backward()


def alike(steps: int) -> None:
    w = torch.randn(3, requires_grad=True)
    for _ in range(steps):
        (w * 2).sum().backward()


@pytest.mark.parametrize(
    ("program", "passes"),
    [
        (lambda: checkpointed(4, False), "all"),
        (lambda: checkpointed(4, True), "all"),
        (lambda: checkpointed(4, True), "0,2"),
        (lambda: nested_and_failing(6), "all"),
        (lambda: alike(8), "0,5"),
    ],
)
def test_ops_rise_in_the_file_whichever_passes_wait(program: Callable[[], None], passes: str, tmp_path: Path) -> None:
    trace = recorded(tmp_path, program, passes=passes)

    numbers = [op.number for op in trace.ops()]
    assert numbers == sorted(set(numbers))
    for record in trace.passes():
        for node in nodes_of(trace, record):
            assert node.leaf >= 0 or trace.op(node.op) is not None, node


def test_a_forward_that_checkpoint_repeats_leaves_no_broken_graphs(tmp_path: Path) -> None:
    trace = recorded(tmp_path, lambda: checkpointed(4, False))

    assert {record.outcome for record in trace.passes()} == {"completed"}


def test_equal_passes_are_counted_in_the_file_while_they_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # GIVEN a recorder that has no patience (what it has is half a second)
    monkeypatch.setattr(passstore, "COUNT_SECONDS", 0.0)
    told: list[int] = []

    def program() -> None:
        for _ in range(4):
            train(10)()
            with Trace(tmp_path / "run.gradviz") as growing:
                told.append(growing.passes()[0].repeats)

    # WHEN
    trace = recorded(tmp_path, program)
    # THEN: all but the two that wait
    assert told == [8, 18, 28, 38]
    assert [each.repeats for each in trace.passes()] == [38, 1, 1]
