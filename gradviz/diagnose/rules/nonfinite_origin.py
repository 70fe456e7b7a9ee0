"""Where in a pass a gradient became NaN or infinite: the nodes that were given finite ones and handed on others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradviz.diagnose.ancestry import ancestors, leaves_behind
from gradviz.diagnose.case import Case
from gradviz.diagnose.rules.masked_rows import masked_softmax
from gradviz.diagnose.vocabulary import plain
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
# Of these an infinite gradient says that they divided by 0 themselves: with NaN or infinity in they make no infinity.
_POLES = frozenset({"root", "log", "acos", "div", "norm"})
_MOST_OTHERS = 8  # looked at in one pass


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


def first_bad(case: Case, backward: model.Backward) -> Suspect | None:
    steps = case.trace.steps(backward.id)
    if not len(steps) or not backward.steps:
        return None
    finite = _finite_received(steps)
    if finite.all():
        return None
    order = {int(node): number for number, node in enumerate(steps.node)}
    bad_steps = [int(n) for n in (~finite).nonzero()[0]]
    if not _reaches_end(case, backward, bad_nodes(steps)):
        return None
    links = case.links(backward.id)
    for number in bad_steps:
        suspects = []
        for edge in links.into(int(steps.node[number])):
            tail_step = order.get(edge.tail)
            if tail_step is None or not finite[tail_step]:
                continue
            suspects.append(_suspect(case, backward, steps, order, number, edge))
        if suspects:
            return _traced_back(case, backward, order, _worst(suspects))
    return None


def _suspect(
    case: Case, backward: model.Backward, steps: PassSteps, order: dict[int, int], number: int, edge: model.Edge
) -> Suspect:
    """The tail of an edge into step `number`."""
    node = case.node(backward.id, edge.tail)
    low = int(steps.received_start[number]) + edge.slot
    nans, infs = int(steps.nans[low]), int(steps.infs[low])
    return Suspect(node, order[edge.tail], edge.head, edge.slot, nans, infs, kind_of(case, node))


def _traced_back(case: Case, backward: model.Backward, order: dict[int, int], found: Suspect) -> Suspect:
    """The softmax that made the NaN in the forward pass, where it was one; else what was found."""
    softmax = masked_softmax(case, backward, found.node, found.kind) if found.nans > 0 else None
    if softmax is None:
        return found
    return replace(found, node=softmax, step=order.get(softmax.index, found.step), kind="softmax", shown_by=found.node)


def bad_nodes(steps: PassSteps) -> list[int]:
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


def kind_of(case: Case, node: model.Node) -> str:
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


def others(case: Case, backward: model.Backward, first: Suspect) -> Iterator[Suspect]:
    """Further nodes of the pass at which NaN or infinity arose, that aren't known to hand on what came from elsewhere:
    all that goes into their bad gradient's slot was finite, and their slope is singular.
    """
    steps = case.trace.steps(backward.id)
    finite = _finite_received(steps)
    order = {int(node): number for number, node in enumerate(steps.node)}
    links = case.links(backward.id)
    seen = {first.node.index, (first.shown_by or first.node).index}
    for number in (~finite).nonzero()[0].tolist():
        slots: dict[int, list[model.Edge]] = {}
        for edge in links.into(int(steps.node[number])):
            if order.get(edge.tail) is not None:
                slots.setdefault(edge.slot, []).append(edge)
        for slot, edges in slots.items():
            row = int(steps.received_start[number]) + slot
            is_bad = row < int(steps.received_end[number]) and (steps.nans[row] > 0 or steps.infs[row] > 0)
            if not is_bad or not all(finite[order[edge.tail]] for edge in edges):
                continue
            found = _worst([_suspect(case, backward, steps, order, number, edge) for edge in edges])
            if found.kind and found.node.index not in seen:
                seen.add(found.node.index)
                yield found
        if len(seen) > _MOST_OTHERS:
            return


def unrelated(case: Case, one: Suspect, other: Suspect) -> bool:
    """Whether neither can be the other's doing, nor both the doing of something further up."""
    first, second = case.node_op(one.node), case.node_op(other.node)
    if first is None or second is None:
        return False
    above_first, above_second = _above(case, first), _above(case, second)
    if first.number in above_second or second.number in above_first:
        return False
    if all(each.kind in _POLES and each.infs > 0 and each.nans == 0 for each in (one, other)):
        return True
    return not above_first & above_second and not _leaves(case, first) & _leaves(case, second)


def _above(case: Case, op: model.Op) -> set[int]:
    """Numbers of the calls that its operands were computed by."""
    return {each.number for value in op.operands for each in ancestors(case, value.number, op.number)}


def _leaves(case: Case, op: model.Op) -> set[int]:
    return {leaf for value in op.operands for leaf in leaves_behind(case, value.number, op.number)}
