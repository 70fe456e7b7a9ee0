"""What TensorFlow's tapes lead to: gradients that are None, used up tapes, seeds and custom gradients."""

from __future__ import annotations

from typing import Any

import pytest

from gradviz.diagnose.case import Case
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.tape_roots import mended_root
from gradviz.trace import model
from gradviz.trace.packing import FIRST_TENSORFLOW_VALUE, NODE_CUSTOM, OP_LEAVES_GRAPH
from tests.unit.diagnose.fake_trace import SCRIPT, FakeTrace, spec

HEAD = "import tensorflow as tf\n"


def missing(trace: FakeTrace, reason: str, source: model.Value, target: model.Value, **facts: Any) -> None:
    """A pass in which the one source got no gradient."""
    one = trace.backward("tape.gradient(", target, entry="tape", allow_unused=True)
    detail = {
        "reason": reason, "name": "", "position": 0, "sources": 1, "missing": 1, "variable": False,
        "value": source.number, "shape": list(source.spec.shape), "dtype": "float32", "targets": [target.number],
        "first_op": 0, "last_op": 99, "exits": [], "dead_ends": [], "made": [SCRIPT, trace.at("with ")[0].line],
        "pass": one.row.id,
    }  # fmt: skip
    trace.noted.append(model.Note("tape-none", "", one.row.stack, {**detail, **facts}))


def only(trace: FakeTrace) -> Finding:
    (found,) = [each for each in diagnose(trace) if each.severity != "note"]
    return found


def test_a_tensor_that_isnt_watched_is_told_at_the_tape() -> None:
    trace = FakeTrace(
        HEAD + "x = tf.ones([3])\nwith tf.GradientTape() as tape:\n    y = x * v\nprint(tape.gradient(y, x))\n"
    )
    x, y = trace.tensor((3,)), trace.tensor((3,), grad=True)
    missing(trace, "unwatched", x, y)

    found = only(trace)

    assert (found.rule, found.severity, found.line, found.symptom_line) == ("tape-unwatched", "error", 3, 5)
    assert found.fix.startswith("tape.watch(x)")
    assert (found.expected_shape, found.received_shape) == ((3,), "None")


@pytest.mark.parametrize(
    ("update", "written"),
    [
        ("w = w - 0.1 * g", "w.assign_sub(0.1 * g)"),
        ("w = w + g", "w.assign_add(g)"),
        ("w = 0.9 * w", "w.assign(0.9 * w)"),
    ],
)
def test_a_variable_that_became_a_tensor(update: str, written: str) -> None:
    text = "w = tf.Variable([1.0])\nfor i in range(2):\n    with tf.GradientTape() as tape:\n        y = w * w\n"
    trace = FakeTrace(HEAD + text + f"    g = tape.gradient(y, w)\n    {update}\n")
    w, y = trace.tensor((1,)), trace.tensor((1,))
    trace.op("sub", update.partition(" = ")[2], (trace.tensor((1,)),), w)
    missing(trace, "unwatched", w, y)
    trace.error("TypeError", "unsupported operand type(s) for *: 'float' and 'NoneType'", update)

    found = only(trace)

    assert (found.rule, found.line, found.node) == ("tape-unwatched", 7, "Sub")
    assert found.changes and found.changes[0].new[0].strip() == written
    assert found.effects and "NoneType" in found.effects[0]


def test_a_target_that_went_through_numpy() -> None:
    text = (
        "with tf.GradientTape() as tape:\n    p = x * w\n    y = tf.constant(np.mean(p.numpy()))\ntape.gradient(y, w)\n"
    )
    trace = FakeTrace(HEAD + text)
    p, y = trace.tensor((2, 1), grad=True), trace.tensor(())
    out = trace.op("numpy", "p.numpy()", (p,), flags=OP_LEAVES_GRAPH)
    missing(trace, "target", trace.tensor((2, 1)), y, exits=[out.number], variable=True)

    found = only(trace)

    assert (found.rule, found.op, found.line) == ("detached", "numpy", 4)


