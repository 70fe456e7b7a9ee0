"""Custom gradients worked out on paper: wrong ones are found, and those that are meant to be others are left alone."""

from __future__ import annotations

import pytest

from gradviz.diagnose.case import Case
from gradviz.diagnose.customs import CustomBackward, custom_backward
from gradviz.diagnose.rules.custom_value import Verdict, check
from gradviz.trace.packing import NODE_CUSTOM, OP_APPLY
from tests.unit.diagnose.fake_trace import FakeTrace, Shape

HEAD = "import torch\nimport torch.nn.functional as F\n\n\nclass Own(torch.autograd.Function):\n"


def verdict(forward: str, backward: str, *shapes: Shape, inputs: str = "x", **others: object) -> Verdict | None:
    """What is said of a Function with these two bodies."""
    body = [f"    def forward(ctx, {inputs}):", *(f"        {line}" for line in forward.split("; "))]
    body += ["    def backward(ctx, g):", *(f"        {line}" for line in backward.split("; "))]
    trace = FakeTrace(HEAD + "\n".join(body) + "\ny = Own.apply(x)\n")
    names = [name for name in inputs.split(", ") if name not in others]
    operands = [trace.tensor(shape, grad=True, name=name) for shape, name in zip(shapes, names)]
    op = trace.op("Own", "Own.apply(x)", operands, trace.tensor((), grad=True), flags=OP_APPLY, **others)
    one = trace.backward("Own.apply(x)", trace.tensor((), grad=True))
    trace.add_node(one, "OwnBackward", (), op=op, flags=NODE_CUSTOM)
    found = custom_backward(Case(trace), trace.node(0, 0))
    assert isinstance(found, CustomBackward)
    return check(found, op)


DENSE = "ctx.save_for_backward(x, w); return x @ w.t()"


@pytest.mark.parametrize(
    ("forward", "backward", "shapes", "inputs"),
    [
        (DENSE, "x, w = ctx.saved_tensors; return g @ w, g.t() @ x", [(6, 4), (4, 4)], "x, w"),
        ("ctx.save_for_backward(x); return torch.exp(x)", "(x,) = ctx.saved_tensors; return g * x.exp()", [(3,)], "x"),
        ("ctx.total = x.sum(); return 0.5 * x.sum() ** 2", "return (ctx.total * g).expand(3)", [(3,)], "x"),
        ("ctx.save_for_backward(x); return x.pow(3).mean()", "x, = ctx.saved_tensors; return g * x ** 2", [(3,)], "x"),
    ],
)  # fmt: skip
def test_a_right_gradient_is_left_alone(forward: str, backward: str, shapes: list[Shape], inputs: str) -> None:
    assert verdict(forward, backward, *shapes, inputs=inputs) is None


def test_a_transposed_gradient_is_told_as_such() -> None:
    said = verdict(DENSE, "x, w = ctx.saved_tensors; gw = x.t() @ g; return g @ w, gw", (6, 4), (4, 4), inputs="x, w")

    assert said is not None
    assert (said.index, said.turned) == (1, True)


def test_a_missing_factor_is_worked_out() -> None:
    said = verdict("ctx.save_for_backward(x); return x ** 2", "x, = ctx.saved_tensors; return g * x", (5,))

    assert said is not None
    assert said.factor == pytest.approx(2.0)


def test_another_function_is_found() -> None:
    said = verdict("ctx.save_for_backward(x); return x.sin()", "x, = ctx.saved_tensors; return g * x.sin()", (5,))

    assert said is not None
    assert (said.turned, said.factor) == (False, None)


def test_numbers_given_to_forward_are_known() -> None:
    forward, backward = (
        "ctx.save_for_backward(x); ctx.k = k; return k * x ** 2",
        "x, = ctx.saved_tensors; return 2 * ctx.k * x * g, None",
    )

    assert verdict(forward, backward, (5,), inputs="x, k", k=0.5) is None


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("return x.round()", "return g"),  # straight through
        ("return x.view_as(x)", "return -0.5 * g"),  # reversed
        ("return x.clamp(0, 1)", "return g"),
        ("ctx.save_for_backward(x); return (x > 0.5).float()", "x, = ctx.saved_tensors; return g / (1 + x.abs()) ** 2"),
        (
            "ctx.save_for_backward(x); return x ** 2",
            "x, = ctx.saved_tensors; return (2 * x * g).clamp(-1, 1)",
        ),  # clipped
        ("ctx.save_for_backward(x); return F.relu(x)", "x, = ctx.saved_tensors; return F.relu(g) * x"),  # guided
        ("return my_own(x)", "return g * 7"),  # not understood
        ("return x ** 9 ** 9 ** 9", "return g * 2"),  # not worth it
        ("while True: pass", "return g"),
    ],
)
def test_what_is_meant_otherwise_or_not_understood_is_left_alone(forward: str, backward: str) -> None:
    assert verdict(forward, backward, (5,)) is None
