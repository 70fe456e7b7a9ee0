"""Errors inside a pass: custom backwards, freed graphs, overwritten values, hooks, sudden ends, NaN."""

from __future__ import annotations

import math
import signal

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.trace import model
from gradviz.trace.packing import NODE_CUSTOM, OP_APPLY, OP_IN_PLACE
from tests.unit.diagnose.fake_trace import NO_STATS, FakeTrace, spec

CUSTOM = """\
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, g):
        full = g.sum(0)
        return full, None


y = Scale.apply(x, 2.0)
y.sum().backward()
"""
LOOP = """\
feats = embed(x)
for step in range(3):
    loss = head(feats)
    loss.backward()
"""


def custom(message: str, *returned: model.Returned, text: str = CUSTOM, outcome: str = "raised") -> Finding:
    """A pass over one custom node that expects (4, 3) back for x."""
    trace = FakeTrace(text)
    x, y, total = trace.tensor((4, 3), grad=True), trace.tensor((4, 3), grad=True), trace.tensor((), grad=True)
    leaf = trace.leaf(x, "x")
    op = trace.op("Scale", "Scale.apply(x, 2.0)", (x,), y, flags=OP_APPLY)
    error = trace.error("RuntimeError", message, "y.sum().backward()", "backward", pass_id=0) if message else None
    one = trace.backward(
        "y.sum().backward()",
        total,
        outcome=outcome,
        exception=error.id if error else None,
        failed_node=1 if error else None,
    )
    trace.add_node(one, "SumBackward0", (), to=(1,))
    trace.add_node(one, "ScaleBackward", (4, 3), op=op, to=(2,), flags=NODE_CUSTOM)
    trace.accumulate(one, leaf)
    trace.add_step(one, 0)
    trace.add_step(one, 1)
    one.returned += returned
    (found,) = diagnose(trace)
    return found


def gave(shape: tuple[int, ...] | None, dtype: str = "float32", kind: str = "") -> model.Returned:
    return model.Returned(1, 0, spec(shape, dtype) if shape is not None else None, kind, NO_STATS)


def test_a_wrong_shape_is_blamed_on_the_line_that_made_it() -> None:
    found = custom(
        "Function ScaleBackward returned an invalid gradient at index 0 - got [3] "
        "but expected shape compatible with [4, 3]"
    )

    assert (found.rule, found.line, found.node) == ("custom-backward-wrong-shape", 8, "ScaleBackward")
    assert (found.expected_shape, found.received_shape) == ((4, 3), (3,))
    assert found.message == "Scale.backward returned [3] for x, which has shape [4, 3]."
    assert (found.marks[0].kind, found.marks[0].tail, found.marks[0].node) == ("edge", 1, 2)


def test_a_wrong_count_names_the_inputs() -> None:
    found = custom("function ScaleBackward returned an incorrect number of gradients (expected 3, got 2)")

    assert (found.rule, found.line) == ("custom-backward-wrong-count", 9)
    assert (found.expected_shape, found.received_shape) == ("3 gradients", "2 gradients")


@pytest.mark.parametrize(
    ("message", "rule", "expected", "received"),
    [
        ("Function ScaleBackward returned an invalid gradient at index 0 - expected device cpu but got meta",
         "custom-backward-wrong-device", "device cpu", "device meta"),
        ("expected Variable or None (got float)", "custom-backward-wrong-type", (4, 3), "float"),
        ("function ScaleBackward returned a gradient different than None at position 2, but the corresponding forward "
         "input was not a Variable", "custom-backward-grad-for-non-tensor", "None", None),
        ("trying to differentiate twice a function that was marked with @once_differentiable", "once-differentiable",
         None, None),
    ],
)  # fmt: skip
def test_other_faults_of_a_custom_backward(message: str, rule: str, expected: object, received: object) -> None:
    found = custom(message)

    assert (found.rule, found.expected_shape, found.received_shape) == (rule, expected, received)
    assert found.node == "ScaleBackward"


