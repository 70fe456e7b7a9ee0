"""What is said of a call that cut the graph, and the line without it."""

from __future__ import annotations

import ast

from gradviz.diagnose.build import new_line
from gradviz.diagnose.case import Case
from gradviz.diagnose.finding import Change
from gradviz.diagnose.source import called_name
from gradviz.diagnose.vocabulary import COMPARISONS, COPIERS, plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LIST_ITEM


def shown(case: Case, op: model.Op) -> str:
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
    code = case.code(op.stack[0].file) if op.stack else None
    line = code.line(op.stack[0].line).strip() if code is not None else ""
    kind = plain(op.name)
    if kind in COMPARISONS:
        return "loss = torch.nn.functional.binary_cross_entropy_with_logits(prediction, target)"
    if kind in ("argmax", "argmin"):
        return "loss = torch.nn.functional.cross_entropy(scores, labels)"
    text = shown(case, op)
    if kind in COPIERS and (without := _without_copy(line, op)):
        return without
    if text.startswith(".") and text in line:
        without = _unwrapped(line.replace(text, ""))
        if ".numpy()" in line:
            return case.words("torch-for-numpy", line=without.replace(".numpy()", ""))
        return without
    return case.words("use-itself", name=name)


def _without_copy(line: str, op: model.Op) -> str:
    """`mean = torch.tensor(losses, requires_grad=True).mean()` computed from the losses themselves; "" where nothing of
    the line would be left, or it can't be said.
    """
    try:
        tree = ast.parse(line)
    except SyntaxError:
        return ""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and called_name(n) == plain(op.name) and n.args]
    whole = ast.get_source_segment(line, calls[0]) if calls else None
    inner = ast.get_source_segment(line, calls[0].args[0]) if calls else None
    if not whole or not inner:
        return ""
    several = any(value.flags & VALUE_LIST_ITEM for value in op.operands)
    left = line.replace(whole, f"torch.stack({inner})" if several else inner)
    target, _, value = left.partition("=")
    return "" if target.strip() == value.strip() else left


def _unwrapped(line: str) -> str:
    """`z = torch.tensor(y, requires_grad=True)` without what would make a tensor of its own of `y` again."""
    try:
        statement = ast.parse(line).body
    except SyntaxError:
        return line
    value = statement[0].value if len(statement) == 1 and isinstance(statement[0], ast.Assign) else None
    if isinstance(value, ast.Call) and value.args and called_name(value) in COPIERS:
        inner = ast.get_source_segment(line, value.args[0])
        whole = ast.get_source_segment(line, value)
        if inner and whole:
            return line.replace(whole, inner)
    return line


def mended(case: Case, op: model.Op, name: str) -> tuple[Change, ...]:
    """`mend` as a change, where it is the line itself without the cut."""
    text = shown(case, op)
    if not text.startswith(".") or plain(op.name) in COMPARISONS or not op.stack:
        return ()
    code, line = case.code(op.stack[0].file), op.stack[0].line
    return new_line(code, line, mend(case, op, name)) if code is not None and text in code.line(line) else ()
