"""non-finite-gradient: the first node that was given finite gradients and handed on NaN or infinity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.frameworks import own_fix
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules.masked_rows import masked_softmax
from gradviz.diagnose.rules.nonfinite_spread import Spread
from gradviz.diagnose.tape_roots import mended_root
from gradviz.diagnose.vocabulary import plain, shown
from gradviz.trace import model
from gradviz.trace.graph import PassSteps
from gradviz.trace.packing import NODE_CAPTURED, NODE_LEAF

# Calls whose slope is infinite or undefined somewhere; the second word picks the sentence that says where.
SINGULAR = {
    "sqrt": "root",
    "rsqrt": "root",
    "norm": "norm",
    "vector_norm": "norm",
    "linalg_vector_norm": "norm",
    "linalg_norm": "norm",
    "cdist": "norm",
    "dist": "norm",
    "pairwise_distance": "norm",
    "std": "norm",
    "log": "log",
    "log2": "log",
    "log10": "log",
    "log1p": "log",
    "xlogy": "log",
    "logit": "log",
    "acos": "acos",
    "asin": "acos",
    "atanh": "acos",
    "acosh": "acos",
    "div": "div",
    "reciprocal": "div",
    "pow": "pow",
    "exp": "exp",
    "expm1": "exp",
    "exp2": "exp",
    "sinh": "exp",
    "cosh": "exp",
    "linalg_eigh": "eigen",
    "linalg_eig": "eigen",
    "linalg_svd": "eigen",
    "svd": "eigen",
    "atan2": "div",
    "tan": "div",
    "softmax": "softmax",
    "log_softmax": "softmax",
    "logsumexp": "softmax",
    "cosine_similarity": "norm",
    "normalize": "norm",
    "euclidean_norm": "norm",
    "linalg_inv": "div",
    "linalg_solve": "div",
    "inverse": "div",
}
_BY_NODE = {
    "SqrtBackward": "root",
    "RsqrtBackward": "root",
    "NormBackward": "norm",
    "LinalgVectorNormBackward": "norm",
    "CdistBackward": "norm",
    "StdBackward": "norm",
    "LogBackward": "log",
    "Log2Backward": "log",
    "Log10Backward": "log",
    "Log1PBackward": "log",
    "AcosBackward": "acos",
    "AsinBackward": "acos",
    "DivBackward": "div",
    "ReciprocalBackward": "div",
    "PowBackward": "pow",
    "ExpBackward": "exp",
    "LinalgEighBackward": "eigen",
    "LinalgSvdBackward": "eigen",
    "SelfAdjointEigV": "eigen",
}
# Hand on what they were given, or parts of it: never the first to make a number infinite.
_HARMLESS = (
    "Add",
    "Sub",
    "Neg",
    "View",
    "Reshape",
    "Unsafe",
    "Expand",
    "Sum",
    "Mean",
    "Where",
    "Slice",
    "Select",
    "T",
    "Transpose",
    "Permute",
    "Cat",
    "Stack",
    "Squeeze",
    "Unsqueeze",
    "Index",
    "Clone",
    "Unbind",
    "Split",
    "Relu",
    "Alias",
    "Copy",
)


_MOST_EFFECTS = 3


@dataclass(frozen=True)
class Suspect:
    """A node with finite gradients in that hands on some that aren't."""

    node: model.Node
    step: int
    target: int  # node that received the first bad gradient
    slot: int
    nans: int
    infs: int
    kind: str  # a key of SINGULAR's sentences, "" where nothing is known against it
    shown_by: model.Node | None = None  # whose gradient first showed what `node` had made in the forward pass


def find(exam: Examination) -> Iterator[Finding]:
    """One finding for each line at which it begins; the passes that it spread to are its effects."""
    case = exam.case
    if _scaled(case):
        return
    spread = Spread(case)
    told: list[Finding] = []
    for backward in case.passes:
        suspect = first_bad(case, backward)
        if suspect is None:
            continue
        found = _finding(exam, backward, suspect)
        lines = {(each.file, each.line) for each in told}
        reached = spread.reaches(backward)  # asked of every pass, in order
        if (found.file, found.line) not in lines:  # the same line once more is no news
            if told and reached:
                told[-1] = _with_effect(told[-1], found)
            else:
                told.append(found)
        spread.add(backward, suspect.node, _bad_nodes(case.trace.steps(backward.id)))
    yield from told


def _with_effect(cause: Finding, effect: Finding) -> Finding:
    """The cause, with what shows further on at another line."""
    if effect.message in cause.effects or len(cause.effects) >= _MOST_EFFECTS:
        return cause
    return replace(cause, effects=(*cause.effects, effect.message))


def _scaled(case: Case) -> bool:
    """Gradient scaling looks for infinities itself and skips the step: they are part of its way of working."""
    return any(op.name.startswith("_amp_") for op in case.ops)


