"""The lines without the cut: what is left has a graph."""

from __future__ import annotations

import pytest

from gradviz.diagnose.case import Case
from gradviz.diagnose.rules.cut_code import uncut
from gradviz.trace.packing import VALUE_LIST_ITEM
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
        ("h = np.maximum(x.detach().numpy(), 0)", "detach", "x.detach()", "h = torch.relu(x)"),
        ("h = np.maximum(0.1, x.detach().numpy())", "detach", "x.detach()", "h = x.clamp(min=0.1)"),
        ("h = np.minimum(x.detach().numpy() + 1, -1)", "detach", "x.detach()", "h = (x + 1).clamp(max=-1)"),
        ("h = np.maximum(x.item(), low)", "item", "x.item()", "h = torch.maximum(x, torch.as_tensor(low))"),
        ("h = np.clip(x.detach().numpy(), 0, None)", "detach", "x.detach()", "h = torch.clip(x, 0, None)"),
        (
            "h = np.clip(x.item(), 0, top)",
            "item",
            "x.item()",
            "h = torch.clip(x, torch.as_tensor(0), torch.as_tensor(top))",
        ),
        ("h = np.where(mask, x.item(), 0)", "item", "x.item()", "h = torch.where(torch.as_tensor(mask), x, 0)"),
        ("h = np.power(2, x.item())", "item", "x.item()", "h = torch.pow(2, x)"),
        ("h = np.dot(w, x.numpy())", "numpy", "x.numpy()", "h = torch.matmul(torch.as_tensor(w, dtype=x.dtype), x)"),
        ("h = np.sum(x.numpy(), axis=1)", "numpy", "x.numpy()", "h = torch.sum(x, dim=1)"),
        ("h = np.linalg.norm(x.numpy())", "numpy", "x.numpy()", "h = torch.linalg.norm(x)"),
        ("h = x.numpy() * np.ones(3)", "numpy", "x.numpy()", "h = x * torch.as_tensor(np.ones(3))"),
        ("h = np.ones(3) * x.numpy()", "numpy", "x.numpy()", "h = torch.as_tensor(np.ones(3)) * x"),
        ("h = x.item() * math.pi", "item", "x.item()", "h = x * math.pi"),
    ],
)
def test_a_line_without_the_cut(line: str, name: str, call: str, left: str) -> None:
    assert lines(f"{line}\n", name, call) == [(1, left)]


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("total = torch.tensor(losses, requires_grad=True).sum()", "total = torch.stack(losses).sum()"),
        ("total = torch.as_tensor(losses).mean()", "total = torch.stack(losses).mean()"),
        ("total = torch.FloatTensor(self.losses).mean()", "total = torch.stack(self.losses).mean()"),
    ],
)
def test_a_list_of_tensors_is_stacked(line: str, left: str) -> None:
    copy = line.partition(" = ")[2].rpartition(".")[0]
    trace = FakeTrace(line + "\n")
    given = [trace.tensor((), grad=True, flags=VALUE_LIST_ITEM) for _ in range(3)]
    op = trace.op(copy.partition("(")[0].partition(".")[2], copy, given, trace.tensor((3,)))

    assert [each.text for each in uncut(Case(trace), op)] == [left]


@pytest.mark.parametrize("shape", [(2, 2), (5,)])  # lists in a list; numbers between the tensors
def test_what_is_no_plain_list_of_tensors_is_not_stacked(shape: tuple[int, ...]) -> None:
    trace = FakeTrace("total = torch.tensor(losses).sum()\n")
    given = [trace.tensor((), grad=True, flags=VALUE_LIST_ITEM) for _ in range(4)]
    op = trace.op("tensor", "torch.tensor(losses)", given, trace.tensor(shape))

    assert uncut(Case(trace), op) == []


def test_numbers_gathered_in_a_list_are_stacked() -> None:
    text = "losses = []\nfor x in xs:\n    losses.append(f(x).item())\ntotal = torch.tensor(losses).sum()\n"

    assert lines(text, "item", "f(x).item()") == [(3, "losses.append(f(x))"), (4, "total = torch.stack(losses).sum()")]


def test_a_function_imported_by_its_name_is_one_of_numpy_too() -> None:
    assert lines("from numpy import maximum\nh = maximum(x.item(), 1)\n", "item", "x.item()") == [
        (2, "h = x.clamp(min=1)")
    ]


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
        "y = np.linalg.lstsq(x.item(), b)\n",
        "y = np.maximum(x.item(), 0, out=z)\n",
        "y = np.maximum(*pair(x.item()))\n",
        "y = x.item().astype(np.float32)\n",
    ],
)
def test_what_cannot_be_told_is_left_to_words(text: str) -> None:
    assert lines(text, "item", "x.item()") == []
