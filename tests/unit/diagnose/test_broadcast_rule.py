"""Silent broadcasts: what is mutual, what was meant, and what is made of the result."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LEAF
from tests.unit.diagnose.fake_trace import FakeTrace, Shape

TEXT = """\
pred = model(X)
y = load()
err = pred - y
loss = err.pow(2).mean()
loss.backward()
"""


def squared_error(trace: FakeTrace, pred: model.Value, y: model.Value, result: Shape) -> None:
    """pred - y, squared and averaged, and run backward."""
    err, square, loss = trace.tensor(result, grad=True), trace.tensor(result, grad=True), trace.tensor((), grad=True)
    sub = trace.op("sub", "pred - y", (pred, y), err)
    trace.op("pow", "err.pow(2)", (err,), square)
    trace.op("mean", "err.pow(2).mean()", (square,), loss)
    one = trace.backward("loss.backward()", loss)
    trace.add_step(one, trace.add_node(one, "MeanBackward0", ()))
    trace.add_step(one, trace.add_node(one, "SubBackward0", result, op=sub))


def test_a_column_less_a_vector_is_found() -> None:
    trace = FakeTrace(TEXT)
    pred, y = trace.tensor((20, 1), grad=True), trace.tensor((20,))
    trace.op("linear", "model(X)", (trace.tensor((20, 3)),), pred)

    squared_error(trace, pred, y, (20, 20))
    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.line, found.node) == ("silent-broadcast", "error", 3, "SubBackward0")
    assert (found.expected_shape, found.received_shape, found.result_shape) == ((20, 1), (20,), (20, 20))
    assert found.title == "pred - y broadcasts to [20, 20]"
    assert "400 entries instead of 20" in found.message
    assert found.changes[0].new == ("err = pred.squeeze(1) - y",)
    pred_row, y_row = found.operands
    assert (pred_row.name, pred_row.stretched, pred_row.added, pred_row.line) == ("pred", (-1,), (), 1)
    assert (y_row.name, y_row.stretched, y_row.added) == ("y", (), (-2,))


@pytest.mark.parametrize(("first", "second", "result"), [((20, 3), (3,), (20, 3)), ((20, 1), (20, 1), (20, 1))])
def test_one_side_stretched_is_plain_broadcasting(first: Shape, second: Shape, result: Shape) -> None:
    trace = FakeTrace(TEXT)

    squared_error(trace, trace.tensor(first, grad=True), trace.tensor(second), result)

    assert diagnose(trace) == ()


def test_two_weights_may_make_a_table() -> None:
    trace = FakeTrace("table = rows + columns\ntable.sum().backward()\n")
    rows, columns = (trace.tensor(shape, grad=True, flags=VALUE_LEAF) for shape in ((20, 1), (20,)))
    table = trace.tensor((20, 20), grad=True)
    trace.op("add", "rows + columns", (rows, columns), table)
    trace.op("sum", "table.sum()", (table,), trace.tensor((), grad=True))

    assert [f.severity for f in diagnose(trace)] == ["note"]


def test_two_leaves_that_are_compared_may_not() -> None:
    trace = FakeTrace(TEXT)
    pred, y = (trace.tensor(shape, grad=True, flags=VALUE_LEAF) for shape in ((20, 1), (20,)))

    squared_error(trace, pred, y, (20, 20))

    assert [f.severity for f in diagnose(trace)] == ["error"]


def test_other_sizes_are_no_accident() -> None:
    trace = FakeTrace(TEXT)

    squared_error(trace, trace.tensor((20, 1), grad=True), trace.tensor((7,)), (20, 7))

    assert diagnose(trace) == ()


def test_a_value_against_itself_is_meant() -> None:
    trace = FakeTrace(TEXT)
    x, column = trace.tensor((5,), grad=True), trace.tensor((5, 1), grad=True)
    trace.op("unsqueeze", "model(X)", (x,), column)

    squared_error(trace, column, x, (5, 5))

    assert diagnose(trace) == ()


def test_a_dimension_put_there_on_purpose_is_a_note_where_the_table_is_used_as_one() -> None:
    trace = FakeTrace("d = a[:, None] - b\nd.min(dim=1)\n")
    a, b, column, d = (trace.tensor(s, grad=True) for s in ((6, 3), (6, 3), (6, 1, 3), (6, 6, 3)))
    trace.op("__getitem__", "a[:, None]", (a,), column, index=":, None")
    trace.op("sub", "a[:, None] - b", (column, b), d)
    trace.op("min", "d.min(dim=1)", (d,), trace.tensor((6, 3), grad=True), dim=1)

    assert [f.severity for f in diagnose(trace)] == ["note"]


def test_a_mask_may_not_enlarge_what_it_selects_from() -> None:
    trace = FakeTrace("kept = nll * mask\nkept.sum()\n")
    nll, small = trace.tensor((4, 4), grad=True), trace.tensor((4, 4), dtype="bool")
    mask, kept = trace.tensor((4, 1, 4)), trace.tensor((4, 4, 4), grad=True)
    trace.op("unsqueeze", "mask", (small,), mask)
    trace.op("mul", "nll * mask", (nll, mask), kept)
    trace.op("sum", "kept.sum()", (kept,), trace.tensor((), grad=True))

    (found,) = diagnose(trace)

    assert (found.rule, found.severity) == ("silent-broadcast", "error")
    assert "mask" in found.title.lower()
    assert found.fix == "kept = nll * mask.squeeze(1)"


def test_a_paired_loss_never_means_it() -> None:
    trace = FakeTrace("loss = mse(net(x), y)\n")
    p, y, loss = trace.tensor((8, 1), grad=True), trace.tensor((5,)), trace.tensor((), grad=True)
    trace.op("mse_loss", "mse(net(x), y)", (p, y), loss)

    (found,) = diagnose(trace)

    assert (found.rule, found.severity, found.op) == ("silent-broadcast", "error", "mse_loss")
    assert "40 comparisons" in found.message


def test_what_comes_of_it_is_not_told_again() -> None:
    trace = FakeTrace("s = a + b\nt = s - c\nt.mean()\n")
    a, b, c = trace.tensor((4, 1), grad=True), trace.tensor((4,), grad=True), trace.tensor((4,))
    s, t = trace.tensor((4, 4), grad=True), trace.tensor((4, 4), grad=True)
    trace.op("add", "a + b", (a, b), s)
    trace.op("sub", "s - c", (s, c), t)
    trace.op("mean", "t.mean()", (t,), trace.tensor((), grad=True))

    assert [f.line for f in diagnose(trace)] == [1]


def test_its_consequence_is_folded_under_it() -> None:
    trace = FakeTrace(TEXT.replace(".mean()", ""))
    pred, y, err = trace.tensor((4, 1), grad=True), trace.tensor((4,)), trace.tensor((4, 4), grad=True)
    trace.op("sub", "pred - y", (pred, y), err)
    error = trace.error(
        "RuntimeError",
        "grad can be implicitly created only for scalar outputs",
        "loss.backward()",
        "backward",
        pass_id=0,
    )
    one = trace.backward("loss.backward()", err, outcome="refused", exception=error.id)
    trace.add_node(one, "PowBackward0", (4, 4))

    (found,) = diagnose(trace)

    assert found.rule == "silent-broadcast"
    assert len(found.effects) == 1
    assert "[4, 4]" in found.effects[0]
