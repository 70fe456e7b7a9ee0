"""detached without an error: parameters that get no gradient because a number or array took the place of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.diagnose.ancestry import Cut, as_cut, leaves_behind
from gradviz.diagnose.bridges import Exit, exits
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.modules import leaf_label, user_codes
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules.cut import is_idle, switched_off
from gradviz.diagnose.rules.cut_fix import as_written, mend, mended
from gradviz.diagnose.source import called_name, names_in
from gradviz.diagnose.vocabulary import COMPARISONS, plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_PARAMETER, VALUE_REQUIRES_GRAD

_OPTIMISERS = frozenset(
    {"SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "ASGD", "LBFGS"}
    | {"SparseAdam", "Muon", "Adafactor"}
)


@dataclass(frozen=True)
class Entry:
    """Where what was cut off comes back: the first node of a pass that works on it."""

    backward: model.Backward
    node: int


def find(exam: Examination) -> Iterator[Finding]:
    """For each way out of torch whose value comes back into a loss, while what is behind it is never trained.

    `.detach()` alone is the person's own word that no gradient is wanted, and is left alone; a number or an array that
    comes back into the loss is hardly ever meant so.
    """
    case = exam.case
    ways_out = exits(case)
    if not ways_out or any(p.outcome != "completed" for p in case.passes):
        return
    idle = {leaf.value: leaf for leaf in case.leaves if is_idle(leaf)}
    for way in ways_out if idle else ():
        behind = leaves_behind(case, way.op.operands[0].number, way.op.number) & set(idle)
        if behind and (taken := comes_back(case, way)) is not None:
            yield _finding(exam, way, [idle[value] for value in sorted(behind)], taken)


def comes_back(case: Case, way: Exit) -> Entry | None:
    """The node of a pass whose call took in what left, or something computed from it."""
    for op in case.ops:
        if op.number <= way.op.number or plain(op.name) in ("item", "numpy", "detach") or not way.feeds(case, op):
            continue
        found = _pass_behind(case, op)
        if found is not None:
            return found
    return None


def _pass_behind(case: Case, op: model.Op) -> Entry | None:
    """Where a call's results lead into a pass."""
    waiting, seen = [op], {op.number}
    while waiting and len(seen) < 500:
        one = waiting.pop(0)
        if any(r.flags & VALUE_REQUIRES_GRAD for r in one.results):
            for backward in case.passes:
                nodes = np.flatnonzero(case.trace.graph(backward.id).op == one.number)
                if len(nodes):
                    return Entry(backward, int(nodes[0]))
        for result in one.results:
            for user in case.users(result.number, one.number) if result.number >= 0 else ():
                if user.number not in seen and not is_step(user):
                    seen.add(user.number)
                    waiting.append(user)
    return None


def _finding(exam: Examination, way: Exit, leaves: list[model.Leaf], entry: Entry) -> Finding:
    case, op = exam.case, way.op
    cut = first_cut(case, op)
    place = case.place(cut.stack)
    names = [leaf_label(case, leaf) for leaf in leaves if leaf.name]
    listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "") or case.words(
        "number-of-parameters", count=len(leaves)
    )
    name = operand_name(case, cut, 0) or case.words("the-value")
    first = leaves[0]
    return exam.writer.write(
        "detached",
        "error",
        place,
        "cut-silent",
        {
            "parameters": listed,
            "op": as_written(case, cut),
            "line": place.line,
            "name": name,
            "new": mend(case, cut, name),
        },
        changes=mended(case, cut),
        op=plain(cut.name).strip("_"),
        **_place_of(case, entry),
        expected_shape=f"{leaf_label(case, first) or 'a parameter'}.grad {list(first.spec.shape)}",
        received_shape="None",
        confidence=0.9,
    )


def first_cut(case: Case, op: model.Op) -> model.Op:
    """The call that took the graph away: a detach before numpy() rather than numpy() itself."""
    if op.operands[0].flags & VALUE_REQUIRES_GRAD:
        return op
    number, before = op.operands[0].number, op.number
    for _ in range(8):
        maker = case.producer(number, before)
        if maker is None or not maker.operands:
            return op
        if maker.operands[0].flags & VALUE_REQUIRES_GRAD:
            return maker
        number, before = maker.operands[0].number, maker.number
    return op


