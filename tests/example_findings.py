"""Findings as diagnosis makes them of tests/recordings.py, written out, so that views are tested alone."""

from __future__ import annotations

from gradviz.diagnose.finding import Change, Finding, Mark, Operand
from tests.recordings import BROADCAST_SCRIPT, EIGH_SCRIPT

SEED_MISMATCH = Finding(
    rule="seed-shape-mismatch",
    severity="error",
    file=EIGH_SCRIPT,
    line=18,
    message="out is a scalar, shape [ ]. backward() was given z, shape [164], as its gradient.",
    explanation=(
        "The argument is the gradient with respect to out. It does not choose the variable to differentiate by. "
        "z is an input of this graph, so its gradient lands in z.grad, shape [164]."
    ),
    fix="out.backward()  # then read z.grad",
    title="The seed gradient has the wrong shape",
    column=13,
    end_line=18,
    end_column=14,
    raised_line=18,
    raised_file=EIGH_SCRIPT,
    node="SumBackward0",
    op="sum",
    pass_id=0,
    expected_shape=(),
    received_shape=(164,),
    marks=(Mark("seed", node=0, expected=(), received=(164,), dims=(-1,)),),
    changes=(Change(EIGH_SCRIPT, 18, ("out.backward(z)",), ("out.backward()  # then read z.grad",)),),
)
BROADCAST = Finding(
    rule="silent-broadcast",
    severity="error",
    file=BROADCAST_SCRIPT,
    line=9,
    message="model(X) returns a column, [20, 1]; target is a vector, [20].",
    explanation="Subtracting them compares every prediction with every target: 400 differences instead of 20.",
    fix="pred = model(X).squeeze(1)  # [20]",
    title="pred - target broadcasts to [20, 20]",
    column=7,
    end_line=9,
    end_column=15,
    symptom_line=10,
    node="SubBackward0",
    op="sub",
    pass_id=0,
    step=2,
    expected_shape=(20,),
    received_shape=(20, 20),
    marks=(Mark("node", node=2, received=(20, 20), dims=(-1, -2)),),
    operands=(
        Operand("pred", (20, 1), 3, 9, stretched=(-1,)),
        Operand("target", (20,), -1, 6, added=(-2,)),
    ),
    result_shape=(20, 20),
    changes=(Change(BROADCAST_SCRIPT, 9, ("pred = model(X)",), ("pred = model(X).squeeze(1)  # [20]",)),),
    effects=("loss is the mean of 400 squares, not of 20",),
)
FORWARD = Finding(
    rule="forward-shape-error",
    severity="error",
    file="/home/me/net.py",
    line=3,
    message="linear takes 256 features, but its input has shape [2, 144].",
    explanation="Its last dimension must be in_features, 256.",
    fix="",
    title="The layer was made for another number of features",
    raised_line=3,
    raised_file="/home/me/net.py",
    op="linear",
    pass_id=0,
    expected_shape=(2, 256),
    received_shape=(2, 144),
    marks=(Mark("operand", node=0, expected=(2, 256), received=(2, 144), dims=(-1,)),),
)
