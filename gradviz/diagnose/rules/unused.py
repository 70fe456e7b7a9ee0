"""unused-input: asking for a gradient that the graph doesn't lead to."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose.ancestry import as_cut
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.calls import pass_call, root_text
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.naming import operand_name, value_name
from gradviz.diagnose.rules.cut_fix import as_written, mend, mended
from gradviz.diagnose.vocabulary import plain, shown
from gradviz.trace import model

UNUSED = re.compile(r"appears to not have been used in the graph|differentiated Tensors? .* does not require grad")
_POSITION = re.compile(r"at index (\d+)")


def unused_input(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding:
    """The finding for an input that the output does not depend on."""
    case, called = exam.case, pass_call(exam.case, backward)
    match = _POSITION.search(error.message)
    index = int(match.group(1)) if match is not None else 0
    port = backward.inputs[index] if index < len(backward.inputs) else None
    name = _input_name(case, backward, index)
    place, phrase, op = called.place, "unused-input", None
    original = ""
    if port is not None:
        cut = next((user for user in case.users(port.value) if as_cut(user) is not None), None)
        maker = case.producer(port.value)
        if cut is not None:
            place, phrase, op = case.place(cut.stack), "unused-input-cut", cut
        elif maker is not None and maker.operands and maker.stack:
            place, phrase, op = case.place(maker.stack), "unused-input-copy", maker
            original = operand_name(case, maker, 0) or value_name(case, maker.operands[0].number)
    root = root_text(case, called, backward, 0) if backward.roots else case.words("the-output")
    new = mend(case, op, name) if phrase == "unused-input-cut" and op is not None else original or name
    if phrase == "unused-input-copy":
        new = case.words("differentiate-by", name=original or case.words("the-tensor-itself"))
    elif phrase == "unused-input":
        new = case.words("use-in", name=name, root=root)
    node = _node_of(case, op)
    return exam.writer.write(
        "unused-input",
        "error",
        place,
        phrase,
        {
            "root": root,
            "name": name,
            "line": place.line,
            "op": as_written(case, op)
            if phrase == "unused-input-cut" and op is not None
            else shown(op.name)
            if op is not None
            else "",
            "original": original or case.words("another-tensor"),
            "new": new,
        },
        node=node,
        op=shown(op.name) if op is not None else "",
        changes=mended(case, op) if phrase == "unused-input-cut" and op is not None else (),
        pass_id=backward.id,
        symptom_line=backward.stack[0].line if backward.stack else None,
        **raised_at_call(error, backward.stack),
    )


def _node_of(case: Case, op: model.Op | None) -> str:
    """The name that torch gives the node of a call which no pass ever visited."""
    if op is None or as_cut(op) is not None or not op.results:
        return ""
    return "".join(part.capitalize() for part in plain(op.name).split("_")) + "Backward0"


def _input_name(case: Case, backward: model.Backward, index: int) -> str:
    called = pass_call(case, backward)
    argument = called.call.argument(1, "inputs") if called.call is not None else None
    if called.code is not None and argument is not None:
        parts = argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument]
        if index < len(parts) and (len(parts) > 1 or len(backward.inputs) == 1):
            return called.code.short(parts[index]) or case.words("the-input")
    name = value_name(case, backward.inputs[index].value) if index < len(backward.inputs) else ""
    return name or case.words("the-input")
