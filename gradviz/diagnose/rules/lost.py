"""detached without an error: parameters that get no gradient because a number or array took the place of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose.ancestry import leaves_behind
from gradviz.diagnose.bridges import Exit, exits
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules.cut import mend, shown
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_REQUIRES_GRAD


def find(exam: Examination) -> Iterator[Finding]:
    """For each way out of torch whose value comes back into a loss, while what is behind it is never trained.

    `.detach()` alone is the person's own word that no gradient is wanted, and is left alone; a number or an array that
    comes back into the loss is hardly ever meant so.
    """
    case = exam.case
    ways_out = exits(case)
    if not ways_out or any(p.outcome != "completed" for p in case.passes):
        return
    idle = {
        leaf.value: leaf for leaf in case.leaves if leaf.requires_grad and not leaf.in_graph and leaf.grad_spec is None
    }
    for way in ways_out if idle else ():
        behind = leaves_behind(case, way.op.operands[0].number, way.op.number) & set(idle)
        if behind and (taken := comes_back(case, way)) is not None:
            yield _finding(exam, way, [idle[value] for value in sorted(behind)], taken)


def comes_back(case: Case, way: Exit) -> model.Backward | None:
    """The pass whose graph holds a call that took in what left, or something computed from it."""
    for op in case.ops:
        if op.number <= way.op.number or plain(op.name) in ("item", "numpy", "detach") or not way.feeds(case, op):
            continue
        found = _pass_behind(case, op)
        if found is not None:
            return found
    return None


def _pass_behind(case: Case, op: model.Op) -> model.Backward | None:
    """The pass that a call's results lead into."""
    waiting, seen = [op], {op.number}
    while waiting and len(seen) < 500:
        one = waiting.pop(0)
        if any(r.flags & VALUE_REQUIRES_GRAD for r in one.results):
            for backward in case.passes:
                if bool((case.trace.graph(backward.id).op == one.number).any()):
                    return backward
        for result in one.results:
            for user in case.users(result.number, one.number) if result.number >= 0 else ():
                if user.number not in seen:
                    seen.add(user.number)
                    waiting.append(user)
    return None


def _finding(exam: Examination, way: Exit, leaves: list[model.Leaf], backward: model.Backward) -> Finding:
    case, op = exam.case, way.op
    cut = _first_cut(case, op)
    place = case.place(cut.stack)
    names = [leaf.name for leaf in leaves if leaf.name]
    listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "") or f"{len(leaves)} parameters"
    name = operand_name(case, cut, 0) or "the value"
    first = leaves[0]
    return exam.writer.write(
        "detached",
        "error",
        place,
        "cut-silent",
        {
            "parameters": listed,
            "op": shown(cut),
            "line": place.line,
            "name": name,
            "new": mend(case, cut, name),
        },
        op=plain(cut.name).strip("_"),
        pass_id=backward.id,
        symptom_line=backward.stack[0].line if backward.stack else None,
        expected_shape=f"{first.name or 'a parameter'}.grad {list(first.spec.shape)}",
        received_shape="None",
        confidence=0.9,
    )


def _first_cut(case: Case, op: model.Op) -> model.Op:
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
