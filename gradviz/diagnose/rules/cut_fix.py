"""What is said of a call that cut the graph, and the line without it."""

from __future__ import annotations

from gradviz.diagnose.build import new_line
from gradviz.diagnose.case import Case
from gradviz.diagnose.finding import Change
from gradviz.diagnose.rules.cut_code import uncut
from gradviz.diagnose.vocabulary import COMPARISONS, COPIERS, plain
from gradviz.trace import model


def as_written(case: Case, op: model.Op) -> str:
    """How the person writes the call: `.detach()`, `.data`, `>`."""
    name = plain(op.name)
    if name in COPIERS:
        return f"{name}()"
    signs = {"gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==", "ne": "!="}
    if name in signs:
        return signs[name]
    conversions = {"__float__": "float()", "__int__": "int()", "__index__": "int()", "__bool__": "bool()"}
    conversions |= {"__complex__": "complex()", "__array__": case.words("conversion-to-array")}
    if name in conversions:
        return conversions[name]
    return ".data" if name == "data" else f".{name}()"


def mend(case: Case, op: model.Op, name: str) -> str:
    """The line without the cut, or what to use in its place."""
    kind = plain(op.name)
    if kind in COMPARISONS:
        return "loss = torch.nn.functional.binary_cross_entropy_with_logits(prediction, target)"
    if kind in ("argmax", "argmin"):
        return "loss = torch.nn.functional.cross_entropy(scores, labels)"
    lines = uncut(case, op)
    if not lines:
        return case.words("use-itself", name=name)
    text = ""
    for line in lines:
        if not text:
            text = line.text or case.words("leave-line-out", line=line.number)
        else:
            text = case.words("and-line", first=text, line=line.number, second=line.text)
    return text


def mended(case: Case, op: model.Op) -> tuple[Change, ...]:
    """`mend` as changes, where it is lines of the script without the cut."""
    code = case.code(op.stack[0].file) if op.stack else None
    if code is None or plain(op.name) in (*COMPARISONS, "argmax", "argmin"):
        return ()
    lines = uncut(case, op)
    if not all(line.text for line in lines):
        return ()
    return tuple(change for line in lines for change in new_line(code, line.number, line.text))