@pytest.mark.parametrize(
    ("reason", "facts", "rule", "severity"),
    [
        ("integer", {"dtype": "int32"}, "dtype-mismatch", "error"),
        ("frozen", {"variable": True}, "tape-unwatched", "error"),
        ("unwatched", {"variable": True}, "tape-unwatched", "error"),
        ("unconnected", {}, "unused-input", "error"),
        ("unconnected", {"sources": 2}, "unused-input", "note"),
        ("target", {}, "detached", "error"),
        ("unwatched", {"sources": 2}, "tape-unwatched", "warning"),
        (
            "unconnected",
            {"missing": "?", "exits": "x", "made": 3, "shape": None, "value": None},
            "unused-input",
            "note",
        ),
    ],
)
def test_each_reason_has_its_rule(reason: str, facts: dict[str, Any], rule: str, severity: str) -> None:
    trace = FakeTrace(HEAD + "with tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\n")
    missing(trace, reason, trace.tensor((3,)), trace.tensor((3,), grad=True), **facts)

    (found,) = diagnose(trace)

    assert (found.rule, found.severity) == (rule, severity)


def test_a_tape_that_is_used_up_is_told_where_it_was_made() -> None:
    text = "with tf.GradientTape() as tape:\n    h = tf.tanh(w)\na = tape.gradient(h, w)\nb = tape.gradient(h * h, w)\n"
    trace = FakeTrace(HEAD + text)
    w, h = trace.tensor((2,), grad=True), trace.tensor((2,), grad=True)
    op = trace.op("tanh", "tf.tanh(w)", (w,), h)
    first = trace.backward("tape.gradient(h, w)", h, entry="tape")
    trace.add_node(first, "Tanh", (2,), op=op)
    message = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
    detail = {"framework": "tensorflow", "tape": "consumed", "made": [SCRIPT, 2], "used": [SCRIPT, 4]}
    part = "tape.gradient(h * h, w)"
    error = trace.error("RuntimeError", message, part, "backward", pass_id=1, detail=detail)
    second = trace.backward(part, h, entry="tape", outcome="refused", exception=error.id)
    trace.add_node(second, "Tanh", (2,), op=op)

    found = only(trace)

    assert (found.rule, found.line, found.node, found.raised_line) == ("tape-consumed", 2, "Tanh", 5)
    assert found.changes[0].new == ("with tf.GradientTape(persistent=True) as tape:",)


@pytest.mark.parametrize(("shape", "severity"), [((2,), "error"), ((1, 3), "warning")])
def test_a_seed_of_another_shape(shape: tuple[int, ...], severity: str) -> None:
    text = "with tf.GradientTape() as tape:\n    y = v * v\nseed = tf.ones([2])\n"
    text += "tape.gradient(y, v, output_gradients=seed)\n"
    trace = FakeTrace(HEAD + text)
    v, y = trace.tensor((3,), grad=True), trace.tensor((3,), grad=True)
    op = trace.op("mul", "v * v", (v, v), y)
    fields: dict[str, Any] = {}
    part = "tape.gradient(y, v, output_gradients=seed)"
    if severity == "error":
        detail = {"framework": "tensorflow"}
        error = trace.error("InvalidArgumentError", "Incompatible shapes", part, "backward", pass_id=0, detail=detail)
        fields = {"outcome": "raised", "exception": error.id, "failed_node": 0}
    one = trace.backward(part, y, entry="tape", seeds=(model.Seed(-1, spec(shape)),), **fields)
    trace.add_node(one, "Mul", (3,), op=op)

    found = only(trace)

    assert (found.rule, found.severity, found.node, found.line) == ("seed-shape-mismatch", severity, "Mul", 4)
    assert (found.expected_shape, found.received_shape) == ((3,), shape)
    assert "output_gradients=tf.ones_like(y)" in found.changes[0].new[0]


SCALE = (
    "@tf.custom_gradient\ndef scale(w, x):\n    def grad(up):\n        return up * x, up * w\n"
    "    return w * x, grad\n"
    "with tf.GradientTape() as tape:\n    y = scale(w, x)\n"
)


