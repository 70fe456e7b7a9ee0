"""A leaf that is given another shape: told at the line that did it, whatever raises later."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.trace import model
from gradviz.trace.packing import OP_IN_PLACE, OP_NO_GRAD, OP_RAISED, VALUE_LEAF, VALUE_PARAMETER
from tests.unit.diagnose.fake_trace import FakeTrace, Shape, spec

IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."


def changed(value: model.Value, shape: Shape) -> model.Value:
    return model.Value(value.number, spec(shape), value.version + 1, value.flags, "")


class Script:
    """p, a leaf of shape [3], which `part` gives another shape."""

    def __init__(self, text: str, shape: Shape = (3,), flags: int = 0) -> None:
        self.trace = FakeTrace(text)
        self.p = self.trace.tensor(shape, grad=True, flags=VALUE_LEAF | flags)
        kind = "parameter" if flags & VALUE_PARAMETER else "variable"
        self.leaf = self.trace.leaf(self.p, "weight" if flags else "p", kind)

    def reshape(self, name: str, part: str, shape: Shape, *more: model.Value) -> model.Value:
        after = changed(self.p, shape)
        self.trace.op(name, part, (self.p, *more), after, flags=OP_IN_PLACE | OP_NO_GRAD)
        return after

    def only(self) -> Finding:
        (found,) = [each for each in diagnose(self.trace) if each.severity != "note"]
        return found


def test_a_gradient_in_the_old_shape() -> None:
    script = Script("y = p * 2\np.data = torch.zeros(5)\nz = p * 3\n(y.sum() + z.sum()).backward()\n")
    trace = script.trace
    script.reshape("data", "p.data", (5,), trace.tensor((5,)))
    z, total = trace.tensor((5,), grad=True), trace.tensor((), grad=True)
    op = trace.op("mul", "p * 3", (changed(script.p, (5,)),), z)
    message = (
        "Function MulBackward0 returned an invalid gradient at index 0 - got [5] but expected shape compatible with"
    )
    error = trace.error("RuntimeError", f"{message} [3]", "(y.sum() + z.sum()).backward()", "backward", pass_id=0)
    one = trace.backward(
        "(y.sum() + z.sum()).backward()", total, outcome="raised", exception=error.id, failed_node=0, steps=1
    )
    trace.add_node(one, "MulBackward0", (5,), op=op, to=(1,))
    trace.accumulate(one, script.leaf)

    found = script.only()

    assert (found.rule, found.line, found.symptom_line) == ("inplace-via-data", 2, 4)
    assert (found.expected_shape, found.received_shape, found.node) == ((3,), (5,), "MulBackward0")
    assert found.fix == "p = torch.zeros(5, requires_grad=True)"
    assert found.changes[0].new == (found.fix,)


def test_a_product_with_a_leaf_that_was_transposed() -> None:
    script = Script("with torch.no_grad():\n    p.t_()\nz = x @ p\n", (3, 4))
    trace = script.trace
    after = script.reshape("t_", "p.t_()", (4, 3))
    op = trace.op("matmul", "x @ p", (trace.tensor((2, 3)), after), (), flags=OP_RAISED)
    trace.error("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)", "x @ p", op=op.number)

    found = script.only()

    assert (found.rule, found.line, found.symptom_line) == ("inplace-on-leaf", 2, 3)
    assert (found.expected_shape, found.received_shape) == ((3, 4), (4, 3))
    assert found.fix == "p = p.detach().t().clone().requires_grad_()"


def test_a_product_that_never_fitted_is_no_fault_of_the_leafs() -> None:
    script = Script("with torch.no_grad():\n    p.t_()\nz = x @ p\n", (3, 4))
    trace = script.trace
    after = script.reshape("t_", "p.t_()", (4, 3))
    op = trace.op("matmul", "x @ p", (trace.tensor((2, 7)), after), (), flags=OP_RAISED)
    trace.error("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x7 and 4x3)", "x @ p", op=op.number)

    assert script.only().rule == "forward-shape-error"


@pytest.mark.parametrize(
    ("name", "call", "arguments", "message", "after"),
    [
        ("resize_", "p.resize_(4)", {"sizes": [4]}, "cannot resize variables that require grad", (4,)),
        (
            "unsqueeze_", "p.unsqueeze_(0)", {"dim": 0},
            IN_PLACE, (1, 3),
        ),
    ],
)  # fmt: skip
def test_a_call_that_was_refused(
    name: str, call: str, arguments: dict[str, object], message: str, after: Shape
) -> None:
    script = Script(f"{call}\n")
    op = script.trace.op(name, call, (script.p,), (), flags=OP_IN_PLACE | OP_RAISED, **arguments)
    script.trace.error("RuntimeError", message, call, op=op.number)

    found = script.only()

    assert (found.rule, found.line) == ("inplace-on-leaf", 1)
    assert (found.expected_shape, found.received_shape) == ((3,), after)


def test_a_call_that_torch_refuses_before_it_is_recorded() -> None:
    script = Script("q = torch.zeros(5)\np.set_(q)\n")
    trace = script.trace
    trace.op("zeros", "torch.zeros(5)", (), trace.tensor((5,)))
    trace.error("RuntimeError", IN_PLACE, "p.set_(q)")

    found = script.only()

    assert (found.line, found.expected_shape, found.received_shape) == (2, (3,), (5,))
    assert found.fix == "p = q.detach().clone().requires_grad_()"


def test_an_optimisers_state_in_the_old_shape() -> None:
    script = Script("opt.step()\nnet.weight.data = new\nopt.step()  # again\n", flags=VALUE_PARAMETER)
    trace = script.trace
    trace.op("SGD.step", "opt.step()", (script.p,), script.p, flags=OP_IN_PLACE | OP_NO_GRAD)
    script.reshape("data", "net.weight.data", (6,), trace.tensor((6,)))
    message = "The size of tensor a (3) must match the size of tensor b (6) at non-singleton dimension 0"
    trace.error("RuntimeError", message, "opt.step()  # again")

    found = script.only()

    assert (found.rule, found.line, found.symptom_line) == ("inplace-via-data", 2, 3)
    assert found.fix == "net.weight = torch.nn.Parameter(new.detach())"


def test_a_leaf_that_keeps_its_shape_is_left_alone() -> None:
    script = Script("p.data = p.data * 2\nz = p + x\n")
    trace = script.trace
    script.reshape("data", "p.data", (3,), trace.tensor((3,)))
    op = trace.op("add", "p + x", (script.p, trace.tensor((4,))), (), flags=OP_RAISED)
    trace.error("RuntimeError", "The size of tensor a (3) must match the size of tensor b (4)", "p + x", op=op.number)

    assert script.only().rule == "forward-shape-error"
