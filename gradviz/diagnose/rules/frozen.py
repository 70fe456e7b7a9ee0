"""detached where nothing was cut: what the output was computed from never asked for a gradient, or was frozen."""

from __future__ import annotations

import re

from gradviz.diagnose.ancestry import leaves_behind
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.modules import leaf_label
from gradviz.diagnose.naming import value_name
from gradviz.diagnose.rules.ends import End
from gradviz.diagnose.source import Place
from gradviz.diagnose.vocabulary import COPIERS, plain
from gradviz.trace import model


def nothing_required(exam: Examination, end: End) -> Finding:
    """No cut was found: nothing that the output was computed from asks for a gradient."""
    case = exam.case
    behind = leaves_behind(case, end.value)
    parameters = [leaf for leaf in case.leaves if leaf.value in behind and leaf.kind == "parameter"]
    frozen = _frozen_at(case, behind)
    if frozen is not None:
        place, line = frozen
        names = ", ".join(leaf_label(case, leaf) for leaf in parameters[:3] if leaf.name) or case.words(
            "the-parameters"
        )
        return exam.writer.write(
            "detached",
            end.severity,
            place,
            "cut-frozen",
            {"root": end.name, "names": names, "line": place.line, "text": line},
            op="requires_grad",
            node="",
            **end.fields,
        )
    place, name = _first_made(case, behind, end.stack)
    return exam.writer.write(
        "detached",
        end.severity,
        place,
        "cut-never-required",
        {
            "root": end.name,
            "name": name or case.words("to-differentiate-by"),
            "call": end.stack[0].line if end.stack else "?",
        },
        op="requires_grad",
        **end.fields,
    )


def _frozen_at(case: Case, behind: set[int]) -> tuple[Place, str] | None:
    for op in reversed(case.ops):
        name = plain(op.name)
        if name != "requires_grad" or not any(v.number in behind for v in op.operands):
            continue
        value = op.arguments.get("value", op.arguments.get("requires_grad", op.arguments.get("mode", False)))
        if value in (False, "False") and op.stack:
            place = case.place(op.stack)
            code = case.code(place.file)
            return place, code.line(place.line).strip() if code is not None else ""
    for leaf in case.leaves:
        if leaf.value in behind and leaf.kind == "parameter" and not leaf.requires_grad:
            found = _frozen_in_text(case)
            if found is not None:
                return found
    return None


def _frozen_in_text(case: Case) -> tuple[Place, str] | None:
    code = case.code(case.run.script or case.run.target)
    if code is None:
        return None
    for number, line in enumerate(code.lines, 1):
        if re.search(r"requires_grad\s*=\s*False|requires_grad_\(False\)", line):
            return Place(code.path, number), line.strip()
    return None


def _first_made(case: Case, behind: set[int], stack: model.Stack) -> tuple[Place, str]:
    """Where the floating-point inputs were made; the call of backward where that isn't known."""
    for number in sorted(behind):
        op = case.origin(number)
        floating = op is not None and any(r.spec.dtype.startswith(("float", "bfloat", "complex")) for r in op.results)
        if op is not None and op.stack and floating:
            taken_over = [r.number for one in case.users(number) if plain(one.name) in COPIERS for r in one.results]
            name = next(filter(None, (value_name(case, each) for each in (number, *taken_over))), "")
            if name:
                return case.place(op.stack), name
    return case.place(stack), ""