def first_bad(case: Case, backward: model.Backward) -> Suspect | None:
    steps = case.trace.steps(backward.id)
    if not len(steps) or not backward.steps:
        return None
    finite = _finite_received(steps)
    if finite.all():
        return None
    order = {int(node): number for number, node in enumerate(steps.node)}
    bad_steps = [int(n) for n in (~finite).nonzero()[0]]
    if not _reaches_end(case, backward, _bad_nodes(steps)):
        return None
    links = case.links(backward.id)
    for number in bad_steps:
        suspects = []
        for edge in links.into(int(steps.node[number])):
            tail_step = order.get(edge.tail)
            if tail_step is None or not finite[tail_step]:
                continue
            node = case.node(backward.id, edge.tail)
            low = int(steps.received_start[number]) + edge.slot
            suspects.append(
                Suspect(
                    node, tail_step, edge.head, edge.slot, int(steps.nans[low]), int(steps.infs[low]), _kind(case, node)
                )
            )
        if suspects:
            return _traced_back(case, backward, order, _worst(suspects))
    return None


def _traced_back(case: Case, backward: model.Backward, order: dict[int, int], found: Suspect) -> Suspect:
    """The softmax that made the NaN in the forward pass, where it was one; else what was found."""
    softmax = masked_softmax(case, backward, found.node, found.kind) if found.nans > 0 else None
    if softmax is None:
        return found
    return replace(found, node=softmax, step=order.get(softmax.index, found.step), kind="softmax", shown_by=found.node)


def _bad_nodes(steps: PassSteps) -> list[int]:
    """Those that received NaN or infinity, in the order in which they ran."""
    return [int(node) for node in steps.node[~_finite_received(steps)]]


def _finite_received(steps: PassSteps) -> np.ndarray:
    """For each step whether every gradient it received is finite."""
    bad = (steps.nans > 0) | (steps.infs > 0)
    total = np.concatenate([[0], np.cumsum(bad)])
    return np.asarray(total[steps.received_end] - total[steps.received_start] == 0)


def _reaches_end(case: Case, backward: model.Backward, bad_nodes: list[int]) -> bool:
    """Whether NaN or infinity arrived at a leaf or an input: one that a hook mended on the way harms nobody."""
    flags = case.trace.graph(backward.id).flags
    if any(int(flags[n]) & (NODE_LEAF | NODE_CAPTURED) for n in bad_nodes):
        return True
    return bool(backward.inputs)


def _kind(case: Case, node: model.Node) -> str:
    op = case.node_op(node)
    stem = node.name.rstrip("0123456789")
    if stem in _BY_NODE:
        return _BY_NODE[stem]
    kind = SINGULAR.get(plain(op.name), "") if op is not None else ""
    return kind if kind and plain(op.name if op else "").replace("_", "") in node.name.lower() else ""


def _worst(suspects: list[Suspect]) -> Suspect:
    """The likeliest: a call with a singular slope, plain arithmetic last; of equals the one that ran first."""

    def rank(one: Suspect) -> tuple[int, int]:
        weak = {"exp": 1, "pow": 1, "div": 1}.get(one.kind, 0)
        known = weak if one.kind else (3 if one.node.name.startswith(_HARMLESS) else 2)
        return known, one.step

    return min(suspects, key=rank)


def _finding(exam: Examination, backward: model.Backward, found: Suspect) -> Finding:
    case, node = exam.case, found.node
    op = case.node_op(node)
    place = case.place(op.stack if op is not None else backward.stack)
    name = (operand_name(case, op, 0) if op is not None and op.operands else "") or case.words("its-input")
    code = case.code(place.file)
    expression = code.short(case.op_expression(op)) if code is not None and op is not None else ""
    mended = mended_root(case, node)
    kind = "norm" if mended else found.kind
    phrase = f"non-finite-{kind}" if kind else "non-finite"
    shown_by = found.shown_by or node
    if found.shown_by is not None:
        phrase = "non-finite-masked"
    what = "NaN" if found.nans > 0 else "infinity"
    second = (operand_name(case, op, 1) if op is not None and len(op.operands) > 1 else "") or case.words("the-divisor")
    target = case.node(backward.id, found.target)
    parts: dict[str, object] = {
        "node": node.name,
        "op": shown(op.name) if op is not None else node.name,
        "name": name,
        "second": second,
        "expression": expression or (shown(op.name) if op is not None else node.name),
        "what": what,
        "line": place.line,
        "target": target.name,
        "shown_by": shown_by.name,
    }
    return exam.writer.write(
        "non-finite-gradient",
        "error",
        place,
        phrase,
        parts,
        **({"fix": mended} if mended else own_fix(case, op, phrase, parts)),
        pass_id=backward.id,
        step=found.step,
        node=node.name,
        op=shown(op.name) if op is not None else "",
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("edge", found.target, found.slot, shown_by.index, "finite", what), Mark("node", node.index)),
    )


def raised_by_anomaly(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo
) -> Finding:
    """Anomaly mode raised at this node."""
    op = exam.case.node_op(node)
    kind = _kind(exam.case, node)
    step = exam.case.steps_of(backward.id).get(node.index, 0)
    suspect = Suspect(node, step, node.index, 0, 1, 0, kind if op is not None else "")
    return _finding(exam, backward, suspect)
