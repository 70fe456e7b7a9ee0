"""seed-wrong-type: which seed is no tensor, and the call as it should be written."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from tests.unit.diagnose.fake_trace import FakeTrace

ITERABLE = "'{}' object is not iterable"
TENSORS = "gradients can be either Tensors or None, but got {}"


def told(
    call: str, message: str, kind: str, shapes: tuple[tuple[int, ...], ...] = ((),), seeds: tuple[None, ...] = ()
) -> Finding:
    """The finding for a line of its own, whose outputs have these shapes."""
    trace = FakeTrace(f"import torch\nloss = f(x)\n{call}\n")
    roots = [trace.tensor(shape, grad=True) for shape in shapes]
    detail = {"seed_type": kind} if kind else {}
    error = trace.error("TypeError", message, call, "backward", pass_id=0, detail=detail)
    entry = "grad" if ".grad(" in call else "backward"
    one = trace.backward(call, roots, outcome="refused", exception=error.id, seeds=seeds, entry=entry)
    for shape in shapes:
        trace.add_node(one, "MulBackward0", shape)
    (found,) = diagnose(trace)
    assert found.rule == "seed-wrong-type"
    return found


@pytest.mark.parametrize(
    ("call", "message", "kind", "shape", "fix"),
    [
        ("loss.backward(1.0)", ITERABLE, "float", (), "loss.backward()"),
        ("loss.backward(2.5)", ITERABLE, "float", (), "loss.backward(torch.full_like(loss, 2.5))"),
        ("loss.backward(1)", ITERABLE, "int", (3,), "loss.backward(torch.full_like(loss, 1))"),
        ("loss.backward(True)", ITERABLE, "bool", (), "loss.backward(retain_graph=True)"),
        ("loss.backward(net)", ITERABLE, "torch.nn.Linear", (), "loss.backward()"),
        ("loss.backward(net)", ITERABLE, "torch.nn.Linear", (3,), "loss.backward(torch.ones_like(loss))"),
        ("torch.autograd.grad(loss, x, 1.0)", ITERABLE, "float", (), "torch.autograd.grad(loss, x)"),
        (
            "loss.backward(gradient=[1.0, 2.0])", TENSORS, "list", (2,),
            "loss.backward(gradient=torch.as_tensor([1.0, 2.0], dtype=loss.dtype))",
        ),
        (
            "loss.backward(w, retain_graph=True)", TENSORS, "numpy.ndarray", (2,),
            "loss.backward(torch.as_tensor(w, dtype=loss.dtype), retain_graph=True)",
        ),
        (
            "loss.backward(w)", TENSORS, "numpy.ndarray", (),
            "loss.backward(torch.as_tensor(w, dtype=loss.dtype).reshape(()))",
        ),
    ],
)  # fmt: skip
def test_the_call_with_a_seed_that_fits(call: str, message: str, kind: str, shape: tuple[int, ...], fix: str) -> None:
    found = told(call, message.format(kind.rpartition(".")[2]), kind, (shape,))

    assert found.fix == fix
    assert (found.line, found.severity, found.expected_shape, found.received_shape) == (3, "error", shape, kind)
    (change,) = found.changes
    assert change.new == (fix,)


def test_of_several_seeds_the_one_is_named_that_is_no_tensor() -> None:
    found = told(
        "torch.autograd.backward([loss, b], [None, [1.0, 2.0]])",
        TENSORS.format("list"),
        "list",
        ((), (2,)),
        (None, None),
    )

    assert "[1.0, 2.0], a list" in found.message
    assert found.fix == ("torch.autograd.backward([loss, b], [None, torch.as_tensor([1.0, 2.0], dtype=b.dtype)])")


def test_another_type_error_is_not_explained_by_a_seed() -> None:
    trace = FakeTrace("loss.backward(inputs=3)\n")
    error = trace.error("TypeError", "something else", "loss.backward", "backward", pass_id=0)
    trace.backward("loss.backward", trace.tensor((), grad=True), outcome="refused", exception=error.id)

    assert [found.rule for found in diagnose(trace)] == ["uncaught-exception"]