def changed_shape(got: tuple[int, ...], wanted: tuple[int, ...]) -> Finding:
    """A custom node returned a gradient for b that the engine brought to another shape."""
    trace = FakeTrace(CUSTOM)
    x, b, y = trace.tensor((4, 3)), trace.tensor(wanted, grad=True), trace.tensor((4, 3), grad=True)
    leaf = trace.leaf(b, "b")
    op = trace.op("Scale", "Scale.apply(x, 2.0)", (x, b), y, flags=OP_APPLY)
    one = trace.backward("y.sum().backward()", y)
    trace.add_node(one, "ScaleBackward", (4, 3), op=op, to=(1,), flags=NODE_CUSTOM)
    trace.accumulate(one, leaf)
    trace.add_step(one, 0)
    one.returned.append(model.Returned(0, 0, spec(got), "", NO_STATS))
    (found,) = diagnose(trace)
    return found


def test_a_sum_that_undoes_a_broadcast_is_a_note() -> None:
    found = changed_shape((4, 3), (3,))

    assert (found.rule, found.severity) == ("custom-backward-reduced", "note")
    assert (found.expected_shape, found.received_shape) == ((3,), (4, 3))


@pytest.mark.parametrize(
    ("got", "wanted", "severity", "fix"),
    [
        ((1, 3), (3,), "note", "full.squeeze(0)"),
        ((1,), (), "note", "full.squeeze(0)"),
        ((1, 1, 3), (3,), "note", "full.reshape(3)"),
        ((1, 1), (), "note", "full.reshape(())"),
        ((4, 3), (3,), "note", "full.sum(0)"),
        ((5, 3), (3,), "warning", "full.sum(0)"),
        ((5, 2, 3), (3,), "warning", "full.sum((0, 1))"),
        ((1, 5, 3), (3,), "warning", "full.sum_to_size(3)"),
        ((5, 4, 3), (1, 3), "warning", "full.sum_to_size(1, 3)"),
        ((5, 3), (1, 3), "warning", "full.sum(0, keepdim=True)"),
        ((5,), (), "warning", "full.sum(0)"),
    ],
)
def test_what_the_engine_did_to_a_gradient_is_written_out(
    got: tuple[int, ...], wanted: tuple[int, ...], severity: str, fix: str
) -> None:
    found = changed_shape(got, wanted)

    assert (found.severity, found.fix.partition("  # ")[0]) == (severity, fix)
    assert "dim  " not in found.message


def test_another_dtype_is_a_warning() -> None:
    found = custom("", gave((4, 3), "float64"), outcome="completed")

    assert (found.rule, found.severity) == ("custom-backward-wrong-dtype", "warning")
    assert (found.expected_shape, found.received_shape) == ("float32", "float64")


def freed(text: str, second_call: str, again: bool) -> Finding:
    """A first pass through an old op, then one that fails there; `again`: the old op's line ran anew in between."""
    trace = FakeTrace(text)
    x, feats = trace.tensor((3,), grad=True), trace.tensor((3,), grad=True)
    old = trace.op("relu", "embed(x)", (x,), feats)
    first, second = trace.tensor((), grad=True), trace.tensor((), grad=True)
    head = trace.op("sum", "head(feats)", (feats,), first)
    one = trace.backward("loss.backward()", first)
    trace.add_step(one, trace.add_node(one, "SumBackward0", (), op=head, to=(1,)))
    trace.add_step(one, trace.add_node(one, "ReluBackward0", (3,), op=old))
    carried = feats
    if again:
        carried = trace.tensor((3,), grad=True)
        trace.op("relu", "embed(x)", (feats,), carried)
    newer = trace.op("sum", "head(feats)", (carried,), second)
    error = trace.error(
        "RuntimeError", "Trying to backward through the graph a second time", second_call, "backward", pass_id=1
    )
    two = trace.backward(second_call, second, outcome="raised", exception=error.id, failed_node=1 + again)
    trace.add_node(two, "SumBackward0", (), op=newer, to=(1,))
    if again:
        trace.add_node(two, "ReluBackward0", (3,), op=trace.ops()[2], to=(2,))
    trace.add_node(two, "ReluBackward0", (3,), op=old)
    (found,) = diagnose(trace)
    return found


