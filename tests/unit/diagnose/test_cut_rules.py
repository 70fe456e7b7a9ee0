"""Outputs that hang on nothing, parameters that get nothing, and gradients of gradients."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding, Mark
from gradviz.trace import model
from gradviz.trace.packing import (
    OP_FACTORY,
    OP_IN_PLACE,
    OP_LEAVES_GRAPH,
    OP_NO_GRAD,
    VALUE_LIST_ITEM,
    VALUE_PARAMETER,
)
from tests.unit.diagnose.fake_trace import FakeTrace

REFUSED = "element 0 of tensors does not require grad and does not have a grad_fn"


def refused(trace: FakeTrace, part: str, root: model.Value, message: str = REFUSED, **fields: object) -> Finding:
    error = trace.error("RuntimeError", message, part, "backward", pass_id=len(trace.passes()))
    trace.backward(part, root, outcome="refused", exception=error.id, **fields)
    found = [f for f in diagnose(trace) if f.severity != "note"]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("call", "name", "words"),
    [
        ("z.detach()", "detach", "detach"),
        ("z > 0.5", "gt", "comparison"),
        ("z.argmax(1)", "argmax", "index"),
        ("z.data", "data", ".data"),
    ],
)
def test_the_cut_is_found_behind_the_output(call: str, name: str, words: str) -> None:
    trace = FakeTrace(f"h = {call}\nloss = h.mean()\nloss.backward()\n")
    z, h, loss = trace.tensor((4, 3), grad=True), trace.tensor((4,)), trace.tensor(())
    trace.op(name, call, (z,), h, flags=OP_LEAVES_GRAPH)
    trace.op("mean", "h.mean()", (h,), loss)

    found = refused(trace, "loss.backward()", loss)

    assert (found.rule, found.line, found.op, found.raised_line) == ("detached", 1, name, 3)
    assert words in (found.title + found.message).lower()
    assert "loss" in found.message


def test_a_number_is_followed_through_the_text() -> None:
    trace = FakeTrace("a = z.item()\nloss = torch.tensor(a * 2)\nloss.backward()\n")
    z, loss = trace.tensor((), grad=True), trace.tensor(())
    trace.op("item", "z.item()", (z,), (), flags=OP_LEAVES_GRAPH)
    trace.op("tensor", "torch.tensor(a * 2)", (), loss, flags=OP_FACTORY)

    found = refused(trace, "loss.backward()", loss)

    assert (found.rule, found.line, found.op) == ("detached", 1, "item")


def test_gradients_switched_off_are_told_at_the_with() -> None:
    trace = FakeTrace("with torch.no_grad():\n    loss = net(x).mean()\nloss.backward()\n")
    w, loss = trace.tensor((3,), grad=True), trace.tensor(())
    trace.op("mean", "net(x).mean()", (w,), loss, flags=OP_NO_GRAD)

    found = refused(trace, "loss.backward()", loss)

    assert (found.rule, found.line) == ("detached", 1)
    assert "torch.no_grad()" in found.message


def test_frozen_parameters_are_told_where_they_were_frozen() -> None:
    trace = FakeTrace("for p in net.parameters():\n    p.requires_grad = False\nloss = net(x)\nloss.backward()\n")
    w, loss = trace.tensor((3,), flags=VALUE_PARAMETER), trace.tensor(())
    trace.leaf(w, "weight", "parameter", in_graph=False, requires_grad=False)
    trace.op("requires_grad", "p.requires_grad", (w,), (), value=False)
    trace.op("linear", "net(x)", (w,), loss)

    found = refused(trace, "loss.backward()", loss)

    assert (found.rule, found.line, found.op) == ("detached", 2, "requires_grad")
    assert "weight" in found.message


def test_nothing_that_asks_for_a_gradient() -> None:
    trace = FakeTrace("x = torch.ones(3)\nloss = x.sum()\nloss.backward()\n")
    x, loss = trace.tensor((3,)), trace.tensor(())
    trace.op("ones", "torch.ones(3)", (), x, flags=OP_FACTORY)
    trace.op("sum", "x.sum()", (x,), loss)

    found = refused(trace, "loss.backward()", loss)

    assert (found.rule, found.line) == ("detached", 1)
    assert found.fix.startswith("x.requires_grad_()")


def gradient_of(trace: FakeTrace, create: bool) -> model.Value:
    """A recorded call of autograd.grad and its pass."""
    x, y, g = trace.tensor((3,), grad=True), trace.tensor((), grad=True), trace.tensor((3,))
    trace.op("grad", "torch.autograd.grad(y, x)", (y, x), g)
    port = model.Port(0, 0, x.number, x.spec, True)
    one = trace.backward("torch.autograd.grad(y, x)", y, entry="grad", create_graph=create, inputs=(port,))
    trace.add_node(one, "MulBackward0", ())
    return g


def test_a_gradient_without_a_graph_is_told_at_its_call() -> None:
    trace = FakeTrace("(g,) = torch.autograd.grad(y, x)\np = g.norm()\np.backward()\n")
    g, p = gradient_of(trace, create=False), trace.tensor(())
    trace.op("norm", "g.norm()", (g,), p)

    found = refused(trace, "p.backward()", p)

    assert (found.rule, found.line) == ("missing-create-graph", 1)
    assert found.fix == "torch.autograd.grad(y, x, create_graph=True)"


def test_a_constant_derivative_is_a_warning() -> None:
    trace = FakeTrace("(g,) = torch.autograd.grad(y, x)\ng.backward()\n")
    g = gradient_of(trace, create=True)

    found = refused(trace, "g.backward()", g)

    assert (found.rule, found.severity) == ("constant-derivative", "warning")


@pytest.mark.parametrize(("name", "loud"), [("add", True), ("mul", False)])
def test_a_penalty_is_added_a_weight_is_multiplied(name: str, loud: bool) -> None:
    trace = FakeTrace("(g,) = torch.autograd.grad(y, x)\np = g.norm()\nloss = a + p\nloss.backward()\n")
    g, p, a, loss = (
        gradient_of(trace, create=False),
        trace.tensor(()),
        trace.tensor((), grad=True),
        trace.tensor((), grad=True),
    )
    trace.op("norm", "g.norm()", (g,), p)
    op = trace.op(name, "a + p", (a, p), loss)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "AddBackward0", (), op=op))

    assert [f.rule for f in diagnose(trace)] == (["missing-create-graph"] if loud else [])


def test_an_input_that_was_detached_is_told_there() -> None:
    trace = FakeTrace("moved = x + noise.detach()\ntorch.autograd.grad(loss, noise)\n")
    noise, cut, loss = trace.tensor((3,), grad=True), trace.tensor((3,)), trace.tensor((), grad=True)
    trace.op("detach", "noise.detach()", (noise,), cut, flags=OP_LEAVES_GRAPH)
    message = "The differentiated Tensor at index 0 appears to not have been used in the graph."
    port = model.Port(-1, 0, noise.number, noise.spec, True)

    found = refused(trace, "torch.autograd.grad(loss, noise)", loss, message, entry="grad", inputs=(port,))

    assert (found.rule, found.line, found.fix) == ("unused-input", 1, "moved = x + noise")


def round_trip(text: str, *, detach_only: bool, head_trained: bool = True) -> tuple[Finding, ...]:
    """enc is cut off, head works on what is left; nothing is raised."""
    trace = FakeTrace(text)
    w, v = (trace.tensor((3,), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    h, cut, loss = trace.tensor((3,), grad=True), trace.tensor((3,)), trace.tensor((), grad=True)
    trace.leaf(w, "enc", "parameter", in_graph=False)
    trace.leaf(v, "head", "parameter", grad_spec=v.spec)
    trace.op("linear", "enc(x)", (w,), h)
    if detach_only:
        trace.op("detach", "h.detach()", (h,), cut, flags=OP_LEAVES_GRAPH)
    else:
        trace.op("tolist", "h.tolist()", (h,), (), flags=OP_LEAVES_GRAPH)
        trace.op("tensor", "torch.tensor(z)", (), cut, flags=OP_FACTORY)
    operands = (cut, v) if head_trained else (cut, trace.tensor((3,), grad=True))
    op = trace.op("linear", "head(z)", operands, loss)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "AddmmBackward0", (), op=op))
    return diagnose(trace)


def test_a_list_in_place_of_a_tensor_starves_what_is_behind_it() -> None:
    text = "h = enc(x)\nz = h.tolist()\nz = torch.tensor(z)\nloss = head(z)\nloss.backward()\n"

    (found,) = round_trip(text, detach_only=False)

    assert (found.rule, found.severity, found.line) == ("detached", "error", 2)
    assert "enc" in found.message
    assert (found.step, found.marks) == (0, (Mark("node", 0),))  # head, which works on what was cut off


@pytest.mark.parametrize(
    ("optimiser", "head_trained", "severity"),
    [("SGD([enc, head])", True, "error"), ("SGD([head])", True, "note"), ("SGD([enc, head])", False, "note")],
)
def test_a_plain_detach_is_loud_only_where_training_was_asked_for(
    optimiser: str, head_trained: bool, severity: str
) -> None:
    text = f"opt = {optimiser}\nh = enc(x)\nz = h.detach()\nloss = head(z)\nloss.backward()\n"

    (found,) = round_trip(text, detach_only=True, head_trained=head_trained)

    assert (found.rule, found.severity, found.line) == ("detached", severity, 3)
    assert found.marks == (Mark("node", 0),)


TARGETS = """\
opt = SGD(q)
other = SGD({handed})
with torch.no_grad():
    f = tgt(x)
