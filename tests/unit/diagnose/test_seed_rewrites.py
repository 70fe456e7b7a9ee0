"""What of a seed's fix gradviz can try: the kind of rewrite, the call and the output that are meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import SeedRewrite
from gradviz.diagnose.parcel import packed, unpacked
from gradviz.trace import model
from tests.unit.diagnose.fake_trace import FakeTrace
from tests.unit.diagnose.test_seed_rules import refused

Shape = tuple[int, ...]
# name -> the call, root's shape, seed's shape (None: not given), further fields, kind, output, the fix's beginning
CASES: dict[str, tuple[str, Shape, Shape | None, dict[str, object], str, int, str]] = {
    "a scalar's seed": ("out.backward(torch.ones(3))", (), (3,), {}, "none", -1, "out.backward()"),
    "another shape": ("y.backward(torch.ones(4))", (3,), (4,), {}, "ones", 0, "y.backward(torch.ones_like(y))"),
    "as many entries": ("y.backward(w)", (3, 1), (3,), {}, "reshape", 0, "y.backward(w.reshape(y.shape))"),
    "as many, unnamed": ("y.backward(f(w))", (3, 1), (3,), {}, "ones", 0, "y.backward(torch.ones_like(y))"),
    "one that broadcasts": ("y.backward(w)", (4, 2), (1,), {}, "expand", 0, "y.backward(w.expand_as(y))"),
    "a stack, to grad": (
        "torch.autograd.grad(y, x, eye)", (3,), (3, 3), {"entry": "grad"}, "batched", -1,
        "torch.autograd.grad(y, x, eye, is_grads_batched=True)",
    ),
    "a stack, to backward": ("y.backward(rows)", (3,), (4, 3), {}, "rows", -1, "for row in rows"),
    "no stack": (
        "torch.autograd.grad(y, x, v, is_grads_batched=True)", (4, 2), (4, 2), {"entry": "grad", "batched": True},
        "unbatched", -1, "torch.autograd.grad(y, x, v)",
    ),
    "none for several entries": ("y.backward()", (3,), None, {}, "ones", -1, "y.sum().backward()"),
    "none for a loss": ("loss.backward()", (3,), None, {}, "mean", -1, "loss.mean().backward()"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_fix_is_a_rewrite_of_the_seed(name: str) -> None:
    # GIVEN a call that was refused
    call, root, seed, fields, kind, output, fix = CASES[name]
    trace = FakeTrace(f"import torch\n{call}\n")
    out = trace.tensor(root, grad=True)
    given = () if seed is None else (trace.tensor(seed),)
    # WHEN
    found = refused(trace, call, out, "Mismatch in shape", *given, **fields)
    # THEN the rewrite does what the fix says, at the call's place
    assert found.fix.startswith(fix)
    function = "grad" if fields.get("entry") == "grad" else "backward"
    frame = trace.passes()[0].stack[0]
    assert found.rewrite == SeedRewrite(kind, 0, function, frame.file, 2, frame.column, output)


def test_seeds_that_are_too_few_are_made_for_all() -> None:
    trace = FakeTrace("torch.autograd.backward([a, b], [s])\n")
    a, b, s = trace.tensor((3,), grad=True), trace.tensor((), grad=True), trace.tensor((3,))
    port = model.Port(-1, 0, b.number, b.spec, True)
    call = "torch.autograd.backward([a, b], [s])"
    error = trace.error("RuntimeError", "got 2 tensors and 1 gradients", call, "backward", pass_id=0)
    one = trace.backward(call, a, outcome="refused", seeds=(model.Seed(s.number, s.spec),), exception=error.id)
    trace.add_node(one, "MulBackward0", (3,))
    whole = trace.passes()
    trace.passes = lambda: tuple(replace(each, roots=(*each.roots, port)) for each in whole)  # type: ignore[method-assign]  # a second output

    (found,) = diagnose(trace)

    assert found.rule == "seed-count-mismatch"
    assert found.rewrite is not None and (found.rewrite.kind, found.rewrite.output) == ("ones", -1)


def test_a_complex_output_of_several_entries_is_not_tried() -> None:
    # GIVEN its written fix, a sum, is complex again: ones would complete where it doesn't
    trace = FakeTrace("y.backward()\n")
    y = trace.tensor((3,), grad=True)
    y = replace(y, spec=replace(y.spec, dtype="complex64"))

    found = refused(trace, "y.backward()", y, "grad can be implicitly created only for real scalar outputs")

    assert found.rule == "implicit-non-scalar" and found.rewrite is None


@pytest.mark.parametrize(
    ("root", "seed", "fix"),
    [("float32", "complex64", "y.backward(w.real)"), ("complex64", "float32", "y.backward(w.to(y.dtype))")],
)
def test_a_complex_seed_for_a_real_output_and_back(root: str, seed: str, fix: str) -> None:
    trace = FakeTrace("y.backward(w)\n")
    y, w = trace.tensor((3,), grad=True), trace.tensor((3,))
    y, w = replace(y, spec=replace(y.spec, dtype=root)), replace(w, spec=replace(w.spec, dtype=seed))

    found = refused(trace, "y.backward(w)", y, "For complex Tensors, both", w)

    assert (found.rule, found.severity, found.fix) == ("dtype-mismatch", "error", fix)
    assert (found.expected_shape, found.received_shape) == (root, seed)
    assert found.changes[0].new == (fix,)
    assert found.rewrite is not None and (found.rewrite.kind, found.rewrite.output) == ("cast", 0)


def test_a_rewrite_survives_the_way_between_processes() -> None:
    trace = FakeTrace("y.backward()\n")
    found = refused(trace, "y.backward()", trace.tensor((3,), grad=True), "only for scalar outputs")
    assert unpacked(packed([found])) == (found,) and found.rewrite is not None
