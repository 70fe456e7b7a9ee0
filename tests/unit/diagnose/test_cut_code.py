"""The lines without the cut: what is left has a graph."""

from __future__ import annotations

import pytest

from gradviz.diagnose.case import Case
from gradviz.diagnose.rules.cut_code import uncut
from tests.unit.diagnose.fake_trace import FakeTrace

HEAD = "import math\nimport numpy as np\nimport torch\n"


def lines(text: str, name: str, call: str) -> list[tuple[int, str]]:
    trace = FakeTrace(HEAD + text)
    op = trace.op(name, call, (trace.tensor((), grad=True),), ())
    return [(each.number - 3, each.text) for each in uncut(Case(trace), op)]


@pytest.mark.parametrize(
    ("line", "name", "call", "left"),
    [
        ("loss = torch.tensor(float(x.detach()))", "detach", "x.detach()", "loss = x"),
        ("loss = torch.tensor(x.item() * 2, requires_grad=True)", "item", "x.item()", "loss = x * 2"),
        ("loss = torch.tensor(x.item()).mean()", "item", "x.item()", "loss = x.mean()"),
        ("loss = torch.tensor((a + b).item()).abs()", "item", "(a + b).item()", "loss = (a + b).abs()"),
        ("loss = torch.tensor([a.item(), b]).sum()", "item", "a.item()", "loss = torch.stack([a, b]).sum()"),
        (
            "loss = torch.from_numpy(np.sin(x.detach().cpu().numpy()))",
            "detach",
            "x.detach()",
            "loss = torch.sin(x.cpu())",
        ),
        ("y = math.sqrt(x.item())", "item", "x.item()", "y = torch.sqrt(x)"),
        ("torch.tensor(x.item(), requires_grad=True).backward()", "item", "x.item()", "x.backward()"),
        ("loss = a + 10 * torch.tensor(x.item())", "item", "x.item()", "loss = a + 10 * x"),
        ("z = x.data + 1", "data", "x.data", "z = x + 1"),
        ("x = x.detach()", "detach", "x.detach()", ""),
    ],
)
def test_a_line_without_the_cut(line: str, name: str, call: str, left: str) -> None:
    assert lines(f"{line}\n", name, call) == [(1, left)]


def test_another_cut_of_the_same_statement_goes_with_it() -> None:
    trace = FakeTrace("new = w.data - rate.data * g\n")
    op = trace.op("data", "w.data", (trace.tensor((3,), grad=True),), trace.tensor((3,)))
    trace.op("data", "rate.data", (trace.tensor((), grad=True),), trace.tensor(()))

    assert [each.text for each in uncut(Case(trace), op)] == ["new = w - rate * g"]


def test_lines_further_on_that_would_copy_it_again() -> None:
    text = "v = float(x.detach())\nprint(v)\nw = math.exp(v)\nloss = torch.tensor(w, requires_grad=True)\n"

    assert lines(text, "detach", "x.detach()") == [(1, "v = x"), (3, "w = torch.exp(v)"), (4, "loss = w")]


def test_a_round_trip_through_numpy() -> None:
    text = "a = x.detach().numpy()\nb = torch.from_numpy(np.clip(a, -1, 1))\nloss = b.sum()\n"

    assert lines(text, "detach", "x.detach()") == [(1, "a = x"), (2, "b = torch.clip(a, -1, 1)")]


@pytest.mark.parametrize(
    "text",
    [
        "y = scipy_like(\n    x.item())\n",  # over several lines
        "y = np.histogram(x.item())\n",  # torch has none of that name
        "print(f'{x.item()}')\n",
    ],
)
def test_what_cannot_be_told_is_left_to_words(text: str) -> None:
    assert lines(text, "item", "x.item()") == []