t = f.detach()
loss = mse({loss})
loss.backward()
opt.step()
"""


def target_network(
    *, no_grad: bool, worked_on: bool = False, stepped: str = "q", handed: str = "q"
) -> tuple[Finding, ...]:
    """A network's result is taken without its graph: as a target, or for q to work on."""
    trace = FakeTrace(TARGETS.format(handed=handed, loss="q, t" if worked_on else "y, t"))
    q, tgt = (trace.tensor((3,), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    f, t, y = trace.tensor((3,), grad=not no_grad), trace.tensor((3,)), trace.tensor((3,), grad=True)
    loss = trace.tensor((), grad=True)
    trace.leaf(tgt, "tgt", "parameter", in_graph=False)
    trace.leaf(q, "q", "parameter", grad_spec=q.spec)
    trace.op("linear", "tgt(x)", (tgt,), f, flags=OP_NO_GRAD if no_grad else 0)
    trace.op("detach", "f.detach()", (f,), t, flags=OP_LEAVES_GRAPH)
    op = trace.op("mse_loss", "mse(", (q if worked_on else y, t), loss)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "MseLossBackward0", (), op=op))
    if stepped:
        given = {"q": (q,), "both": (q, tgt)}[stepped]
        trace.op("SGD.step", "opt.step()", given, given)
    return diagnose(trace)


