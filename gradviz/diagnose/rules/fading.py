"""zero-gradient and vanishing-gradient: gradients that arrive, but say nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.source import Place
from gradviz.diagnose.vocabulary import plain, shown
from gradviz.trace import model
from gradviz.trace.packing import NODE_LEAF

# Calls that are flat wherever they have a slope at all.
STEPS = frozenset({"round", "floor", "ceil", "sign", "trunc", "heaviside", "floor_divide", "fix", "sgn"})
_SOFTMAX = re.compile(r"(Log)?SoftmaxBackward\d")
REPEATS = 20  # a chain of fewer equal turns doesn't vanish by depth
TINY = 1e-30
FAINT = 1e-20  # of what the chain began with: dead enough where a parameter gets nothing else
STARVED = 1e-15  # of the largest gradient of a parameter


def flat(exam: Examination) -> Iterator[Finding]:
    """A step function between every parameter and the loss: the gradient is there, and exactly zero."""
    case = exam.case
    for backward in case.passes:
        if backward.outcome != "completed" or not backward.steps:
            continue
        zero = _zero_leaves(case, backward)
        if not zero:
            continue
        found = _step_function(case, backward) or _one_entry(case, backward) or _underflow(case, backward)
        if found is not None:
            node, phrase = found
            yield _flat_finding(exam, backward, node, phrase, zero)
            return


def _received_norms(case: Case, backward: model.Backward) -> dict[int, float]:
    """The largest norm that each node received; NaN where none was taken."""
    steps = case.trace.steps(backward.id)
    largest = np.full(len(steps), math.nan)
    some = steps.received_end > steps.received_start
    if some.any():  # what a step received ends where that of the next begins
        largest[some] = np.maximum.reduceat(steps.norm, steps.received_start[some])
    return dict(zip(steps.node.tolist(), largest.tolist()))


def _zero_leaves(case: Case, backward: model.Backward) -> list[str]:
    """Names of the leaves when every leaf of the pass received exactly zero."""
    norms = _received_norms(case, backward)
    graph = case.trace.graph(backward.id)
    leaves = (graph.flags & NODE_LEAF).nonzero()[0].tolist()
    reached = [index for index in leaves if index in norms]
    if not reached or any(norms[index] != 0.0 for index in reached):
        return []
    ids = [int(graph.leaf[index]) for index in reached]
    return [case.leaves[i].name if 0 <= i < len(case.leaves) else "" for i in ids]


def _step_function(case: Case, backward: model.Backward) -> tuple[model.Node, str] | None:
    norms = _received_norms(case, backward)
    for index, norm in norms.items():
        node = case.node(backward.id, index)
        op = case.node_op(node)
        if (
            op is not None
            and plain(op.name) in STEPS
            and norm > 0
            and plain(op.name).split("_")[0] in node.name.lower()
        ):
            return node, "zero-step"
    return None


def _one_entry(case: Case, backward: model.Backward) -> tuple[model.Node, str] | None:
    """A softmax over a dimension of size 1: whatever it is given, its result is 1."""
    norms, links = _received_norms(case, backward), case.links(backward.id)
    for index, norm in norms.items():
        node = case.node(backward.id, index)
        if not norm > 0 or not _SOFTMAX.fullmatch(node.name) or not node.expected or 1 not in node.expected[0].shape:
            continue
        heads = [edge.head for edge in links.out(index)]
        if heads and all(norms.get(head) == 0.0 for head in heads):
            return node, "zero-one-entry" if node.name[0] == "S" else "zero-one-class"
    return None


def _underflow(case: Case, backward: model.Backward) -> tuple[model.Node, str] | None:
    """The first node of half precision that got something and handed on nothing but zeros."""
    norms = _received_norms(case, backward)
    links = case.links(backward.id)
    for index, norm in norms.items():
        node = case.node(backward.id, index)
        if not norm > 0 or not node.expected or node.expected[0].dtype not in ("float16", "bfloat16"):
            continue
        heads = [edge.head for edge in links.out(index)]
        tiny = norm / max(1.0, math.sqrt(float(_entries(node)))) < 1e-3
        if heads and tiny and all(norms.get(head) == 0.0 for head in heads):
            return node, "zero-underflow"
    return None


def _entries(node: model.Node) -> int:
    return math.prod(d for d in node.expected[0].shape if isinstance(d, int))


def _flat_finding(
    exam: Examination, backward: model.Backward, node: model.Node, phrase: str, zero: list[str]
) -> Finding:
    case = exam.case
    op = case.node_op(node)
    place = case.place(op.stack if op is not None else backward.stack)
    if phrase == "zero-underflow":
        place = _half_made(case, backward) or place
    names = [name for name in zero if name]
    return exam.writer.write(
        "zero-gradient",
        "warning" if phrase == "zero-underflow" else "error",
        place,
        phrase,
        {
            "op": shown(op.name) if op is not None else node.name,
            "node": node.name,
            "name": (operand_name(case, op, 0) if op is not None and op.operands else "") or case.words("its-input"),
            "parameters": ", ".join(names[:3]) or case.words("every-leaf"),
            "line": op.stack[0].line if op is not None and op.stack else place.line,
            "dtype": node.expected[0].dtype if node.expected else "",
        },
        pass_id=backward.id,
        step=case.steps_of(backward.id).get(node.index),
        node=node.name,
        op=shown(op.name) if op is not None else "",
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("node", node.index),),
        confidence=0.9,
    )


def _half_made(case: Case, backward: model.Backward) -> Place | None:
    """Where a leaf was made in half precision: the choice that the underflow comes from."""
    leaves = case.trace.graph(backward.id).leaf
    for index in sorted({int(i) for i in leaves if i >= 0}):
        leaf = case.leaves[index]
        if leaf.spec.dtype in ("float16", "bfloat16") and leaf.stack:
            return case.place(leaf.stack)
    return None


def vanishing(exam: Examination) -> Iterator[Finding]:
    """A long chain of equal turns in which the gradient dies out: it starts with a size and ends as nothing."""
    case = exam.case
    for backward in case.passes:
        if backward.outcome != "completed" or backward.steps < REPEATS * 2:
            continue
        dying = _dying_chain(case, backward)
        if dying is None:
            continue
        node, phrase = dying
        op = case.node_op(node)
        place = case.place(op.stack if op is not None else backward.stack)
        yield exam.writer.write(
            "vanishing-gradient",
            "warning",
            place,
            phrase,
            {"node": node.name, "line": place.line, "op": shown(op.name) if op is not None else node.name},
            pass_id=backward.id,
            step=case.steps_of(backward.id).get(node.index),
            node=node.name,
            op=shown(op.name) if op is not None else "",
            symptom_line=backward.stack[0].line if backward.stack else None,
            marks=(Mark("node", node.index),),
            confidence=0.8,
        )
        return


def _dying_chain(case: Case, backward: model.Backward) -> tuple[model.Node, str] | None:
    """The node at which the gradient of a repeated line became nothing, having shrunk at each of its turns; and which
    words tell of it: turns with parameters of their own are layers, turns that share them are a recurrence.
    """
    norms = _received_norms(case, backward)
    by_kind: dict[tuple[str, int], list[int]] = {}
    lines: dict[tuple[str, int], list[int]] = {}
    graph = case.trace.graph(backward.id)
    order = case.steps_of(backward.id)
    starved = _starves_a_leaf(case, backward, norms)
    for index in order:
        op = case.op_by_number.get(int(graph.op[index]))
        if op is not None and op.stack:
            key = (f"{int(graph.name[index])}:{op.stack[0].file}", op.stack[0].line)
            by_kind.setdefault(key, []).append(index)
            lines.setdefault((op.stack[0].file, op.stack[0].line), []).append(index)
    for (kind, line), chain in by_kind.items():
        where = (kind.partition(":")[2], line)
        sizes = [norms.get(index, math.nan) for index in chain]
        if len(chain) < REPEATS or not sizes[0] > TINY or any(math.isnan(s) for s in sizes):
            continue
        if not any("mm" in case.trace.string(int(graph.name[i])).lower() for i in lines[where]):
            continue  # a plain average over time is meant to forget
        falling = sum(b <= a * 1.01 for a, b in zip(sizes, sizes[1:]))
        nothing = max(TINY, FAINT * sizes[0]) if starved else TINY
        dead = next((i for i, size in enumerate(sizes) if size < nothing), None)
        if dead is not None and dead >= REPEATS // 2 and falling >= 0.95 * (len(sizes) - 1) and sizes[-1] < nothing:
            return case.node(backward.id, chain[dead]), "vanishing-depth" if starved else "vanishing"
    return None


def _starves_a_leaf(case: Case, backward: model.Backward, norms: dict[int, float]) -> bool:
    """Whether, of many parameters, one's whole gradient is next to nothing beside another's: one that all turns share
    gets enough from the last of them, and to forget the first ones is what such a net is meant to do.
    """
    leaf = case.trace.graph(backward.id).leaf
    received: dict[int, float] = {}
    for index in (leaf >= 0).nonzero()[0].tolist():
        norm = norms.get(index, math.nan)
        if not math.isnan(norm):
            received[int(leaf[index])] = max(received.get(int(leaf[index]), 0.0), norm)
    return len(received) >= REPEATS and min(received.values()) < STARVED * max(received.values())
