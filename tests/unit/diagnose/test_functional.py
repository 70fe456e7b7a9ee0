"""torch.nn.functional's calls speak of the script's own tensors, not of layers."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.trace import model
from gradviz.trace.packing import OP_RAISED
from tests.unit.diagnose.fake_trace import FakeTrace, Shape, spec

HEAD = "import torch\nimport torch.nn.functional as F\n"


def refused(text: str, call: str, name: str, operands: dict[str, Shape], message: str, **arguments: object) -> Finding:
    trace = FakeTrace(HEAD + text)
    values = [
        model.Value(number, spec(shape), 0, 0, parameter) for number, (parameter, shape) in enumerate(operands.items())
    ]
    op = trace.op(name, call, values, (), flags=OP_RAISED, **arguments)
    trace.error("RuntimeError", message, call, op=op.number)
    (found,) = diagnose(trace)
    assert "nn.Linear" not in found.fix
    return found


PRODUCT = "mat1 and mat2 shapes cannot be multiplied"


@pytest.mark.parametrize(
    ("made", "weight", "fix"),
    [
        ("", (4, 3), "F.linear(x, w.t())"),
        ("w = torch.randn(5, 3, requires_grad=True)\n", (5, 3), "w = torch.randn(5, 4, requires_grad=True)"),
        ("w = torch.nn.Parameter(torch.zeros(5, 3))\n", (5, 3), "w = torch.nn.Parameter(torch.zeros(5, 4))"),
        ("w = load()\n", (5, 3), "Make w in the shape [5, 4]."),
    ],
)
def test_linear_with_another_number_of_features(made: str, weight: Shape, fix: str) -> None:
    operands: dict[str, Shape] = {"input": (8, 4), "weight": weight}

    found = refused(f"{made}y = F.linear(x, w)\n", "F.linear(x, w)", "linear", operands, PRODUCT)

    assert (found.rule, found.fix) == ("forward-shape-error", fix)
    assert found.message.startswith("F.linear was given x [8, 4] and w")
    assert (found.expected_shape, found.received_shape) == ((8, weight[-1]), (8, 4))


def test_statistics_that_stand_on_one_line_are_mended_together() -> None:
    text = "m, v = torch.zeros(5), torch.ones(5)\ny = F.batch_norm(x, m, v)\n"
    operands: dict[str, Shape] = {"input": (8, 4), "running_mean": (5,), "running_var": (5,)}

    found = refused(
        text, "F.batch_norm(x, m, v)", "batch_norm", operands, "running_mean should contain 4 elements not 5"
    )

    assert found.fix == "m, v = torch.zeros(4), torch.ones(4)"
    assert "running_mean" in found.message


@pytest.mark.parametrize(
    ("call", "name", "operands", "arguments", "fix"),
    [
        ("F.layer_norm(x, (5,))", "layer_norm", {"input": (2, 4)}, {"normalized_shape": [5]},
         "F.layer_norm(x, x.shape[-1:])"),
        ("F.group_norm(x, 4)", "group_norm", {"input": (2, 10)}, {"num_groups": 4}, "F.group_norm(x, 2)"),
        ("F.conv2d(x, k)", "conv2d", {"input": (2, 8, 8, 3), "weight": (4, 3, 3, 3)}, {},
         "F.conv2d(x.permute(0, 3, 1, 2), k)"),
        ("F.conv2d(x, k)", "conv2d", {"input": (2, 3, 8, 8), "weight": (3, 3, 3)}, {}, "F.conv2d(x, k.unsqueeze(0))"),
        ("F.conv2d(x, k, groups=3)", "conv2d", {"input": (2, 6, 8, 8), "weight": (6, 6, 3, 3)}, {"groups": 3},
         "Make k in the shape [6, 2, 3, 3]."),
        ("F.linear(x, w, b)", "linear", {"input": (8, 4), "weight": (5, 4), "bias": (4,)}, {},
         "Make b in the shape [5]."),
    ],
)  # fmt: skip
def test_what_to_write(
    call: str, name: str, operands: dict[str, Shape], arguments: dict[str, object], fix: str
) -> None:
    found = refused(f"y = {call}\n", call, name, operands, "shapes of the sizes don't match", **arguments)

    assert (found.rule, found.fix) == ("forward-shape-error", fix)


def test_the_table_where_the_indices_are_due() -> None:
    trace = FakeTrace(HEAD + "y = F.embedding(table, idx)\n")
    values = (trace.tensor((10, 4), name="input"), trace.tensor((2,), dtype="int64", name="weight"))
    op = trace.op("embedding", "F.embedding(table, idx)", values, (), flags=OP_RAISED)
    trace.error("RuntimeError", "'weight' must be 2-D", "F.embedding(table, idx)", op=op.number)

    (found,) = diagnose(trace)

    assert (found.rule, found.fix) == ("dtype-mismatch", "F.embedding(idx, table)")


def test_an_index_beyond_the_table() -> None:
    trace = FakeTrace(HEAD + "y = F.embedding(idx, table)\n")
    values = (trace.tensor((2,), dtype="int64", name="input"), trace.tensor((10, 4), name="weight"))
    op = trace.op("embedding", "F.embedding(idx, table)", values, (), flags=OP_RAISED)
    trace.error("IndexError", "index out of range in self", "F.embedding(idx, table)", op=op.number)

    (found,) = diagnose(trace)

    assert (found.rule, found.fix) == (
        "index-out-of-range", "Make table with int(idx.max()) + 1 rows, or correct the index.",
    )  # fmt: skip