def cut_on_the_way(exam: Examination) -> Iterator[Finding]:
    """Parameters that never get a gradient, since `.detach()` or no_grad stands between them and the loss.

    That may be meant: a target network, a frozen feature extractor. Only where the script hands them to an optimiser it
    surely isn't; elsewhere a note says it. Nothing is said where an optimiser was seen to step, with other parameters
    only, and the cut is plainly wanted: by no_grad, or of a value that is compared with and not worked on.
    """
    case = exam.case
    idle = [leaf for leaf in case.leaves if is_idle(leaf)]
    if not idle or any(p.outcome != "completed" for p in case.passes) or not case.passes:
        return
    stepped = {v.number for op in case.ops if is_step(op) for v in op.operands}
    handed = optimised_names(case)
    trained = set() if stepped else handed
    found: dict[int, tuple[Cut, list[model.Leaf]]] = {}
    for leaf in idle:
        cut = _first_cut_below(case, leaf.value)
        if cut is not None:
            found.setdefault(cut.op.number, (cut, []))[1].append(leaf)
    told: set[tuple[str, int]] = set()
    for cut, leaves in found.values():
        place = case.place(cut.op.stack)
        entry = _pass_behind(case, cut.op)
        if entry is None or (place.file, place.line) in told:
            continue
        told.add((place.file, place.line))
        asked = any(leaf.value in stepped or _owner(case, leaf) in trained for leaf in leaves)
        worked_on = _feeds_parameters(case, cut.op)
        left_out = bool(stepped) and not asked and not any(_owner(case, leaf) in handed for leaf in leaves)
        if left_out and (cut.no_grad or not worked_on):
            continue
        yield _cut_finding(exam, cut, leaves, entry, "error" if asked and worked_on else "note")


def optimised_names(case: Case) -> set[str]:
    """Variables whose parameters the script hands to an optimiser."""
    found: set[str] = set()
    for code in user_codes(case):
        for node in ast.walk(code.tree):
            if isinstance(node, ast.Call) and called_name(node) in _OPTIMISERS and node.args:
                found |= names_in(node.args[0])
    return found


def _owner(case: Case, leaf: model.Leaf) -> str:
    """The variable that holds the outermost module of a parameter, or the leaf itself."""
    modules = case.trace.modules()
    at = leaf.module
    while at is not None and 0 <= at < len(modules):
        if modules[at].root_name:
            return modules[at].root_name or ""
        at = modules[at].parent
    return leaf.name


def _first_cut_below(case: Case, value: int) -> Cut | None:
    waiting, seen = [(value, -1)], {value}
    while waiting and len(seen) < 200:
        number, after = waiting.pop(0)
        for op in case.users(number, after):
            if is_step(op):
                continue
            cut = as_cut(op)
            if cut is not None and not op.results:
                continue  # printed, compared, counted: nothing comes of it
            if cut is not None and plain(op.name) not in COMPARISONS:
                return cut
            for result in op.results:
                if result.number >= 0 and result.number not in seen:
                    seen.add(result.number)
                    waiting.append((result.number, op.number))
    return None


def _feeds_parameters(case: Case, op: model.Op) -> bool:
    """Whether trained layers work on what was cut off; a target that is only compared with is cut off on purpose."""
    waiting, seen = [op], {op.number}
    while waiting and len(seen) < 300:
        one = waiting.pop(0)
        for result in one.results:
            for user in case.users(result.number, one.number) if result.number >= 0 else ():
                if is_step(user):
                    continue
                if any(v.flags & VALUE_PARAMETER and v.flags & VALUE_REQUIRES_GRAD for v in user.operands):
                    return True
                if user.number not in seen:
                    seen.add(user.number)
                    waiting.append(user)
    return False


def _place_of(case: Case, entry: Entry) -> dict[str, Any]:
    """Of a finding: the pass that it shows in, and where the cut value comes into it."""
    backward = entry.backward
    return {
        "pass_id": backward.id,
        "step": case.steps_of(backward.id).get(entry.node),
        "symptom_line": backward.stack[0].line if backward.stack else None,
        "marks": (Mark("node", entry.node),),
    }


def _cut_finding(exam: Examination, cut: Cut, leaves: list[model.Leaf], entry: Entry, severity: str) -> Finding:
    case, op = exam.case, cut.op
    switch = switched_off(case, op.stack) if cut.no_grad else None
    place = switch[0] if switch is not None else case.place(op.stack)
    names = [leaf_label(case, leaf) for leaf in leaves if leaf.name]
    name = operand_name(case, op, cut.operand) or case.words("the-value")
    first = leaves[0]
    return exam.writer.write(
        "detached",
        severity,
        place,
        "cut-silent",
        {
            "parameters": ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            or case.words("number-of-parameters", count=len(leaves)),
            "op": switch[1] if switch is not None else as_written(case, op),
            "line": place.line,
            "name": name,
            "new": case.words("outside-of", name=name, switch=switch[1])
            if switch is not None
            else mend(case, op, name),
        },
        op=plain(op.name).strip("_"),
        **_place_of(case, entry),
        expected_shape=f"{leaf_label(case, first) or 'a parameter'}.grad {list(first.spec.shape)}",
        received_shape="None",
        confidence=0.7,
    )