def test_a_graph_built_before_the_loop_is_blamed_there() -> None:
    found = freed(LOOP, "loss.backward()", again=False)

    assert (found.rule, found.line, found.node, found.raised_line) == ("freed-graph", 1, "ReluBackward0", 4)
    assert "feats" in found.message


def test_two_passes_over_one_graph_are_blamed_on_the_first() -> None:
    text = "feats = embed(x)\nloss = head(feats)\nloss.backward()\nother.backward()\n"

    found = freed(text, "other.backward()", again=False)

    assert (found.rule, found.line) == ("freed-graph", 3)
    assert found.fix == "loss.backward(retain_graph=True)"


def test_a_state_carried_through_the_loop_is_told_as_such() -> None:
    found = freed(
        "for s in range(3):\n    feats = embed(x)\n    loss = head(feats)\n    loss.backward()\n",
        "loss.backward()",
        again=True,
    )

    assert (found.rule, found.line) == ("hidden-not-detached", 2)


def test_the_line_that_overwrote_is_blamed() -> None:
    trace = FakeTrace("h = torch.relu(a)\nh += skip\nh.sum().backward()\n")
    a, h, skip, total = (trace.tensor((3,), grad=True) for _ in range(4))
    op = trace.op("relu", "torch.relu(a)", (a,), h)
    trace.op("__iadd__", "h += skip", (h, skip), h, flags=OP_IN_PLACE)
    message = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [3]], which is output 0 of Relu, is at version 1; expected version 0 instead."
    )
    error = trace.error("RuntimeError", message, "h.sum().backward()", "backward", pass_id=0)
    one = trace.backward("h.sum().backward()", total, outcome="raised", exception=error.id, failed_node=0)
    trace.add_node(one, "ReluBackward0", (3,), op=op)

    (found,) = diagnose(trace)

    assert (found.rule, found.line, found.node) == ("inplace-modified", 2, "ReluBackward0")
    assert (found.expected_shape, found.received_shape) == ("version 0", "version 1")
    assert found.fix == "h = h + skip"
    assert "line 1" in found.message


def test_a_hook_is_known_by_what_the_recorder_saw() -> None:
    trace = FakeTrace("h.register_hook(lambda g: g.mean(0))\nh.sum().backward()\n")
    detail = {
        "hook": {"file": "/home/me/script.py", "line": 1, "received": {"shape": [5, 3]}, "returned": {"shape": [3]}}
    }
    error = trace.error(
        "RuntimeError",
        "hook '<lambda>' has changed the size of value",
        "h.sum().backward()",
        "backward",
        pass_id=0,
        detail=detail,
    )
    one = trace.backward(
        "h.sum().backward()", trace.tensor((), grad=True), outcome="raised", exception=error.id, failed_node=0
    )
    trace.add_node(one, "ReluBackward0", (5, 3))

    (found,) = diagnose(trace)

    assert (found.rule, found.line) == ("hook-wrong-shape", 1)
    assert (found.expected_shape, found.received_shape) == ((5, 3), (3,))


def test_a_sudden_end_names_the_node_that_ran() -> None:
    trace = FakeTrace(
        CUSTOM.replace("        full = g.sum(0)\n        return full, None", "        os._exit(1)"),
        status="killed",
        exit_code=1,
    )
    op = trace.op("Scale", "Scale.apply(x, 2.0)", (), trace.tensor((3,), grad=True))
    one = trace.backward("y.sum().backward()", trace.tensor((), grad=True), outcome="interrupted", running_node=0)
    trace.add_node(one, "ScaleBackward", (3,), op=op, flags=NODE_CUSTOM)

    (found,) = diagnose(trace)

    assert (found.rule, found.line, found.node) == ("worker-died", 8, "ScaleBackward")