@pytest.mark.parametrize(("no_grad", "worked_on"), [(True, False), (True, True), (False, False)])
def test_a_network_that_no_optimiser_trains_is_left_out_on_purpose(no_grad: bool, worked_on: bool) -> None:
    assert target_network(no_grad=no_grad, worked_on=worked_on) == ()


@pytest.mark.parametrize(
    ("no_grad", "worked_on", "stepped", "handed", "severity"),
    [
        (True, True, "both", "q", "error"),  # stepped with, and never trained
        (True, False, "both", "q", "note"),
        (True, True, "q", "tgt", "note"),  # handed to an optimiser that never stepped
        (True, True, "", "q", "note"),  # nothing tells what is trained
        (False, True, "q", "q", "note"),  # detach() in the middle of what is trained
    ],
)
def test_a_network_that_was_to_be_trained_is_told(
    no_grad: bool, worked_on: bool, stepped: str, handed: str, severity: str
) -> None:
    (found,) = target_network(no_grad=no_grad, worked_on=worked_on, stepped=stepped, handed=handed)

    assert (found.rule, found.severity, found.line) == ("detached", severity, 3 if no_grad else 5)


TEACHER = """\
soft = torch.tensor(tgt(x).tolist())
loss = {use}
loss.backward()
opt.step()
"""


def teacher(use: str, name: str, stepped: str) -> tuple[Finding, ...]:
    """The numbers of one network come back into another's loss; `stepped` says what the optimiser was given."""
    trace = FakeTrace(TEACHER.format(use=use))
    q, tgt = (trace.tensor((3,), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    f, soft, y = trace.tensor((3,), grad=True), trace.tensor((3,)), trace.tensor((3,), grad=True)
    trace.leaf(tgt, "tgt", "parameter", in_graph=False)
    trace.leaf(q, "q", "parameter", grad_spec=q.spec)
    trace.op("linear", "tgt(x)", (tgt,), f)
    trace.op("tolist", "tgt(x).tolist()", (f,), (), flags=OP_LEAVES_GRAPH)
    trace.op("tensor", "torch.tensor(tgt(x).tolist())", (), soft, flags=OP_FACTORY)
    trace.op("linear", use.partition("(")[2].partition(",")[0], (q,), y)
    loss = trace.tensor((), grad=True)
    op = trace.op(name, use, (y, soft), loss)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "LossBackward0", (), op=op))
    given = {"": (), "student": (q,), "both": (q, tgt)}[stepped]
    if given:
        trace.op("Adam.step", "opt.step()", given, given)
    return diagnose(trace)


