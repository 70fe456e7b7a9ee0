"""Errors that come out of gradient(): tape-consumed, seeds, custom gradients; and seeds stretched in silence."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call, replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding, Mark
from gradviz.diagnose.rules import tape_custom
from gradviz.diagnose.rules.seeds import option_finding
from gradviz.diagnose.source import Code
from gradviz.diagnose.tape_calls import ENTRY, TapeCall, binding, made_place, tape_call, tape_maker
from gradviz.diagnose.vocabulary import shown
from gradviz.trace import model

FRAMEWORK = "tensorflow"  # what the recorder puts into an exception's detail


def explain(exam: Examination, error: model.ExceptionInfo, backward: model.Backward | None) -> Finding | None:
    """The finding for an error that came out of gradient(); None where the usual rules know better."""
    if error.detail.get("framework") != FRAMEWORK or backward is None or backward.entry != ENTRY:
        return None
    if error.detail.get("tape") == "consumed":
        return _consumed(exam, error, backward)
    if backward.outcome == "completed":
        return None
    return _seed(exam, backward, error) or tape_custom.raised_in(exam, backward, error)


def silent(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    """A seed of another shape that went through: it was stretched."""
    if backward.entry == ENTRY and backward.outcome == "completed":
        found = _seed(exam, backward, None)
        if found is not None:
            yield found


def _consumed(exam: Examination, error: model.ExceptionInfo, backward: model.Backward) -> Finding:
    case, called = exam.case, tape_call(exam.case, backward)
    place = made_place(case, error.detail.get("made")) or called.place
    code = case.code(place.file)
    maker = tape_maker(code, place)
    used = error.detail.get("used")
    node = _shared_node(case, backward)
    made = case.node_op(node) if node is not None else None
    new = "with tf.GradientTape(persistent=True) as tape:"
    changes: tuple[Change, ...] = ()
    if code is not None and maker is not None:
        inside = code.text(maker)[:-1].rstrip(", ")
        text = f"{inside}{'' if inside.endswith('(') else ', '}persistent=True)"
        changes = replacement(code, code.place(maker), text)
        new = changes[0].new[0].strip() if changes else text
    return exam.writer.write(
        "tape-consumed",
        "error",
        place,
        "tape-consumed",
        {
            "tape": called.tape,
            "used": used[1] if isinstance(used, list) and len(used) == 2 else "?",
            "call": called.place.line,
            "new": new,
        },
        node=node.name if node is not None else "",
        op=shown(made.name) if made is not None else "",
        marks=(Mark("node", node.index),) if node is not None else (),
        pass_id=backward.id,
        symptom_line=called.place.line,
        changes=changes,
        **raised_at_call(error, backward.stack),
    )


def _shared_node(case: Case, backward: model.Backward) -> model.Node | None:
    """The first node of this pass that an earlier pass used up."""
    used: set[int] = set()
    for earlier in case.passes:
        if earlier.id < backward.id and earlier.entry == ENTRY and earlier.outcome == "completed":
            used.update(int(op) for op in case.trace.graph(earlier.id).op)
    used.discard(-1)
    for index in range(backward.nodes):
        node = case.node(backward.id, index)
        if node.op in used:
            return node
    return case.node(backward.id, 0) if backward.nodes else None


def _seed(exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None) -> Finding | None:
    for index, (port, seed) in enumerate(zip(backward.roots, backward.seeds)):
        if seed is None or seed.spec.shape == port.spec.shape or port.node < 0:
            continue
        if error is None and not seed.spec.shape:
            continue  # one number for all entries: stretched on purpose
        return _seed_finding(exam, backward, index, error)
    return None


def _seed_finding(
    exam: Examination, backward: model.Backward, index: int, error: model.ExceptionInfo | None
) -> Finding:
    case, called = exam.case, tape_call(exam.case, backward)
    port, seed = backward.roots[index], backward.seeds[index]
    assert seed is not None
    node = case.node(backward.id, port.node)
    op = case.node_op(node)
    root = called.target(index)
    code = called.code
    bound = binding(code, called.seed)
    place = called.place
    new = f"output_gradients=tf.ones_like({root})"
    if code is not None and called.seed is not None:
        place = code.place(bound if bound is not None else called.seed)
    changes = _seed_changes(code, called, root) if len(backward.roots) == 1 else ()
    expected, received = port.spec.shape, seed.spec.shape
    if backward.phase == "offered":
        return option_finding(exam, backward, port, received)
    more = raised_at_call(error, backward.stack) if error is not None else {}
    return exam.writer.write(
        "seed-shape-mismatch",
        "error" if error is not None else "warning",
        place,
        "tape-seed",
        {"root": root, "expected": shapes.text(expected), "received": shapes.text(received), "new": new},
        node=node.name,
        op=shown(op.name) if op is not None else "",
        pass_id=backward.id,
        expected_shape=expected,
        received_shape=received,
        symptom_line=called.place.line,
        marks=(Mark("seed", port.node, port.slot, -1, expected, received, shapes.differing(expected, received)),),
        changes=changes,
        **more,
    )


def _seed_changes(code: Code | None, called: TapeCall, root: str) -> tuple[Change, ...]:
    if code is None or called.seed is None or root == called.general("the-target"):
        return ()
    return replacement(code, code.place(called.seed), f"tf.ones_like({root})")