def misshapen(trace: FakeTrace, **fields: Any) -> None:
    """A pass in which `scale` returned (4, 3) for its (3,) input."""
    w, y = trace.tensor((3,), grad=True), trace.tensor((4, 3), grad=True)
    op = trace.op("scale", "y = scale(w, x)", (w,), y)
    one = trace.backward("tape.gradient(y, w)", y, entry="tape", **fields)
    node = trace.add_node(one, "scale", (4, 3), op=op, to=(1,), flags=NODE_CUSTOM)
    trace.accumulate(one, trace.leaf(w, "w"))
    trace.add_step(one, node)
    one.returned.append(model.Returned(0, 0, spec((4, 3)), "", trace_stats()))


def test_a_custom_gradient_of_the_wrong_shape_is_told_at_its_return() -> None:
    trace = FakeTrace(HEAD + SCALE + "tape.gradient(y, w)\n")
    misshapen(trace)

    found = only(trace)

    assert (found.rule, found.line) == ("custom-backward-wrong-shape", 5)
    assert (found.expected_shape, found.received_shape) == ((3,), (4, 3))


def test_what_a_wrong_shape_leads_to_in_its_pass_is_its_effect() -> None:
    trace = FakeTrace(HEAD + SCALE + "tape.gradient(y, w)\n")
    message = "{{function_node __wrapped__AddN}} Inputs must have the same shape. [Op:AddN] name: "
    detail = {"framework": "tensorflow"}
    error = trace.error("InvalidArgumentError", message, "tape.gradient(y, w)", "backward", pass_id=0, detail=detail)
    misshapen(trace, outcome="raised", exception=error.id, failed_node=0)

    found = only(trace)

    assert (found.rule, found.line, found.raised_line) == ("custom-backward-wrong-shape", 5, 9)
    assert found.effects == ("InvalidArgumentError: Inputs must have the same shape",)


def test_what_a_wrong_shape_leads_to_after_its_pass_is_its_effect() -> None:
    trace = FakeTrace(HEAD + SCALE + "g = tape.gradient(y, w)\nw.assign_sub(g)\n")
    misshapen(trace)
    v, g = trace.tensor((3,)), trace.tensor((4, 3))
    op = trace.op("assign_sub_variable_op", "w.assign_sub(g)", (v, g))
    message = "Cannot update variable with shape [3] using a Tensor with shape [4,3], shapes must be equal."
    trace.error("InvalidArgumentError", message, "w.assign_sub(g)", "forward", op=op.number)

    found = only(trace)

    assert (found.rule, found.line) == ("custom-backward-wrong-shape", 5)
    assert len(found.effects) == 1


@pytest.mark.parametrize(
    ("returned", "expected", "got", "inputs", "fix"),
    [
        ("up * x", 2, 1, "2 inputs: w, x", "return up * x, None"),
        ("up * x, up * w, None", 2, 3, "2 inputs: w, x", "return up * x, up * w"),
        ("up * x", 3, 1, "3 inputs", "return up * x, None, None"),
    ],
)
def test_a_custom_gradient_that_returns_another_number(
    returned: str, expected: int, got: int, inputs: str, fix: str
) -> None:
    trace = FakeTrace(HEAD + SCALE.replace("up * x, up * w", returned) + "tape.gradient(y, w)\n")
    w, y = trace.tensor((3,), grad=True), trace.tensor((4, 3), grad=True)
    op = trace.op("scale", "y = scale(w, x)", (w,), y)
    message = f"custom_gradient function expected to return {expected} gradients, but returned {got} instead."
    detail = {"framework": "tensorflow"}
    error = trace.error("ValueError", message, "tape.gradient(y, w)", "backward", pass_id=0, detail=detail)
    fields: dict[str, Any] = {"outcome": "raised", "exception": error.id, "failed_node": 0}
    one = trace.backward("tape.gradient(y, w)", y, entry="tape", **fields)
    trace.add_node(one, "scale", (4, 3), op=op, flags=NODE_CUSTOM)

    found = only(trace)

    assert (found.rule, found.line, found.node) == ("custom-backward-wrong-count", 5, "scale")
    assert (found.expected_shape, found.received_shape) == (
        f"{expected} gradients",
        f"{got} gradient{'' if got == 1 else 's'}",
    )
    assert inputs in found.message and found.fix == fix


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("tf.norm(v)", "tf.sqrt(tf.reduce_sum(tf.square(v)) + 1e-12)"),
        ("tf.norm(v * 2, axis=1)", "tf.sqrt(tf.reduce_sum(tf.square(v * 2), axis=1) + 1e-12)"),
        ("tf.linalg.norm(v, 2, 1, True)", "tf.sqrt(tf.reduce_sum(tf.square(v), axis=1, keepdims=True) + 1e-12)"),
        ("tf.math.reduce_std(v, 0)", "tf.sqrt(tf.math.reduce_variance(v, axis=0) + 1e-12)"),
        ("tf.norm(v, ord=3)", ""),
        ("tf.sqrt(v)", ""),
    ],
)
def test_a_root_inside_a_call_is_mended_in_the_call(written: str, fix: str) -> None:
    trace = FakeTrace(f"{HEAD}y = {written}\n")
    v = model.Value(FIRST_TENSORFLOW_VALUE, spec((2, 2)), 0, 0, "v")
    op = trace.op("sqrt", written, (v,))
    one = trace.backward("y", trace.tensor((), grad=True), entry="tape")
    trace.add_node(one, "Sqrt", (2,), op=op)
    case = Case(trace)

    assert mended_root(case, case.node(0, 0)) == fix


