"""Forward calls that refuse what they are given, and scripts that get to no gradient."""

from __future__ import annotations

from typing import Any

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules.forward_kind import forward_rule
from gradviz.trace import model
from gradviz.trace.packing import OP_IN_PLACE, OP_RAISED, VALUE_LEAF, VALUE_PARAMETER
from tests.unit.diagnose.fake_trace import FakeTrace, Shape


def failed(
    text: str, name: str, part: str, shapes: list[Shape], message: str, kind: str = "RuntimeError", **arguments: Any
) -> Finding:
    trace = FakeTrace(text)
    operands = [trace.tensor(shape, grad=True) for shape in shapes]
    op = trace.op(name, part, operands, flags=OP_RAISED, **arguments)
    trace.error(kind, message, part, op=op.number)
    (found,) = diagnose(trace)
    return found


@pytest.mark.parametrize(
    ("text", "name", "shapes", "message", "arguments", "expected", "received", "fix"),
    [
        ("q @ k", "matmul", [(4, 6), (5, 6)], "mat1 and mat2 shapes", {}, (6, 6), (5, 6), "q @ k.t()"),
        ("f.view(2, 256)", "view", [(2, 4, 6, 6)], "shape '[2, 256]' is invalid for input of size 288",
         {"shape": [2, 256]}, (2, 256), (2, 4, 6, 6), "f.flatten(1)"),
        ("f.reshape(7)", "reshape", [(3,)], "shape '[7]' is invalid for input of size 3", {"shape": [7]}, (7,), (3,),
         "f.reshape(-1)"),
        ("f.reshape(3, 7)", "reshape", [(2, 6)], "shape '[3, 7]' is invalid for input of size 12", {"shape": [3, 7]},
         (3, 7), (2, 6), "f.reshape(3, -1)"),
        ("torch.cat((a, b), dim=1)", "cat", [(1, 4, 11, 10), (1, 4, 10, 10)], "Sizes of tensors must match", {"dim": 1},
         (1, 4, 11, 10), (1, 4, 10, 10), None),
        ("c.expand(5, 2)", "expand", [(3,)], "The expanded size (2) must match", {"sizes": [5, 2]}, (2,), (3,), None),
        ("a * b", "mul", [(2, 4), (2, 7)], "The size of tensor a (4) must match", {}, (2, 4), (2, 7), None),
        ("conv(x)", "conv2d", [(2, 9, 9, 3), (4, 3, 3, 3)], "Given groups=1, weight", {}, (2, 3, 9, 9), (2, 9, 9, 3),
         "x.permute(0, 3, 1, 2)"),
        ("F.bce(p, y)", "binary_cross_entropy_with_logits", [(8, 1), (8,)], "Target size (torch.Size([8])) must be the"
         " same as input size (torch.Size([8, 1]))", {}, (8,), (8, 1), "p.squeeze(1)"),
        ("F.bce(p, y)", "binary_cross_entropy_with_logits", [(8,), (8, 1)], "Target size (torch.Size([8, 1])) must be"
         " the same as input size (torch.Size([8]))", {}, (8, 1), (8,), "y.squeeze(1)"),
        ("F.ce(p, y)", "cross_entropy", [(4, 3), (4, 1)], "0D or 1D target tensor expected, multi-target not supported",
         {}, (4,), (4, 1), "y.squeeze(1)"),
        ("fc(h)", "linear", [(2, 80), (3, 320)], "mat1 and mat2 shapes", {}, (2, 320), (2, 80), "nn.Linear(80, 3)"),
    ],
)  # fmt: skip
def test_a_refused_shape_says_what_was_expected(
    text: str, name: str, shapes: list[Shape], message: str, arguments: dict[str, Any],
    expected: Shape, received: Shape, fix: str | None,
) -> None:  # fmt: skip
    found = failed(text + "\n", name, text, shapes, message, **arguments)

    assert (found.rule, found.severity, found.op) == ("forward-shape-error", "error", name)
    assert (found.expected_shape, found.received_shape) == (expected, received)
    assert len(found.operands) == len(shapes)
    if fix is not None:
        assert found.fix == fix


