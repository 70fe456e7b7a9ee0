"""What a backward pass was told to start from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.diagnose.build import Writer
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules.seeds import option_finding
from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.trace import model
from gradviz.trace.packing import FIRST_HIPS_VALUE, FIRST_TENSORFLOW_VALUE
from tests.unit.diagnose.fake_trace import FakeTrace, spec

TEXT = """\
import torch
z = torch.randn(6, requires_grad=True)
w = torch.ones(6)
out = (z * 2).sum()
out.backward(z)
"""


def refused(
    trace: FakeTrace, part: str, root: model.Value, message: str, *seeds: model.Value | None, **fields: object
) -> Finding:
    given = tuple(None if s is None else model.Seed(s.number, s.spec) for s in seeds)
    error = trace.error("RuntimeError", message, part, "backward", pass_id=len(trace.passes()))
    one = trace.backward(part, root, outcome="refused", seeds=given, exception=error.id, **fields)
    trace.add_node(one, "SumBackward0", root.spec.shape)
    found = diagnose(trace)
    assert len(found) == 1
    return found[0]


def test_a_seed_that_is_an_input_is_recognised_as_one() -> None:
    trace = FakeTrace(TEXT)
    z, out = trace.tensor((6,), grad=True), trace.tensor((), grad=True)
    trace.leaf(z, "z")

    found = refused(trace, "out.backward(z)", out, "Mismatch in shape", z)

    assert (found.rule, found.severity, found.line, found.node) == ("seed-shape-mismatch", "error", 5, "SumBackward0")
    assert (found.expected_shape, found.received_shape) == ((), (6,))
    assert found.message == "out has shape [ ], but backward() was given z, shape [6], as its gradient."
    assert "z.grad" in found.explanation
    assert found.fix.startswith("out.backward()")
    assert found.changes[0].new == ("out.backward()",)
    assert found.marks[0].dims == (-1,)


def test_a_seed_made_for_nothing_else_is_blamed_where_it_was_made() -> None:
    trace = FakeTrace(TEXT.replace("out.backward(z)", "out.backward(w)"))
    w, out = trace.tensor((6,)), trace.tensor((), grad=True)
    trace.op("ones", "torch.ones(6)", (), w)

    found = refused(trace, "out.backward(w)", out, "Mismatch in shape", w)

    assert (found.line, found.raised_line, found.symptom_line) == (3, 5, 5)
    assert "out.backward()" in found.fix


def test_an_identity_is_a_stack_of_seeds() -> None:
    text = "y = f(x)\nJ = torch.autograd.grad(y, x, torch.eye(3))\n"
    trace = FakeTrace(text)
    eye, y = trace.tensor((3, 3)), trace.tensor((3,), grad=True)

    found = refused(trace, "torch.autograd.grad(y, x, torch.eye(3))", y, "Mismatch in shape", eye, entry="grad")

    assert found.fix == "torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)"
    assert "3 seeds stacked" in found.message


def test_a_batched_seed_needs_one_dimension_more() -> None:
    text = "g = torch.autograd.grad(y, x, v, is_grads_batched=True)\n"
    trace = FakeTrace(text)
    v, y = trace.tensor((4, 2)), trace.tensor((4, 2), grad=True)

    found = refused(
        trace, "torch.autograd.grad(y, x, v, is_grads_batched=True)", y, "If `is_grads_batched=True`", v, batched=True
    )

    assert found.expected_shape == ("B", 4, 2)
    assert found.fix == "torch.autograd.grad(y, x, v)"


def test_a_loss_that_is_no_scalar_is_blamed_where_it_was_made() -> None:
    text = "loss = net(x).pow(2)\nloss.backward()\n"
    trace = FakeTrace(text)
    a, loss = trace.tensor((4, 1), grad=True), trace.tensor((4, 1), grad=True)
    trace.op("pow", "net(x).pow(2)", (a,), loss)

    found = refused(trace, "loss.backward()", loss, "grad can be implicitly created only for scalar outputs")

    assert (found.rule, found.line, found.fix) == ("implicit-non-scalar", 1, "loss.mean().backward()")
    assert (found.expected_shape, found.received_shape) == ((), (4, 1))


def test_another_output_is_blamed_where_backward_is_called() -> None:
    trace = FakeTrace("y = a * b\n(y * 2).backward()\n")
    y = trace.tensor((2,), grad=True)
    trace.op("mul", "y * 2", (y,), y)

    found = refused(trace, "(y * 2).backward()", y, "grad can be implicitly created only for scalar outputs")

    assert found.line == 2
    assert found.fix.startswith("(y * 2).sum().backward()")


def test_a_complex_scalar_is_told_as_such() -> None:
    trace = FakeTrace("energy = s.sum()\nenergy.backward()\n")
    energy = trace.tensor((), grad=True, dtype="complex64")
    trace.op("sum", "s.sum()", (), energy)

    found = refused(trace, "energy.backward()", energy, "grad can be implicitly created only for real scalar outputs")

    assert (found.expected_shape, found.received_shape) == ("real scalar", "complex64 scalar")
    assert found.fix == "energy.real.backward()"


def test_surplus_seeds_are_a_warning_though_nothing_was_raised() -> None:
    trace = FakeTrace("import torch\nlosses = [a, b]\nweights = [u, v, w]\ntorch.autograd.backward(losses, weights)\n")
    roots = [trace.tensor((), grad=True) for _ in range(2)]
    seeds = tuple(model.Seed(-1, spec()) for _ in range(3))
    one = trace.backward("torch.autograd.backward(losses, weights)", roots, seeds=seeds)
    trace.add_node(one, "AddBackward0", ())
    trace.add_node(one, "MulBackward0", ())

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line) == ("seed-count-mismatch", "warning", 3)
    assert (found.expected_shape, found.received_shape) == ("2 seeds", "3 seeds")
    assert found.fix == "weights = [u, v]"


def test_a_seed_that_was_cast_is_a_note() -> None:
    trace = FakeTrace("y.backward(torch.tensor(1))\n")
    y = trace.tensor((), grad=True)
    one = trace.backward("y.backward(torch.tensor(1))", y, seeds=(model.Seed(-1, spec((), "int64")),))
    trace.add_node(one, "SumBackward0", ())

    assert [(f.rule, f.severity) for f in diagnose(trace)] == [("dtype-mismatch", "note")]


def test_a_pass_that_went_well_is_left_alone() -> None:
    trace = FakeTrace("y.backward()\n")
    y = trace.tensor((), grad=True)
    one = trace.backward("y.backward()", y)
    trace.add_step(one, trace.add_node(one, "SumBackward0", ()))

    assert diagnose(trace) == ()


@pytest.mark.parametrize(
    ("imported", "first", "new"),
    [
        ("import torch", 0, "torch.ones_like(output)"),
        ("import torch as T", 0, "T.ones_like(output)"),
        ("import autograd.numpy as anp", FIRST_HIPS_VALUE, "anp.ones_like(output)"),
        ("import tensorflow as tf", FIRST_TENSORFLOW_VALUE, "tf.ones_like(output)"),
    ],
)
def test_another_seed_is_offered_in_the_files_own_framework(imported: str, first: int, new: str) -> None:
    trace = FakeTrace(f"{imported}\ndef vec(x):\n    return x * 2\n", function="vec", seed_expression="s(4)")
    y = replace(trace.tensor((3,)), number=first + 1)
    one = trace.backward("vec(x)", y, phase="offered")
    case = Case(trace)

    found = option_finding(Examination(case, Writer(case, ENGLISH, "terminal")), one.row, one.row.roots[0], (4,))

    assert found.fix == new
