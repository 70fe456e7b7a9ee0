"""detached without an error: a term of the loss that is a Python number, so that nothing is trained by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.diagnose.ancestry import leaves_behind
from gradviz.diagnose.bridges import Exit, exits
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.modules import leaf_label, user_codes
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.returned import stays
from gradviz.diagnose.rules.comeback import Comebacks, Entry
from gradviz.diagnose.rules.cut_fix import as_written, mend, mended
from gradviz.diagnose.source import Code
from gradviz.diagnose.vocabulary import plain, reflected
from gradviz.trace import model
from gradviz.trace.packing import VALUE_REQUIRES_GRAD

_NUMBERS = frozenset({"item", "__float__"})
_LINEAR = frozenset({"add", "sub", "mul", "div", "neg", "mean", "sum", "squeeze", "view", "reshape", "clone", "to"})


def find(exam: Examination, back: Comebacks) -> Iterator[Finding]:
    """For each number that is added to a loss, was computed from what the next step trains, and goes nowhere else.

    Only where the loss is a sum with the number as one of its terms is it surely without effect: as a factor, in an
    exponent or in a difference that is squared it changes gradients. A number that stands in a variable may be the loss
    of an earlier batch or of another network, and what is in a pass of its own is trained there.
    """
    case = exam.case
    if not any(is_step(op) for op in case.ops) or _decays(case):
        return
    for way in exits(case, each_caller=True):
        if plain(way.op.name) not in _NUMBERS or not way.op.operands[0].flags & VALUE_REQUIRES_GRAD:
            continue
        value = way.op.operands[0].number
        maker = case.producer(value, way.op.number)
        if maker is None or back.behind(maker) is not None:
            continue
        added = _added_to(case, way)
        entry = back.behind(added) if added is not None and _is_linear(case, added) else None
        leaves = _trained(case, leaves_behind(case, value, way.op.number), way.op.number)
        if entry is not None and leaves:
            yield _finding(exam, way.op, leaves, entry)


def _decays(case: Case) -> bool:
    """Whether an optimiser is told to hold the weights small: a penalty in the loss is only shown then."""
    return any(
        keyword.arg == "weight_decay"
        for code in user_codes(case)
        for node in ast.walk(code.tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    )


def _added_to(case: Case, way: Exit) -> model.Op | None:
    """The next call that takes in the number, where it is a sum of a loss and the number as it was written there."""
    first = next(iter(stays(case, way.op.stack, way.expression)), None)
    code, written = (first.code, first.call) if first is not None else (way.code, way.expression)
    top = _term(code, written) if isinstance(written, ast.expr) else None
    if top is None:
        return None
    for op in case.ops:
        if op.number <= way.op.number or not op.stack or op.stack[0].file != code.path:
            continue
        if case.op_expression(op) is top:
            number = any(isinstance(given, float) for given in op.arguments.values())
            scalars = [v for v in op.operands if v.flags & VALUE_REQUIRES_GRAD and v.spec.shape == ()]
            return op if number and len(scalars) == len(op.operands) == 1 else None
    return None


def _term(code: Code, node: ast.AST) -> ast.expr | ast.stmt | None:
    """The sum that a number is a term of: factors and signs may stand before it."""
    for above in code.parents(node):
        if isinstance(above, ast.AugAssign) and isinstance(above.op, (ast.Add, ast.Sub)):
            return above
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add):
            return above
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub):
            return above if above.right is node else None
        factor = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mult)
        divided = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and above.left is node
        if not (factor or divided or (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.USub))):
            return None
        node = above
    return None


def _is_linear(case: Case, op: model.Op) -> bool:
    """Whether all that is done with a sum until backward leaves the gradient of its other terms as it is."""
    roots = {port.value for backward in case.passes for port in backward.roots}
    waiting, seen, reached = [op], {op.number}, False
    while waiting and len(seen) < 50:
        one = waiting.pop()
        needing = [v for v in one.operands if v.flags & VALUE_REQUIRES_GRAD]
        kind = plain(one.name)
        under = kind == "div" and reflected(one.name)
        if kind not in _LINEAR or under or (len(needing) > 1 and kind not in ("add", "sub")):
            return False
        for result in one.results:
            reached = reached or result.number in roots
            for user in case.users(result.number, one.number):
                if any(r.flags & VALUE_REQUIRES_GRAD for r in user.results) and user.number not in seen:
                    seen.add(user.number)
                    waiting.append(user)
    return reached


def _trained(case: Case, behind: set[int], after: int) -> list[model.Leaf]:
    """Which of the values the next step of an optimiser changes."""
    step = next((op for op in case.ops if op.number > after and is_step(op)), None)
    given = {v.number for v in step.operands} if step is not None else set()
    return [case.leaf_by_value[value] for value in sorted(behind & given) if value in case.leaf_by_value]


def _finding(exam: Examination, op: model.Op, leaves: list[model.Leaf], entry: Entry) -> Finding:
    case, place = exam.case, exam.case.place(op.stack)
    name = operand_name(case, op, 0) or case.words("the-value")
    names = [leaf_label(case, leaf) for leaf in leaves if leaf.name]
    listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return exam.writer.write(
        "detached",
        "warning",
        place,
        "cut-term",
        {
            "parameters": listed or case.words("number-of-parameters", count=len(leaves)),
            "op": as_written(case, op),
            "line": place.line,
            "name": name,
            "new": mend(case, op, name),
        },
        changes=mended(case, op),
        op=plain(op.name).strip("_"),
        **entry.fields(case),
        confidence=0.7,
    )