def test_a_batch_that_grew_is_blamed_where_it_did() -> None:
    trace = FakeTrace("j = torch.cat(parts, 0)\nloss = F.cross_entropy(j, label)\n")
    parts = [trace.tensor((10, 3), grad=True) for _ in range(3)]
    joined, label = trace.tensor((30, 3), grad=True), trace.tensor((10,))
    trace.op("cat", "torch.cat(parts, 0)", parts, joined)
    op = trace.op("cross_entropy", "F.cross_entropy(j, label)", (joined, label), flags=OP_RAISED)
    trace.error(
        "ValueError",
        "Expected input batch_size (30) to match target batch_size (10).",
        "F.cross_entropy(j, label)",
        op=op.number,
    )

    (found,) = diagnose(trace)

    assert (found.rule, found.line, found.op) == ("forward-shape-error", 1, "cat")
    assert (found.expected_shape, found.received_shape) == ((10, 3), (30, 3))
    assert found.fix == "torch.cat(parts, dim=1)"


@pytest.mark.parametrize(
    ("message", "kind", "rule"),
    [
        ("mat1 and mat2 must have the same dtype, but got Double and Float", "RuntimeError", "dtype-mismatch"),
        ("expected scalar type Long but found Float", "RuntimeError", "dtype-mismatch"),
        ("index out of range in self", "IndexError", "index-out-of-range"),
        ("Target 7 is out of bounds.", "IndexError", "index-out-of-range"),
        ("too many indices for tensor of dimension 2", "IndexError", "forward-shape-error"),
        ("Dimension out of range (expected to be in range of [-1, 0], but got 1)", "IndexError", "forward-shape-error"),
        (
            "DefaultCPUAllocator: can't allocate memory: you tried to allocate 400 bytes",
            "RuntimeError",
            "out-of-memory",
        ),
        ("running_mean should contain 4 elements not 5", "RuntimeError", "forward-shape-error"),
        (
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "RuntimeError",
            "inplace-on-leaf",
        ),
        ("Output 0 of UnbindBackward0 is a view and is being modified inplace.", "RuntimeError", "inplace-on-view"),
        ("Can't call numpy() on Tensor that requires grad.", "RuntimeError", "detached"),
        ("something of my own went wrong", "RuntimeError", "uncaught-exception"),
        ("Detected NaN\n  shape: (3,)\n [Op:CheckNumericsV2] name: ", "InvalidArgumentError", "uncaught-exception"),
        ("invalid literal for int()", "ValueError", "uncaught-exception"),
        ("'list' object has no attribute 'shape'", "AttributeError", "uncaught-exception"),
    ],
)
def test_errors_are_told_apart(message: str, kind: str, rule: str) -> None:
    trace = FakeTrace("x\n")
    error = trace.error(kind, message, "x")

    assert forward_rule(None, error) == rule


def test_structure_goes_before_words() -> None:
    trace = FakeTrace("w.add_(1)\n")
    w = trace.tensor((3,), grad=True, flags=VALUE_LEAF)
    op = trace.op("add_", "w.add_(1)", (w,), flags=OP_RAISED | OP_IN_PLACE)
    error = trace.error(
        "RuntimeError",
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "w.add_(1)",
        op=op.number,
    )

    (found,) = diagnose(trace)

    assert forward_rule(op, error) == "inplace-on-leaf"
    assert found.fix == "with torch.no_grad(): w.add_(1)"


def test_the_data_are_blamed_for_a_dtype_not_the_layer() -> None:
    trace = FakeTrace("x = torch.from_numpy(t)\nnet(x)\n")
    x, w = trace.tensor((6, 3), dtype="float64"), trace.tensor((1, 3), grad=True, flags=VALUE_PARAMETER)
    op = trace.op("linear", "net(x)", (x, w), flags=OP_RAISED)
    trace.error(
        "RuntimeError", "mat1 and mat2 must have the same dtype, but got Double and Float", "net(x)", op=op.number
    )

    (found,) = diagnose(trace)

    assert (found.rule, found.line, found.fix) == ("dtype-mismatch", 1, "x = x.float()")
    assert (found.expected_shape, found.received_shape) == ("float32", "float64")


def started(kind: str, message: str, text: str, part: str, **fields: Any) -> Finding:
    trace = FakeTrace(text, status="raised", exit_code=1)
    trace.error(kind, message, part, "start", **fields)
    (found,) = diagnose(trace)
    return found


