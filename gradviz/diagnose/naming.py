"""What the person calls a tensor: the operand expressions of a call, and the variable that holds a value."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import assigned_names, last_assignment
from gradviz.diagnose.source import Code, Place, as_call, called_name
from gradviz.diagnose.vocabulary import is_call_of, last_word, reflected
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LIST_ITEM


def operand_expressions(case: Case, op: model.Op) -> list[ast.expr | None]:
    """For each tensor operand of a call the expression that the person wrote for it, None where that isn't told."""
    nothing: list[ast.expr | None] = [None] * len(op.operands)
    code = case.code(op.stack[0].file) if op.stack else None
    written = case.op_expression(op)
    if code is None or written is None:
        return nothing
    same_call = True
    if isinstance(written, ast.Call):
        found = _call_operands(code, written, op)
        same_call = is_call_of(called_name(written), op.name)
    else:
        found = _operator_operands(written, op)
    if same_call:
        return found
    # A module's call stands for the ops inside it: what those made between themselves is no argument of the call.
    return [None if _made_inside(case, op, value) else one for one, value in zip(found, op.operands)]


def _made_inside(case: Case, op: model.Op, value: model.Value) -> bool:
    maker = case.producer(value.number, op.number)
    return maker is not None and maker.stack[:1] == op.stack[:1]


def _operator_operands(written: ast.AST, op: model.Op) -> list[ast.expr | None]:
    parts: list[ast.expr] = []
    if isinstance(written, ast.AugAssign):
        parts = [written.target, written.value]
    elif isinstance(written, ast.BinOp):
        parts = [written.left, written.right]
        if reflected(op.name):
            parts.reverse()
    elif isinstance(written, ast.Compare):
        parts = [written.left, *written.comparators]
    elif isinstance(written, ast.UnaryOp):
        parts = [written.operand]
    elif isinstance(written, (ast.Subscript, ast.Attribute, ast.Starred)):
        parts = [written.value]
    count = len(op.operands)
    if count == 1 and len(parts) == 2 and isinstance(parts[0], ast.Constant):
        parts = parts[1:]
    found: list[ast.expr | None] = list(parts[:count])
    return found + [None] * (count - len(found))


def _call_operands(code: Code, written: ast.Call, op: model.Op) -> list[ast.expr | None]:
    call = as_call(written)
    assert call is not None
    positional = [a for a in call.positional if not isinstance(a, ast.Constant)]
    method = is_call_of(call.function, op.name) and call.receiver is not None
    if method and call.receiver is not None and not names_module(code, call.receiver):
        positional.insert(0, call.receiver)
    spread: list[ast.expr | None] = []
    for one in positional:
        if not isinstance(one, (ast.Tuple, ast.List)):
            spread.append(one)
        elif any(v.flags & VALUE_LIST_ITEM for v in op.operands):
            spread += one.elts
    found: list[ast.expr | None] = []
    listed: dict[str, list[ast.expr]] = {  # tensors=[x, w]
        name: list(given.elts) for name, given in call.keywords.items() if isinstance(given, (ast.Tuple, ast.List))
    }
    for value in op.operands:
        if value.flags & VALUE_LIST_ITEM and value.name in call.keywords:
            items = listed.get(value.name)
            found.append(items.pop(0) if items else None)  # None: one name for the whole list
        elif value.name in call.keywords:
            found.append(call.keywords[value.name])
        elif value.flags & VALUE_LIST_ITEM and len(spread) == 1 and not method:
            found.append(None)  # one name for the whole list
        else:
            found.append(spread.pop(0) if spread else None)
    return found


def imported(code: Code) -> set[str]:
    """Names bound by import statements."""
    found: set[str] = set()
    for statement in code.statements():
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return found


def names_module(code: Code, receiver: ast.expr) -> bool:
    """Whether `torch.nn.functional` and its like stand before the dot, and not a value made by one of its functions."""
    while isinstance(receiver, ast.Attribute):
        receiver = receiver.value
    return isinstance(receiver, ast.Name) and receiver.id in imported(code)


def operand_name(case: Case, op: model.Op, index: int) -> str:
    """How a sentence calls an operand: as it is written in the call, else by its leaf or variable, else ""."""
    value = op.operands[index]
    written = operand_expressions(case, op)[index]
    code = case.code(op.stack[0].file) if op.stack else None
    text = code.short(written) if code is not None else ""
    return text or value_name(case, value.number, op.number)


def value_name(case: Case, value: int, before: int | None = None) -> str:
    """The variable or parameter that holds a value, "" where none is known."""
    leaf = case.leaf_by_value.get(value)
    if leaf is not None and leaf.name:
        return leaf.name
    maker = case.producer(value, before)
    return made_name(case, maker, value) if maker is not None else ""


def made_name(case: Case, op: model.Op, value: int) -> str:
    """The variable that the statement of `op` assigns its result to, when the result is all that it assigns."""
    for frame in op.stack[:1]:
        code = case.code(frame.file)
        expression = case.expression(frame, last_word(op.name))
        if code is None or expression is None:
            return ""
        statement = code.statement_of(expression)
        names = assigned_names(statement)
        if isinstance(statement, ast.AugAssign) and names:
            return names[0]
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is expression:
            if len(names) == 1:
                return names[0]
            position = next((i for i, result in enumerate(op.results) if result.number == value), -1)
            if len(names) == len(op.results) and position >= 0:
                return names[position]
    return ""


def value_called(case: Case, name: str) -> model.Value | None:
    """The newest value that a statement `name = ...` was seen to make."""
    for op in reversed(case.ops):
        for result in op.results:
            if made_name(case, op, result.number) == name:
                return result
    return None


def line_made(case: Case, value: int, before: int | None = None) -> int:
    maker = case.producer(value, before)
    if maker is not None and maker.stack:
        return maker.stack[0].line
    leaf = case.leaf_by_value.get(value)
    return leaf.stack[0].line if leaf is not None and leaf.stack else 0


def operand_place(case: Case, op: model.Op, index: int) -> Place | None:
    """Where an operand was made: by the call that made it, else where the name it is written as is bound."""
    maker = case.producer(op.operands[index].number, op.number)
    if maker is not None and maker.stack:
        return case.place(maker.stack)
    written = operand_expressions(case, op)[index]
    code = case.code(op.stack[0].file) if op.stack else None
    bound = last_assignment(code, written.id, written) if code is not None and isinstance(written, ast.Name) else None
    return code.place(bound) if code is not None and bound is not None else None


def listed(case: Case, items: Sequence[str]) -> str:
    """ "a, b and c" in the language of the catalogue."""
    if len(items) < 2:
        return "".join(items)
    return case.words("two-of-them", first=", ".join(items[:-1]), second=items[-1])
