"""Which rule explains an error: by where it arose, then by what the recording holds of that place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.customs import is_custom
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.marking import at_node
from gradviz.diagnose.rules import (
    crash,
    custom,
    cut,
    forward,
    hips,
    hooks,
    inplace,
    leaf_shape,
    nonfinite,
    optimisers,
    refused,
    reuse,
    seed_cast,
    seed_type,
    seeds,
    startup,
    tape,
    unused,
)
from gradviz.diagnose.rules.forward_kind import forward_rule, memory
from gradviz.diagnose.vocabulary import shown
from gradviz.trace import model

# The last is how torch.utils.checkpoint ends a forward that it repeats, once it has what it needs.
_ENDS = {"SystemExit", "KeyboardInterrupt", "GeneratorExit", "StopIteration", "_StopRecomputationError"}


MOST_PASSES = 20  # that one error is looked at in


def explain(exam: Examination, error: model.ExceptionInfo) -> Iterator[Finding]:
    """The findings for one error, one for each pass that it came out of; none for those that are a way of ending."""
    if error.type.rpartition(".")[2] in _ENDS or _is_question(exam, error):
        return
    passes = _passes_of(exam, error)
    where: list[model.Backward | None] = [*passes[-MOST_PASSES:]]
    for backward in where or [None]:
        found = _explain(exam, error, backward)
        if error.caught:
            severity = "warning" if backward is not None else "note"
            found = dataclasses.replace(found, severity=severity, confidence=0.6)
        yield found


def _is_question(exam: Examination, error: model.ExceptionInfo) -> bool:
    """C code asks whether something is a whole number by `__index__`, and takes the error for a no."""
    op = exam.case.op_by_number.get(error.op) if error.op is not None else None
    return error.caught and op is not None and op.name == "__index__"


def _passes_of(exam: Examination, error: model.ExceptionInfo) -> list[model.Backward]:
    """The passes that an error came out of; of nested ones the innermost. Equal errors, all caught, may be one row."""
    own = [p for p in exam.case.passes if p.exception == error.id or p.id == error.pass_id]
    own = [p for p in own if not _partial(p)]
    outer = {p.parent for p in own}
    return [p for p in own if p.id not in outer]


def _partial(backward: model.Backward) -> bool:
    """Whether this is no pass that ran, but the graph that stood when a forward call raised."""
    return backward.entry == "engine" and backward.outcome == "refused"


def _explain(exam: Examination, error: model.ExceptionInfo, backward: model.Backward | None) -> Finding:
    found = startup.find(exam, error)
    if found is not None:
        return found
    if hips.is_hips(error):
        found = hips.explain(exam, error, backward)
        if found is not None:
            return found
    found = tape.explain(exam, error, backward)
    if found is not None:
        return found
    if backward is not None and backward.outcome != "completed":
        return _in_pass(exam, backward, error)
    return _in_forward(exam, error)


def _in_pass(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding:
    if backward.outcome == "refused" or (backward.failed_node is None and not backward.steps):
        return _refused(exam, backward, error)
    index = backward.failed_node
    node = exam.case.node(backward.id, index) if index is not None and 0 <= index < backward.nodes else None
    found = hooks.raised_by_hook(exam, backward, node, error) or leaf_shape.in_pass(exam, backward, node, error)
    if found is None and node is not None:
        found = _at_node(exam, backward, node, error)
    if found is None and optimisers.CHECKPOINT.search(error.type + error.message):
        found = optimisers.checkpoint(exam, backward, error)
    return found or _other_in_pass(exam, backward, node, error)


def _refused(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding:
    found = seed_type.find(exam, backward, error) or seeds.find(exam, backward) or seed_cast.refused(exam, backward)
    if found is not None:
        return found
    if cut.NO_GRAPH.search(error.message) or (
        backward.roots and not any(port.requires_grad for port in backward.roots)
    ):
        return cut.no_graph(exam, backward, error)
    if unused.UNUSED.search(error.message):
        return unused.unused_input(exam, backward, error)
    return crash.uncaught(exam, error, pass_id=backward.id)


def _at_node(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo
) -> Finding | None:
    if reuse.FREED.search(error.message):
        return reuse.freed(exam, backward, node, error)
    if inplace.MODIFIED.search(error.message):
        return inplace.modified(exam, backward, node, error)
    if "returned nan values" in error.message:
        return nonfinite.raised_by_anomaly(exam, backward, node, error)
    if memory(error.message, error.type):
        op = exam.case.op_by_number.get(error.op) if error.op is not None else None
        made = exam.case.node_op(node)
        fields = at_node(exam, backward, node) | {"op": shown(made.name) if made is not None else ""}
        return refused.memory(exam, op, error, marks=(Mark("node", node.index),), fields=fields)
    if optimisers.CHECKPOINT.search(error.type + error.message):
        return optimisers.checkpoint(exam, backward, error)
    if unused.UNUSED.search(error.message):
        return unused.unused_input(exam, backward, error)
    if is_custom(node) or "once_differentiable" in error.message:
        return custom.raised_in(exam, backward, node, error)
    return None


def _other_in_pass(
    exam: Examination, backward: model.Backward, node: model.Node | None, error: model.ExceptionInfo
) -> Finding:
    """An error inside a pass that no rule of the engine explains: a call of the person's own code, or a node's own."""
    op = exam.case.op_by_number.get(error.op) if error.op is not None else None
    if op is not None and op.stack:
        return _by_kind(exam, op, error)
    fields: dict[str, object] = {"pass_id": backward.id}
    if node is not None:
        made = exam.case.node_op(node)
        fields |= {
            "node": node.name,
            "op": shown(made.name) if made is not None else "",
            "marks": (Mark("node", node.index),),
        }
    return crash.uncaught(exam, error, **(fields | raised_at_call(error, backward.stack)))


def _in_forward(exam: Examination, error: model.ExceptionInfo) -> Finding:
    if optimisers.SPARSE.search(error.message):
        return optimisers.sparse(exam, error)
    op = exam.case.op_by_number.get(error.op) if error.op is not None else None
    return _by_kind(exam, op, error)


def _by_kind(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    found = leaf_shape.refused(exam, op, error) or refused.swapped(exam, op, error)
    if found is not None:
        return found
    rule = forward_rule(op, error)
    if rule in ("forward-shape-error", "uncaught-exception"):
        found = leaf_shape.in_forward(exam, op, error)
        if found is not None:
            return found
    if rule == "forward-shape-error":
        return forward.shape_error(exam, op, error)
    if rule == "dtype-mismatch":
        return refused.dtype(exam, op, error)
    if rule == "index-out-of-range":
        return refused.index(exam, op, error)
    if rule == "out-of-memory":
        return refused.memory(exam, op, error)
    if rule == "inplace-on-leaf":
        return inplace.on_leaf(exam, op, error)
    if rule == "inplace-on-view":
        return inplace.on_view(exam, op, error)
    if rule == "detached":
        return cut.conversion(exam, op, error)
    if rule == "hook-on-no-grad":
        return refused.hook_without_grad(exam, op, error)
    if rule == "device" and op is not None:
        return refused.device(exam, op, error)
    return crash.uncaught(exam, error)