def trace_stats() -> model.Stats:
    return model.Stats(0, 0, 0, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("body", "line", "fix"),
    [
        ("z = tf.reduce_sum(np.square(w.numpy()))", 5, "z = tf.reduce_sum(tf.square(w))"),
        ("z = tf.reduce_sum(np.square(w))", 5, "z = tf.reduce_sum(tf.square(w))"),
        ("n = w.numpy() ** 2\n    z = tf.reduce_sum(tf.constant(n))", 5, "Compute z from w itself"),
    ],
)
def test_a_line_inside_the_block_is_told_of_numpy_not_of_the_block(body: str, line: int, fix: str) -> None:
    text = f"import numpy as np\nw = tf.Variable([1.0])\nwith tf.GradientTape() as tape:\n    {body}\n"
    trace = FakeTrace(HEAD + text + "tape.gradient(z, w)\n")
    w, z = trace.tensor((1,)), trace.tensor(())
    trace.op("reduce_sum", body.rpartition("z = ")[2], (trace.tensor((1,)),), z)
    missing(trace, "target", w, z, variable=True, first_op=-1)

    found = only(trace)

    assert (found.rule, found.op, found.line) == ("detached", "numpy", line)
    assert found.fix.startswith(fix)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("    z = tf.reduce_sum(c)", "detached"),
        ("    with tape.stop_recording():\n        z = tf.reduce_sum(c)", "tape-unwatched"),
        ("    pass\nz = tf.reduce_sum(c)", "tape-unwatched"),
    ],
)
def test_only_a_line_outside_the_block_is_told_to_move_into_it(body: str, rule: str) -> None:
    text = f"c = tf.ones(1)\nw = tf.Variable([1.0])\nwith tf.GradientTape() as tape:\n{body}\ntape.gradient(z, w)\n"
    trace = FakeTrace(HEAD + text)
    w, z = trace.tensor((1,)), trace.tensor(())
    trace.op("reduce_sum", "tf.reduce_sum(c)", (trace.tensor((1,)),), z)
    missing(trace, "target", w, z, variable=True, first_op=-1)

    found = only(trace)

    assert found.rule == rule
    assert ("into the with block" in found.fix) == (rule == "tape-unwatched")


BETWEEN = {
    "in one line": ("    n = np.maximum(h.numpy(), 0)\n", "h.numpy()", "    n = tf.maximum(h, 0)"),
    "an axis of numpy's": ("    n = np.sum(h.numpy(), axis=1)\n", "h.numpy()", "    n = tf.reduce_sum(h, axis=1)"),
    "an array of another type": ("    n = np.maximum(h.numpy(), floor)\n", "h.numpy()", ""),
    "by itself": ("    n = h.numpy()\n", "h.numpy()", ""),
}


