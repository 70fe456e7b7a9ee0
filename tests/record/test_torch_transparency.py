"""Recording changes no bit of a gradient, draws no random number, and leaves no hook, patch or mode behind."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.record.recorded import recorded


def network() -> list[torch.Tensor]:
    net = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(2, 5, 16)).pow(2).mean().backward()
        optimizer.step()
    return [*net.parameters(), *(p.grad for p in net.parameters() if p.grad is not None)]


def recurrent() -> list[torch.Tensor]:
    net = nn.LSTM(4, 8, 2, batch_first=True)
    out, _ = net(torch.randn(3, 6, 4, requires_grad=True))
    out.sum().backward()
    return [p.grad for p in net.parameters() if p.grad is not None]


def convolutional() -> list[torch.Tensor]:
    net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Dropout(), nn.Flatten())
    x = torch.randn(2, 2, 8, 8, requires_grad=True)
    net(x).logsumexp(1).sum().backward()
    assert x.grad is not None
    return [x.grad, *(p.grad for p in net.parameters() if p.grad is not None)]


def triple(leaf: torch.Tensor) -> None:
    assert leaf.grad is not None
    leaf.grad.mul_(3)


def hooked() -> list[torch.Tensor]:
    x = torch.randn(5, requires_grad=True)
    h = x.exp()
    h.register_hook(lambda g: g.mul_(7))  # in place, as one should not
    h.retain_grad()
    x.register_post_accumulate_grad_hook(triple)
    (h * h.detach()).sum().backward()
    assert x.grad is not None and h.grad is not None
    return [x.grad, h.grad]


def quasi_newton() -> list[torch.Tensor]:
    x = torch.randn(4, requires_grad=True)
    optimizer = torch.optim.LBFGS([x])

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (x**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return [x]


def accumulated() -> list[torch.Tensor]:
    x = torch.randn(300, 300, requires_grad=True)
    for _ in range(3):
        ((x @ x).tanh() + x.t()).sum().backward()
    assert x.grad is not None
    return [x.grad]


PROGRAMS = [network, recurrent, convolutional, hooked, quasi_newton, accumulated]


def seeded(program: Callable[[], list[torch.Tensor]]) -> tuple[list[torch.Tensor], torch.Tensor]:
    torch.manual_seed(3)
    found = [each.detach().clone() for each in program()]
    return found, torch.get_rng_state()


@pytest.mark.parametrize("level", ["shapes", "summaries", "values"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_and_random_numbers_are_the_same(
    program: Callable[[], list[torch.Tensor]], level: str, tmp_path: Path
) -> None:
    bare, bare_state = seeded(program)
    found: list[tuple[list[torch.Tensor], torch.Tensor]] = []

    recorded(tmp_path, lambda: found.append(seeded(program)), level)

    ((with_recorder, state),) = found
    assert torch.equal(bare_state, state)
    assert len(bare) == len(with_recorder)
    for one, other in zip(bare, with_recorder):
        assert torch.equal(one, other) and one.stride() == other.stride()


def patched() -> tuple[Any, ...]:
    """What the recorder replaces."""
    autograd: Any = torch.autograd
    return (
        autograd._engine_run_backward,
        autograd.graph._engine_run_backward,
        autograd._make_grads,
        autograd._tensor_or_tensors_to_tuple,
        nn.Module.__call__,
        autograd.Function.__dict__["apply"],
        autograd.function.BackwardCFunction.__dict__["apply"],
        *(type(cls).__dict__.get("__call__") for cls in (autograd.Variable, nn.Parameter)),
        torch.compile,
        torch.utils.swap_tensors,
    )


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    before = patched()
    x = torch.ones(3, requires_grad=True)

    recorded(tmp_path, lambda: (x * 2).sum().backward())

    assert before == patched()
    assert torch._C._len_torch_function_stack() == 0


def test_the_mode_is_left_even_under_a_mode_of_the_scripts(tmp_path: Path) -> None:
    def program() -> None:
        torch.set_default_device("cpu")

    try:
        recorded(tmp_path, program)
        assert torch._C._len_torch_function_stack() == 1
    finally:
        torch.set_default_device(None)
    assert torch._C._len_torch_function_stack() == 0


def test_no_tensor_is_kept_alive(tmp_path: Path) -> None:
    references: list[weakref.ref[torch.Tensor]] = []
    alive: list[bool] = []

    def program() -> None:
        x = torch.ones(20000, requires_grad=True)
        h = x * 2
        references.append(weakref.ref(h))
        h.sum().backward()
        del h
        gc.collect()
        alive.append(references[0]() is not None)

    recorded(tmp_path, program)

    assert alive == [False]


def test_a_leafs_gradient_is_taken_over_not_copied(tmp_path: Path) -> None:
    """The engine gives a gradient to its leaf without copying only if nobody else holds it."""
    pointers: list[tuple[int, int]] = []

    class Told(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            answer = torch.full_like(grads[0], 2.0)
            pointers.append((answer.data_ptr(), 0))
            return answer

    def program() -> None:
        x = torch.ones(50, requires_grad=True)
        told: Any = Told.apply
        told(x).sum().backward()
        assert x.grad is not None
        pointers.append((x.grad.data_ptr(), 0))

    recorded(tmp_path, program)
    assert pointers[0] == pointers[1]


def test_tensors_can_be_swapped(tmp_path: Path) -> None:
    swapped: list[float] = []

    def program() -> None:
        a, b = torch.ones(2) * 3, torch.zeros(2) * 1
        torch.utils.swap_tensors(a, b)
        swapped.append(float(a[0]))

    recorded(tmp_path, program)
    assert swapped == [0.0]


def test_a_subclass_is_asked_nothing_by_the_recorder(tmp_path: Path) -> None:
    asked: list[str] = []

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            asked.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def program() -> None:
        x = torch.ones(3, requires_grad=True).as_subclass(Loud)
        (x * 2).sum().backward()

    program()
    bare, asked[:] = list(asked), []
    recorded(tmp_path, program)
    assert asked == bare


def test_a_dispatch_mode_of_the_scripts_sees_nothing_of_ours(tmp_path: Path) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[str] = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    def program() -> None:
        x = torch.ones(3, requires_grad=True)
        watching: Any = Watching
        with watching():
            (x * 2).exp().sum().backward()

    program()
    bare, seen[:] = list(seen), []
    recorded(tmp_path, program)
    assert seen == bare
