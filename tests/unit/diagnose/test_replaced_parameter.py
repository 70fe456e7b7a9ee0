"""An update that takes a parameter's name away is the cause; what its missing .grad leads to is told with it."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.trace.packing import OP_NO_GRAD, VALUE_LEAF
from tests.unit.diagnose.fake_trace import SCRIPT, FakeTrace

LOOP = """\
for i in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    {update}
    w.grad.zero_()
"""
WARNED = (
    "{file}:{line}: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad"
    " attribute won't be populated during autograd.backward().\n"
)


def found(
    update: str,
    *,
    no_grad: bool = False,
    message: str = "'NoneType' object has no attribute 'zero_'",
    leaf: bool = False,
) -> tuple[Finding, ...]:
    trace = FakeTrace(LOOP.format(update=update))
    w, grad = trace.tensor((3,), grad=True, flags=VALUE_LEAF), trace.tensor((3,))
    new = trace.tensor((3,), grad=leaf or not no_grad, flags=VALUE_LEAF if leaf or no_grad else 0)
    trace.leaf(w, "w")
    trace.op("sub", update.partition(" = ")[2], (w, grad), new, flags=OP_NO_GRAD if no_grad else 0)
    read = trace.op("grad", "w.grad.zero_()", (new,))
    if new.flags & VALUE_LEAF == 0:
        trace.stderr = WARNED.format(file=SCRIPT, line=read.stack[0].line)
    if message:
        trace.error("AttributeError", message, "w.grad.zero_()")
    return diagnose(trace)


@pytest.mark.parametrize(
    ("update", "no_grad", "rule", "fix"),
    [
        ("w = w - 0.1 * w.grad", False, "non-leaf-grad", "with torch.no_grad(): w -= 0.1 * w.grad"),
        ("w = w + step(w.grad)", False, "non-leaf-grad", "with torch.no_grad(): w += step(w.grad)"),
        ("w = w - 0.1 * w.grad", True, "detached", "w -= 0.1 * w.grad"),
    ],
)
def test_the_update_is_the_one_error(update: str, no_grad: bool, rule: str, fix: str) -> None:
    (one,) = found(update, no_grad=no_grad)

    assert (one.rule, one.severity, one.line, one.raised_line, one.fix) == (rule, "error", 4, 5, fix)
    assert one.effects == ("AttributeError: 'NoneType' object has no attribute 'zero_'",)
    assert one.changes[0].new == (f"    {fix}",)


def test_another_error_is_told_beside_it() -> None:
    rules = [one.rule for one in found("w = w - 0.1 * w.grad", message="no such file")]

    assert sorted(rules) == ["non-leaf-grad", "uncaught-exception"]


def test_read_without_an_error_it_is_a_warning() -> None:
    (one,) = found("w = w - 0.1 * w.grad", message="")

    assert (one.rule, one.severity, one.line) == ("non-leaf-grad", "warning", 4)


@pytest.mark.parametrize("leaf", [True, False])
def test_what_becomes_a_leaf_again_is_left_alone(leaf: bool) -> None:
    assert found("w = w - 0.1 * w.grad", no_grad=True, leaf=leaf, message="") == ()


def test_another_name_is_no_replacement() -> None:
    assert "parameter" not in " ".join(one.title for one in found("w = v - 0.1 * w.grad"))