@pytest.mark.parametrize(
    ("name", "stepped", "severity"),
    [
        ("kl_div", "student", None),  # a teacher
        ("mul", "student", None),
        ("kl_div", "both", "note"),  # a target network, handed over with the rest
        ("mul", "both", "error"),
        ("kl_div", "", "error"),  # nothing tells what is trained
    ],
)
def test_numbers_of_what_no_optimiser_was_given_are_meant(name: str, stepped: str, severity: str | None) -> None:
    found = teacher(f"{name}(qx, soft)", name, stepped)

    assert [(one.rule, one.severity, one.line) for one in found] == ([("detached", severity, 1)] if severity else [])


HELPER = """\
def kl(lv):
    return float(lv.mean())
def both(lv):
    k = float(lv.sum())
    return lv, k
term = mse(o) + 0.1 * kl(z)
h, number = both(z)
loss = term + number
loss.backward()
opt.step()
"""


def helper(exit_at: str, called: str, taken: str, *, stepped: bool = True) -> tuple[Finding, ...]:
    """A number leaves torch in a function, and comes back in the statement of its caller."""
    trace = FakeTrace(HELPER)
    w, v = (trace.tensor((3,), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    lv, mean, o, loss = (trace.tensor(shape, grad=True) for shape in ((3,), (), (), ()))
    trace.leaf(w, "lv.weight", "parameter", in_graph=False)
    trace.leaf(v, "dec", "parameter", grad_spec=v.spec)
    trace.op("linear", "", (w,), lv)
    trace.op("linear", "mse(o)", (v,), o)
    trace.op("mean", "lv.mean()", (lv,), mean)
    left = trace.op("__float__", exit_at, (mean,), (), flags=OP_LEAVES_GRAPH)
    name = "kl" if called.startswith("kl") else "both"
    trace.replace_stack(left, (replace(left.stack[0], function=name), *trace.at(called)))
    op = trace.op("add", taken, (o,), loss, other=0.25)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "AddBackward0", (), op=op))
    given = (w, v) if stepped else (v,)
    trace.op("Adam.step", "opt.step()", given, given)
    return diagnose(trace)


@pytest.mark.parametrize(
    ("exit_at", "called", "taken", "line", "fix"),
    [
        ("float(lv.mean())", "kl(z)", "mse(o) + 0.1 * kl(z)", 2, "return lv.mean()"),
        ("float(lv.sum())", "both(z)", "term + number", 4, "k = lv.sum()"),
    ],
)
def test_a_number_is_followed_to_those_who_called(exit_at: str, called: str, taken: str, line: int, fix: str) -> None:
    found = helper(exit_at, called, taken)

    assert [(one.rule, one.severity, one.line, one.fix) for one in found] == [("detached", "error", line, fix)]
    assert "lv.weight" in found[0].message


def test_only_the_returned_part_is_followed() -> None:
    assert helper("float(lv.sum())", "both(z)", "mse(o)") == ()


def test_a_number_of_what_is_not_trained_may_be_added() -> None:
    assert helper("float(lv.mean())", "kl(z)", "mse(o) + 0.1 * kl(z)", stepped=False) == ()


OF_A_PARAMETER = """\
score = emb(u) / {cut}
loss = bce(score)
loss.backward()
opt.step()
ema(temp)
"""


