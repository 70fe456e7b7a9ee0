"""detached without an error: parameters that get no gradient because a number or array took the place of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose.ancestry import Cut, as_cut, leaves_behind
from gradviz.diagnose.bridges import Exit, exits
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.modules import leaf_label
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules import constant_term
from gradviz.diagnose.rules.comeback import Comebacks, Entry, feeds_parameters
from gradviz.diagnose.rules.cut import is_idle, switched_off
from gradviz.diagnose.rules.cut_fix import as_written, mend, mended
from gradviz.diagnose.rules.trained import kept_by_hand, optimised_names, owner, stepped_values
from gradviz.diagnose.vocabulary import COMPARISONS, COPIERS, plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_REQUIRES_GRAD


def find(exam: Examination) -> Iterator[Finding]:
    """For each way out of torch whose value comes back into a loss, while what is behind it is never trained.

    `.detach()` alone is the person's own word that no gradient is wanted, and is left alone; a number or an array that
    comes back into the loss is hardly ever meant so. Where an optimiser was seen to step, only what it was given is
    meant to be trained: the rest are teachers, target networks and features of what was trained before.
    """
    case = exam.case
    if any(p.outcome != "completed" for p in case.passes):
        return
    idle = {leaf.value: leaf for leaf in case.leaves if is_idle(leaf)}
    stepped = stepped_values(case)
    if stepped:
        idle = {value: leaf for value, leaf in idle.items() if value in stepped and not kept_by_hand(case, leaf)}
    back = Comebacks(case)
    told = False
    for way in exits(case, each_caller=bool(stepped)) if idle else ():
        behind = leaves_behind(case, way.op.operands[0].number, way.op.number) & set(idle)
        taken = back.of_number(way, beyond=bool(stepped)) if behind else None
        if taken is not None:
            entry, op = taken
            severity = "note" if stepped and back.is_target(op) else "error"
            yield _finding(exam, way, [idle[value] for value in sorted(behind)], entry, severity)
            told = told or severity == "error"
    if not told:
        yield from constant_term.find(exam, back)


def _finding(exam: Examination, way: Exit, leaves: list[model.Leaf], entry: Entry, severity: str) -> Finding:
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
        severity,
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
        **entry.fields(case),
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
    surely isn't, and where trained layers work on it or the cut is a slip; elsewhere a note says it. Nothing is said
    where an optimiser was seen to step, with other parameters only, and the cut is plainly wanted: by no_grad, or of a
    value that is compared with and not worked on.
    """
    case = exam.case
    idle = [leaf for leaf in case.leaves if is_idle(leaf)]
    if not idle or any(p.outcome != "completed" for p in case.passes) or not case.passes:
        return
    stepped = stepped_values(case)
    handed = optimised_names(case)
    trained = set() if stepped else handed
    back = Comebacks(case)
    found: dict[int, tuple[Cut, list[model.Leaf]]] = {}
    for leaf in idle:
        cut = _first_cut_below(case, leaf.value)
        if cut is not None:
            found.setdefault(cut.op.number, (cut, []))[1].append(leaf)
    told: set[tuple[str, int]] = set()
    for cut, leaves in found.values():
        place = case.place(cut.op.stack)
        entry = back.behind(cut.op)
        if entry is None or (place.file, place.line) in told:
            continue
        told.add((place.file, place.line))
        asked = any(leaf.value in stepped or owner(case, leaf) in trained for leaf in leaves)
        worked_on = feeds_parameters(case, cut.op)
        left_out = bool(stepped) and not asked and not any(owner(case, leaf) in handed for leaf in leaves)
        if left_out and (cut.no_grad or not worked_on):
            continue
        meant = any(kept_by_hand(case, leaf) for leaf in leaves) or not (worked_on or _is_slip(case, cut, back))
        yield _cut_finding(exam, cut, leaves, entry, "error" if asked and not meant else "note")


def _is_slip(case: Case, cut: Cut, back: Comebacks) -> bool:
    """Whether a cut is hardly ever meant: tensors that are copied as if they were numbers, or the numbers of a
    parameter itself, where the pass works on them. What is compared with something is a target.
    """
    copied = plain(cut.op.name) in COPIERS
    itself = plain(cut.op.name) in ("data", "detach") and cut.value.number in case.leaf_by_value
    return (copied or itself) and not cut.no_grad and not back.is_target(cut.op)


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
        **entry.fields(case),
        expected_shape=f"{leaf_label(case, first) or 'a parameter'}.grad {list(first.spec.shape)}",
        received_shape="None",
        confidence=0.7,
    )
