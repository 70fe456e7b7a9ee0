"""`gradviz check script.py::function`: where the function leaves nothing to differentiate, the report says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.trace.reader import Trace
from tests.gradviz_command import LOUD, run_gradviz

SCRIPT = """\
import torch

net = torch.nn.Linear(3, 1)


def item(x):
    return x.pow(2).sum().item()


def detached(x):
    y = x.detach()
    return y.sum()


def whole(n):
    return n.float().sum()


def forgotten(x):
    loss = x.sum()


def trains(x):
    loss = net(x).pow(2).mean()
    loss.backward()
    return loss.item()


def prediction(x):
    y = net(x).tanh()
    (y**2).sum().backward()
    return y


def with_its_gradient(x):
    h = (x * x).exp()
    return h, torch.autograd.grad(h.sum(), x)[0]


def summed():
    total = 0.0
    for _ in range(3):
        loss = net(torch.ones(2, 3)).pow(2).sum()
        loss.backward()
        total = total + loss
    return total


def trained():
    w = torch.zeros(3, requires_grad=True)
    (w - 1).pow(2).sum().backward()
    return w


def parameters():
    return list(net.parameters())


def penalty(x):
    (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return (slope.norm() - 1) ** 2


def through(x):
    return (x + (x.round() - x).detach()).sum()
"""
ASKS = "torch.ones(3, requires_grad=True)"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "functions.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("function", "argument", "line", "fix"),
    [
        ("item", f"x={ASKS}", 7, "return x.pow(2).sum()"),
        ("detached", f"x={ASKS}", 11, "y = x"),
        ("whole", "n=torch.ones(3, dtype=torch.long)", 15, "n = torch.ones(3, requires_grad=True)"),
        ("forgotten", f"x={ASKS}", 20, "return loss"),
    ],
)
def test_the_reason_is_told_at_its_line(script: Path, function: str, argument: str, line: int, fix: str) -> None:
    done = run_gradviz("check", f"{script}::{function}", "--json", "--arg", argument, cwd=script.parent)

    (found,) = done.findings
    assert (done.exit_code, found["rule"], found["line"], found["fix"]) == (1, "detached", line, fix)


@pytest.mark.parametrize(("function", "argument"), [("trains", "x=torch.ones(2, 3)"), ("through", f"x={ASKS}")])
def test_functions_with_a_gradient_stay_quiet(script: Path, function: str, argument: str) -> None:
    done = run_gradviz("check", f"{script}::{function}", "--json", "--arg", argument, cwd=script.parent)

    assert (done.exit_code, [f for f in done.findings if f["severity"] in LOUD]) == (0, [])


@pytest.mark.parametrize(
    ("function", "argument", "phases"),
    [
        ("prediction", "x=torch.ones(2, 3)", ["run"]),
        ("with_its_gradient", f"x={ASKS}", ["run"]),
        ("summed", "", ["run"] * 3),
        ("trained", "", ["run"]),
        ("parameters", "", []),
        ("penalty", f"x={ASKS}", ["run", "offered"]),
    ],
)
def test_backward_is_not_offered_after_the_functions_own_or_from_a_leaf(
    script: Path, function: str, argument: str, phases: list[str]
) -> None:
    words = ["--arg", argument] if argument else []

    done = run_gradviz("record", f"{script}::{function}", *words, "-o", "run.gradviz", cwd=script.parent)

    assert done.exit_code == 0, done.stderr
    with Trace(script.parent / "run.gradviz") as trace:
        assert [(each.phase, each.outcome) for each in trace.passes()] == [(phase, "completed") for phase in phases]
