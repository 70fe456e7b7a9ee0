"""A function that gradviz calls: where it is defined, and how an argument asks for a gradient."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.rules.offered import requiring
from gradviz.trace import model
from tests.unit.diagnose.fake_trace import FakeTrace

TEXT = """\
import torch
def loss(x): ...
if torch:
    def loss(x, y): ...
class Model:
    @staticmethod
    def loss(x): ...
"""


@pytest.mark.parametrize(
    ("given", "asking"),
    [
        ("torch.ones(3)", "torch.ones(3, requires_grad=True)"),
        ("torch.randn(2, 3, dtype=torch.float64)", "torch.randn(2, 3, dtype=torch.float64, requires_grad=True)"),
        ("torch.ones(3, requires_grad=False)", "torch.ones(3, requires_grad=False).requires_grad_()"),
        ("data", "data.requires_grad_()"),
        ("a + b", "(a + b).requires_grad_()"),
    ],
)
def test_an_expression_that_asks_for_a_gradient(given: str, asking: str) -> None:
    assert requiring(given) == asking


@pytest.mark.parametrize(("function", "line"), [("loss", 4), ("Model.loss", 7), ("gone", 1)])
def test_arguments_without_a_gradient_are_told_at_the_function(function: str, line: int) -> None:
    trace = FakeTrace(TEXT, function=function, arguments=(("n", "3"), ("x", "torch.ones(3)")))
    trace.noted.append(model.Note("nothing-required", "", (), {"arguments": ["x"]}))

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line) == ("detached", "warning", line)
    assert found.fix == "x = torch.ones(3, requires_grad=True)"


@pytest.mark.parametrize("detail", [{}, {"arguments": "x"}, {"arguments": []}])
def test_a_note_that_tells_nothing_is_passed_over(detail: dict[str, object]) -> None:
    trace = FakeTrace(TEXT)
    trace.noted.append(model.Note("nothing-required", "", (), detail))

    assert diagnose(trace) == ()