@pytest.mark.parametrize(
    ("number", "rule", "line"), [(signal.SIGINT, "uncaught-exception", 3), (signal.SIGSEGV, "worker-died", 2)]
)
def test_an_interrupt_with_a_traceback_is_no_crash(number: int, rule: str, line: int) -> None:
    trace = FakeTrace("import torch\nx = torch.ones(3)\nraise KeyboardInterrupt\n", status="killed", signal=number)
    trace.op("ones", "torch.ones(3)", (), trace.tensor((3,)))
    trace.error("KeyboardInterrupt", "", "raise KeyboardInterrupt")

    (found,) = diagnose(trace)

    assert (found.rule, found.line) == (rule, line)
    assert ("native code" in found.explanation) == (rule == "worker-died")


def test_an_error_without_a_frame_of_the_persons_names_no_line() -> None:
    trace = FakeTrace("import torch\n")
    trace.error("TypeError", "unhashable type: 'list'", "", raised_file=None)

    (found,) = diagnose(trace)

    assert (found.rule, found.file, found.line, found.raised_line) == ("uncaught-exception", "", 0, None)
    assert "line 1" not in found.explanation + found.fix


@pytest.mark.parametrize("status", ["timeout", "stopped", "recording"])
def test_being_stopped_is_not_dying(status: str) -> None:
    trace = FakeTrace(CUSTOM, status=status)
    one = trace.backward("y.sum().backward()", trace.tensor((), grad=True), outcome="interrupted", running_node=0)
    trace.add_node(one, "ScaleBackward", (3,))

    assert diagnose(trace) == ()


@pytest.mark.parametrize(("noted", "rules"), [(True, ["exit-code"]), (False, ["worker-died", "exit-code"])])
def test_sys_exit_in_a_hook_is_not_dying(noted: bool, rules: list[str]) -> None:
    trace = FakeTrace(CUSTOM, status="exited", exit_code=7)
    one = trace.backward("y.sum().backward()", trace.tensor((), grad=True), outcome="interrupted", running_node=0)
    trace.add_node(one, "ScaleBackward", (3,))
    if noted:
        trace.noted.append(model.Note("exited", "The script ended itself with sys.exit(7).", (), {"code": 7}))

    assert [f.rule for f in diagnose(trace)] == rules


def test_the_way_checkpoint_ends_a_repeated_forward_is_no_error() -> None:
    trace = FakeTrace(CUSTOM)
    trace.error("torch.utils.checkpoint._StopRecomputationError", "", "y.sum().backward()", caught=True)

    assert diagnose(trace) == ()


BAD = model.Stats(1, 0, 0, math.nan, math.nan, math.nan, math.nan)


def nan_pass(trace: FakeTrace, *, reaches_leaf: bool) -> None:
    z, root, total = trace.tensor((3,), grad=True), trace.tensor((3,), grad=True), trace.tensor((), grad=True)
    leaf = trace.leaf(z, "z")
    op = trace.op("sqrt", "torch.sqrt(z)", (z,), root)
    one = trace.backward("loss.backward()", total)
    trace.add_node(one, "SumBackward0", (), to=(1,))
    trace.add_node(one, "SqrtBackward0", (3,), op=op, to=(2,))
    trace.accumulate(one, leaf)
    trace.add_step(one, 0)
    trace.add_step(one, 1)
    trace.add_step(one, 2, BAD if reaches_leaf else NO_STATS)


def test_the_first_node_that_made_nan_is_blamed() -> None:
    trace = FakeTrace("root = torch.sqrt(z)\nloss.backward()\n")
    nan_pass(trace, reaches_leaf=True)

    (found,) = diagnose(trace)

    assert (found.rule, found.line, found.node, found.step) == ("non-finite-gradient", 1, "SqrtBackward0", 1)
    assert "clamp_min" in found.fix
    assert found.title == "A gradient became NaN"


def test_finite_gradients_are_left_alone() -> None:
    trace = FakeTrace("root = torch.sqrt(z)\nloss.backward()\n")
    nan_pass(trace, reaches_leaf=False)

    assert diagnose(trace) == ()