def between(line: str, out: str, use: str) -> FakeTrace:
    """A source, numbers taken from what came of it, and a target that hangs on the tape by another variable."""
    text = f"import numpy as np\nwith tf.GradientTape() as tape:\n    h = x @ w\n{line}    y = {use}\n"
    trace = FakeTrace(HEAD + text + "g, k = tape.gradient(y, [w, v])\n")
    w, v = trace.tensor((2, 2), grad=True), trace.tensor((2, 1), grad=True)
    h, y = trace.tensor((1, 2), grad=True), trace.tensor((1, 1), grad=True)
    trace.op("tf.matmul", "x @ w", (trace.tensor((1, 2)), w), h)
    numpy = trace.op("numpy", out, (h,), flags=OP_LEAVES_GRAPH)
    trace.op("tf.matmul", use, (trace.tensor((1, 2)), v), y)
    missing(trace, "unconnected", w, y, exits=[numpy.number], sources=2, name="first.kernel")
    return trace


@pytest.mark.parametrize("name", BETWEEN)
def test_numpy_between_two_variables_is_told_where_it_was_called(name: str) -> None:
    line, out, mended = BETWEEN[name]

    found = only(between(line, out, "n @ v"))

    assert (found.rule, found.severity, found.op, found.line) == ("detached", "error", "numpy", 5)
    assert "first.kernel" in found.message
    assert [each.new for each in found.changes] == ([(mended,)] if mended else [])
    assert mended or found.fix.startswith("Compute y from h itself")


def test_numbers_that_are_only_shown_are_no_cause() -> None:
    trace = between("    print(h.numpy())\n", "h.numpy()", "u @ v")

    (found,) = diagnose(trace)

    assert (found.rule, found.severity) == ("unused-input", "note")


@pytest.mark.parametrize("helper", ["np.maximum(a.numpy(), 0)", "a.numpy()"])
def test_numbers_that_a_function_returns_are_followed_to_its_call(helper: str) -> None:
    text = f"import numpy as np\ndef act(a):\n    return {helper}\nwith tf.GradientTape() as tape:\n"
    trace = FakeTrace(HEAD + text + "    h = x @ w\n    n = act(h)\n    y = n @ v\ntape.gradient(y, [w, v])\n")
    w, v = trace.tensor((2, 2), grad=True), trace.tensor((2, 1), grad=True)
    h, y = trace.tensor((1, 2), grad=True), trace.tensor((1, 1), grad=True)
    trace.op("tf.matmul", "x @ w", (trace.tensor((1, 2)), w), h)
    numpy = trace.op("numpy", "a.numpy()", (h,), flags=OP_LEAVES_GRAPH)
    trace.replace_stack(numpy, trace.at("a.numpy()") + trace.at("act(h)"))
    trace.op("tf.matmul", "n @ v", (trace.tensor((1, 2)), v), y)
    missing(trace, "unconnected", w, y, exits=[numpy.number], sources=2)

    found = only(trace)

    assert (found.rule, found.op, found.line) == ("detached", "numpy", 4)


@pytest.mark.parametrize(
    ("reason", "again", "rule"),
    [("unconnected", False, "detached"), ("target", False, "detached"), ("unconnected", True, "unused-input")],
)
def test_what_a_variable_was_assigned_leads_back_no_further(reason: str, again: bool, rule: str) -> None:
    body = "    s.assign(w * 3)\n" + ("    s.assign(one)\n" if again else "") + "    y = s * s\n"
    trace = FakeTrace(HEAD + "with tf.GradientTape() as tape:\n" + body + "tape.gradient(y, w)\n")
    w, s, three = (trace.tensor((), grad=True) for _ in range(3))
    held, y = trace.tensor((), grad=reason == "unconnected"), trace.tensor((), grad=reason == "unconnected")
    trace.op("tf.multiply", "w * 3", (w,), three)
    trace.op("tf.Variable.assign", "s.assign(w * 3)", (s, three))
    if again:
        trace.op("tf.Variable.assign", "s.assign(one)", (s, trace.tensor(())))
    trace.op("tf.Variable.read_value", "s * s", (s,), held)
    trace.op("tf.multiply", "s * s", (held, held), y)
    missing(trace, reason, w, y, variable=True, first_op=-1)

    found = only(trace)

    assert found.rule == rule
    if not again:
        assert (found.line, found.op) == (3, "tf.Variable.assign")
        assert found.fix == "Compute y from w * 3 itself, and change s after the with block."