def test_a_syntax_error_is_told_at_its_line() -> None:
    detail = {"line": 2, "column": 8, "end_column": 9, "text": "loss = ((x"}

    found = started(
        "SyntaxError",
        "'(' was never closed",
        "x = 1\nloss = ((x\n",
        "",
        detail=detail,
        raised_file="/home/me/script.py",
    )

    assert (found.rule, found.line, found.column) == ("syntax-error", 2, 7)
    assert "was never closed" in found.message


def test_a_missing_module_names_the_interpreter_and_the_package() -> None:
    found = started(
        "ModuleNotFoundError", "No module named 'cv2'", "import cv2\n", "import cv2", detail={"name": "cv2"}
    )

    assert (found.rule, found.line) == ("missing-import", 1)
    assert found.fix == "/usr/bin/python3 -m pip install opencv-python"


def test_a_relative_import_wants_a_package() -> None:
    found = started(
        "ImportError", "attempted relative import with no known parent package", "from . import a\n", "from . import a"
    )

    assert found.rule == "relative-import"


def test_a_question_without_an_answer() -> None:
    text = 'rate = float(input("rate: "))\n'

    found = started("EOFError", "EOF when reading a line", text, 'input("rate: ")')

    assert (found.rule, found.line) == ("needs-input", 1)
    assert '"rate: "' in found.message


def test_arguments_that_argparse_missed() -> None:
    trace = FakeTrace("p = ArgumentParser()\na = p.parse_args()\n", status="exited", exit_code=2)
    trace.stderr = (
        "usage: script.py [-h] --width WIDTH\nscript.py: error: the following arguments are required: --width\n"
    )

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line) == ("missing-argument", "error", 2)
    assert "--width" in found.message


def test_an_exit_status_alone_is_a_note() -> None:
    trace = FakeTrace("import sys\nsys.exit(3)\n", status="exited", exit_code=3)

    assert [(f.rule, f.severity, f.line) for f in diagnose(trace)] == [("exit-code", "note", 2)]


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt"])
def test_ways_of_ending_are_no_faults(kind: str) -> None:
    trace = FakeTrace("x\n")
    trace.error(kind, "", "x", "user")

    assert diagnose(trace) == ()


def test_a_removed_function_is_named_with_its_replacement() -> None:
    text = "e, v = torch.symeig(a, eigenvectors=True)\n"
    message = "This function was deprecated since version 1.9 and is now removed. ..."

    found = started("RuntimeError", message, text, "torch.symeig(a, eigenvectors=True)")

    assert (found.rule, found.fix) == ("uncaught-exception", "torch.linalg.eigh(a)")


def test_an_error_that_was_caught_in_a_pass_is_a_warning() -> None:
    trace = FakeTrace("try:\n    y.backward()\nexcept RuntimeError:\n    pass\n")
    y = trace.tensor((2,), grad=True)
    error = trace.error(
        "RuntimeError",
        "grad can be implicitly created only for scalar outputs",
        "y.backward()",
        "backward",
        caught=True,
        pass_id=0,
    )
    one = trace.backward("y.backward()", y, outcome="refused", exception=error.id)
    trace.add_node(one, "MulBackward0", (2,))

    assert [(f.rule, f.severity) for f in diagnose(trace)] == [("implicit-non-scalar", "warning")]


def test_one_fault_in_a_loop_is_told_once() -> None:
    trace = FakeTrace("y.backward()\n")
    for number in range(3):
        error = trace.error(
            "RuntimeError",
            "grad can be implicitly created only",
            "y.backward()",
            "backward",
            caught=True,
            pass_id=number,
        )
        one = trace.backward("y.backward()", trace.tensor((2,), grad=True), outcome="refused", exception=error.id)
        trace.add_node(one, "MulBackward0", (2,))

    assert len(diagnose(trace)) == 1


def test_without_sources_the_findings_still_stand() -> None:
    trace = FakeTrace("y.backward()\n")
    trace.source = lambda path: None  # type: ignore[method-assign]  # a recording saved without its sources
    error = trace.error("RuntimeError", "grad can be implicitly created only", "y.backward()", "backward", pass_id=0)
    one = trace.backward("y.backward()", trace.tensor((2,), grad=True), outcome="refused", exception=error.id)
    trace.add_node(one, "MulBackward0", (2,))

    (found,) = diagnose(trace)

    assert (found.rule, found.line) == ("implicit-non-scalar", 1)
    assert isinstance(trace.exceptions()[0], model.ExceptionInfo)