@pytest.mark.parametrize(
    ("name", "by_hand", "severity"),
    [("div", False, "error"), ("mse_loss", False, "note"), ("div", True, "note")],
)
def test_a_parameter_whose_only_use_is_cut(name: str, by_hand: bool, severity: str) -> None:
    trace = FakeTrace(OF_A_PARAMETER.format(cut="temp.data"))
    temp, emb = (trace.tensor((), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    number, rows, score = trace.tensor(()), trace.tensor((3,), grad=True), trace.tensor((3,), grad=True)
    trace.leaf(temp, "temp", "parameter", in_graph=False)
    trace.leaf(emb, "emb", "parameter", grad_spec=emb.spec)
    trace.op("embedding", "emb(u)", (emb,), rows)
    trace.op("data", "temp.data", (temp,), number, flags=OP_LEAVES_GRAPH)
    op = trace.op(name, "emb(u) / temp.data", (rows, number), score)
    one = trace.backward("loss.backward()", score)
    trace.add_step(one, trace.add_node(one, "DivBackward0", (3,), op=op))
    trace.op("SGD.step", "opt.step()", (temp, emb), (emb,))
    if by_hand:
        trace.op("mul_", "ema(temp)", (temp,), temp, flags=OP_IN_PLACE | OP_NO_GRAD)

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line) == ("detached", severity, 1)


@pytest.mark.parametrize(("name", "severity"), [("mul", "error"), ("smooth_l1_loss", "note")])
def test_tensors_copied_as_numbers_are_no_targets_where_they_are_worked_on(name: str, severity: str) -> None:
    trace = FakeTrace("outs = torch.tensor([[m(x)], [m(y)]])\nloss = w * outs\nloss.backward()\nopt.step()\n")
    m, v = (trace.tensor((), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    items = [trace.tensor((), grad=True, flags=VALUE_LIST_ITEM) for _ in range(2)]
    outs, w, loss = trace.tensor((2, 1)), trace.tensor((2, 1), grad=True), trace.tensor((2, 1), grad=True)
    trace.leaf(m, "m", "parameter", in_graph=False)
    trace.leaf(v, "v", "parameter", grad_spec=v.spec)
    for item, part in zip(items, ("m(x)", "m(y)")):
        trace.op("linear", part, (m,), item)
    trace.op("tensor", "torch.tensor([[m(x)], [m(y)]])", items, outs, flags=OP_LEAVES_GRAPH)
    trace.op("linear", "", (v,), w)
    op = trace.op(name, "w * outs", (w, outs), loss)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "MulBackward0", (2, 1), op=op))
    trace.op("SGD.step", "opt.step()", (m, v), (v,))

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line) == ("detached", severity, 1)
    assert severity == "note" or found.fix == "outs = torch.stack([torch.stack([m(x)]), torch.stack([m(y)])])"


PENALTY = """\
p = w.abs().sum()
loss = mse(y) {sum}
total = loss{more}
total.backward()
opt.step()
"""


def penalty(term: str, more: str = "", made: str = "mul", given: str = "all") -> tuple[Finding, ...]:
    """A sum of weights is taken as a number, and used in what is differentiated."""
    trace = FakeTrace(PENALTY.format(sum=term, more=more))
    w, v = (trace.tensor((), grad=True, flags=VALUE_PARAMETER) for _ in range(2))
    p, y, loss, total = (trace.tensor((), grad=True) for _ in range(4))
    trace.leaf(w, "w", "parameter", grad_spec=w.spec)
    trace.leaf(v, "v", "parameter", grad_spec=v.spec)
    trace.op("sum", "w.abs().sum()", (w,), p)
    trace.op("linear", "mse(y)", (w, v), y)
    trace.op("item", "p.item()", (p,), (), flags=OP_LEAVES_GRAPH)
    ops = [trace.op("mul" if "mse(y) *" in trace.text else "add", f"mse(y) {term}", (y,), loss, other=0.25)]
    if more:
        ops.append(trace.op(made, f"loss{more}", (loss,), total, other=2))
    one = trace.backward("total.backward()", total if more else loss)
    for op in ops:
        trace.add_step(one, trace.add_node(one, "AddBackward0", (), op=op))
    stepped = (w, v) if given == "all" else (v,)
    trace.op("Adam.step", "opt.step()", stepped, stepped)
    return diagnose(trace)


@pytest.mark.parametrize("term", ["+ 1e-3 * p.item()", "+ p.item() / 8", "- 0.1 * p.item()"])
@pytest.mark.parametrize("more", ["", " / 2"])
def test_a_number_that_is_added_trains_nothing(term: str, more: str) -> None:
    (found,) = penalty(term, more)

    assert (found.rule, found.severity, found.line) == ("detached", "warning", 2)
    assert "w" in found.explanation
    assert found.fix.startswith("loss = mse(y) ") and "item" not in found.fix


@pytest.mark.parametrize(
    ("term", "more", "made", "given"),
    [
        ("* p.item()", "", "", "all"),  # a weight
        ("+ 2 ** p.item()", "", "", "all"),
        ("+ p.item()", " ** 2", "pow", "all"),  # what is done with the sum depends on it
        ("+ p.item()", "", "", "others"),  # another network's
    ],
)
def test_a_number_that_may_be_meant_is_quiet(term: str, more: str, made: str, given: str) -> None:
    assert penalty(term, more, made, given) == ()
