"""A function that gradviz calls: where it is defined, and how an argument asks for a gradient."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules.offered_code import floating, requiring
from gradviz.trace import model
from gradviz.trace.packing import OP_FACTORY, OP_LEAVES_GRAPH, OP_NO_GRAD, VALUE_LEAF
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


@pytest.mark.parametrize(
    ("given", "floats"),
    [
        ("torch.ones(3, dtype=torch.long)", "torch.ones(3, requires_grad=True)"),
        ("torch.tensor([1, 2])", "torch.tensor([1, 2], dtype=torch.float32, requires_grad=True)"),
        ("torch.arange(3)", "torch.arange(3, dtype=torch.float32, requires_grad=True)"),
        ("labels", "labels.float().requires_grad_()"),
        ("torch.randint(0, 3, (2,))", "torch.randint(0, 3, (2,)).float().requires_grad_()"),
    ],
)
def test_an_expression_for_floating_point_numbers(given: str, floats: str) -> None:
    assert floating(given) == floats


class Called:
    """`gradviz check script.py::f --arg x=...`, whose result hangs on no graph."""

    def __init__(self, body: str, given: str = "torch.ones(3, requires_grad=True)") -> None:
        rows = "".join(f"    {row}\n" for row in body.splitlines())
        self.trace = FakeTrace(f"def f(x):\n{rows}", function="f", arguments=(("x", given),))
        self.x = self.trace.tensor((3,), grad="requires_grad" in given, flags=VALUE_LEAF)
        self.trace.leaf(self.x, "x", in_graph=False, requires_grad="requires_grad" in given)

    def told(self, kind: str, *results: model.Value, returned: str = "Tensor") -> tuple[Finding, ...]:
        detail = {
            "returned": returned,
            "results": [each.number for each in results],
            "arguments": [["x", kind, self.x.number if kind != "number" else -1]],
        }
        self.trace.noted.append(model.Note("offered-without-graph", "", (), detail))
        return diagnose(self.trace)


def detached(kind: str) -> tuple[Finding, ...]:
    asks = ", requires_grad=True" if kind == "asks" else ""
    called = Called("y = x.detach()\nreturn y.sum()", f"torch.ones(3{asks})")
    y, total = called.trace.tensor((3,)), called.trace.tensor(())
    called.trace.op("detach", "x.detach()", (called.x,), y, flags=OP_LEAVES_GRAPH if asks else 0)
    called.trace.op("sum", "y.sum()", (y,), total)
    return called.told(kind, total)


def test_a_function_that_cuts_its_own_graph_is_told_where_it_does() -> None:
    (found,) = detached("asks")

    assert (found.rule, found.severity, found.line, found.op) == ("detached", "error", 2, "detach")
    assert (found.symptom_line, found.fix) == (3, "y = x")
    assert found.message.startswith("f() hangs on no graph")


def test_where_its_argument_does_not_ask_either_both_are_told() -> None:
    findings = detached("could")

    assert [(each.severity, each.line) for each in findings] == [("warning", 1), ("warning", 2)]
    assert findings[0].fix == "x = torch.ones(3, requires_grad=True)"


@pytest.mark.parametrize(
    ("body", "name", "call", "fix"),
    [
        ("return x.sum().item()", "item", "x.sum().item()", "return x.sum()"),
        ("y = float(x.sum())\nreturn y / 2", "__float__", "float(x.sum())", "y = x.sum()"),
    ],
)
def test_a_number_that_a_function_returns_left_torch(body: str, name: str, call: str, fix: str) -> None:
    called = Called(body)
    total = called.trace.tensor((), grad=True)
    called.trace.op("sum", "x.sum()", (called.x,), total)
    called.trace.op(name, call, (total,), (), flags=OP_LEAVES_GRAPH)

    (found,) = called.told("asks", returned="float")

    assert (found.rule, found.severity, found.line, found.fix) == ("detached", "error", 2, fix)


def test_a_number_that_is_only_printed_is_no_reason() -> None:
    called = Called("print(x.sum().item())\nreturn 3.0")
    total = called.trace.tensor((), grad=True)
    called.trace.op("sum", "x.sum()", (called.x,), total)
    called.trace.op("item", "x.sum().item()", (total,), (), flags=OP_LEAVES_GRAPH)

    assert called.told("asks", returned="float") == ()


def test_whole_numbers_are_told_apart_from_numbers_that_do_not_ask() -> None:
    called = Called("return x.float().sum()", "torch.ones(3, dtype=torch.long)")

    (found,) = called.told("whole", called.trace.tensor(()))

    assert (found.severity, found.line, found.fix) == ("warning", 1, "x = torch.ones(3, requires_grad=True)")


def test_a_result_that_was_made_of_something_else() -> None:
    called = Called("return torch.ones(2).sum()")
    made, total = called.trace.tensor((2,)), called.trace.tensor(())
    called.trace.op("ones", "torch.ones(2)", (), made, flags=OP_FACTORY)
    called.trace.op("sum", "torch.ones(2).sum()", (made,), total)

    (found,) = called.told("asks", total)

    assert (found.severity, found.line) == ("warning", 2)
    assert "not computed from x" in found.message


def test_a_forgotten_return() -> None:
    called = Called("loss = x.sum()")
    called.trace.op("sum", "x.sum()", (called.x,), called.trace.tensor((), grad=True))

    (found,) = called.told("asks", returned="NoneType")

    assert (found.severity, found.line, found.fix) == ("warning", 2, "return loss")


@pytest.mark.parametrize("kind", ["number", ""])
def test_settings_raise_no_alarm(kind: str) -> None:
    called = Called("return torch.randn(5) * x", "0.1")

    assert [each for each in called.told(kind, called.trace.tensor((5,))) if each.severity != "note"] == []


def test_gradients_that_are_off_in_a_function_without_arguments_are_a_note() -> None:
    called = Called("with torch.no_grad():\n    return w.sum()")
    w, total = called.trace.tensor((3,), grad=True), called.trace.tensor(())
    called.trace.op("sum", "w.sum()", (w,), total, flags=OP_NO_GRAD)

    (found,) = called.told("", total)

    assert (found.severity, found.line) == ("note", 2)


def test_a_function_that_ran_backward_itself_may_return_what_it_likes() -> None:
    called = Called("loss = x.sum()\nloss.backward()\nreturn loss.item()")
    total = called.trace.tensor((), grad=True)
    called.trace.op("sum", "x.sum()", (called.x,), total)
    called.trace.backward("loss.backward()", total)
    called.trace.op("item", "loss.item()", (total,), (), flags=OP_LEAVES_GRAPH)

    assert called.told("asks", returned="float") == ()


@pytest.mark.parametrize("detail", [{}, {"arguments": [["x"]], "results": []}, {"arguments": [], "results": 3}])
def test_a_note_that_is_none_of_the_recorders_is_passed_over(detail: dict[str, object]) -> None:
    trace = FakeTrace(TEXT)
    trace.noted.append(model.Note("offered-without-graph", "", (), detail))

    assert diagnose(trace) == ()
