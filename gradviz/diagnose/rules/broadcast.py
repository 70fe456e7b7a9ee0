"""silent-broadcast: two operands that stretch each other, so that every entry of one meets every entry of the other.

A candidate is mutual and has as many entries on both sides (rules R3 and R2 of the field check). It is then judged by
where its operands come from and what is made of the result: a table of pairs that is used as a table was meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.axes import DEEP, AxisOrigin, axis_origin, from_comparison, same_value, walk_users
from gradviz.diagnose.build import replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding, Mark, Operand
from gradviz.diagnose.frameworks import is_tensorflow
from gradviz.diagnose.naming import line_made, operand_expressions, operand_name
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.shapes import Broadcast, Shape
from gradviz.diagnose.vocabulary import (
    COMPARISONS,
    LOSSES,
    PAIRED_LOSSES,
    PAIRWISE,
    REDUCTIONS,
    TABLE_USERS,
    UNARY,
    plain,
    shown,
)
from gradviz.diagnose.written_axes import written_so
from gradviz.trace import model
from gradviz.trace.packing import OP_RAISED, VALUE_LEAF, VALUE_REQUIRES_GRAD

_TRAINED = VALUE_LEAF | VALUE_REQUIRES_GRAD
_WEIGHING = frozenset({"mul", "where", "masked_fill", "div"})


@dataclass(frozen=True)
class Pair:
    """The two operands that stretch each other."""

    op: model.Op
    first: int  # indexes among the operands
    second: int
    made: Broadcast

    @property
    def values(self) -> tuple[model.Value, model.Value]:
        return self.op.operands[self.first], self.op.operands[self.second]


def find(exam: Examination) -> Iterator[Finding]:
    """A finding for each line where it happens, the first time it happens there; what comes of it is not told again."""
    case = exam.case
    told: set[tuple[str, int, int]] = set()
    tainted: set[int] = set()
    for op in case.ops:
        if op.flags & OP_RAISED or len(op.operands) < 2:
            continue
        pair = mutual(op)
        if pair is None:
            continue
        severity = judge(case, pair)
        if severity is None:
            continue
        place = case.place(op.stack)
        key = (place.file, place.line, place.column)
        inherited = any(v.number in tainted for v in op.operands)
        tainted |= _results_of(case, op)
        if key in told or inherited:
            continue
        told.add(key)
        yield _finding(exam, pair, severity)


def _results_of(case: Case, op: model.Op) -> set[int]:
    found = {r.number for r in op.results if r.number >= 0}

    def visit(user: model.Op) -> bool:
        found.update(r.number for r in user.results if r.number >= 0)
        return True

    for result in op.results:
        if result.number >= 0:
            walk_users(case, result.number, op.number, visit)
    return found


def mutual(op: model.Op) -> Pair | None:
    """The operands of an entry-by-entry call or paired loss that stretch each other."""
    name = plain(op.name)
    if name not in PAIRWISE and name not in PAIRED_LOSSES:
        return None
    count = 2 if name in PAIRED_LOSSES else min(3, len(op.operands))
    for i in range(count):
        for j in range(i + 1, count):
            if op.operands[i].spec.shape == op.operands[j].spec.shape:
                continue
            made = shapes.broadcast(op.operands[i].spec.shape, op.operands[j].spec.shape)
            if made is not None and made.mutual:
                return Pair(op, i, j, made)
    return None


def judge(case: Case, pair: Pair) -> str | None:
    """The severity; None where the broadcast is plainly meant or its shapes are no coincidence of equal sizes."""
    name = plain(pair.op.name)
    if name in PAIRED_LOSSES:
        return "error"
    a, b = pair.values
    if shapes.count(a.spec.shape) != shapes.count(b.spec.shape) or shapes.count(a.spec.shape) < 2:
        return None
    if same_value(case, a, b, pair.op.number):
        return None
    if name in COMPARISONS:
        return None
    short = len(a.spec.shape) != len(b.spec.shape)
    if a.flags & b.flags & _TRAINED == _TRAINED and not _compares(case, pair.op):
        return "note" if short else None  # a weight for the rows and one for the columns
    origins = [_origin(case, pair, a, pair.made.first), _origin(case, pair, b, pair.made.second)]
    deliberate = [o.deliberate for o in origins if o is not None]
    if all(deliberate) and len(deliberate) == 2:
        return None
    use = use_of(case, pair)
    masks = [from_comparison(case, v, pair.op.number) for v in (a, b)]
    if short and masks.count(True) == 1 and name in _WEIGHING:
        return "error" if use != "table" else "note"
    if not (a.flags | b.flags) & VALUE_REQUIRES_GRAD and use != "loss":
        return "note" if short and not any(deliberate) else None
    if short and not any(deliberate):  # R3
        return {"table": "note", "loss": "error"}.get(use, "warning")
    regression = bool(a.flags & VALUE_REQUIRES_GRAD) != bool(b.flags & VALUE_REQUIRES_GRAD)
    transposed = any(o is not None and o.transposed for o in origins)
    if use == "loss" and regression and name == "sub" and not transposed:
        return "warning"
    return "note" if short else None  # R2


def _compares(case: Case, op: model.Op) -> bool:
    """Whether it is a difference of which only the size counts: that is how a prediction is held against a target."""
    if plain(op.name) != "sub":
        return False
    users = [user for result in op.results for user in case.users(result.number, op.number)]
    return any(plain(user.name) in ("pow", "square", "abs", "mul") for user in users)


def _origin(case: Case, pair: Pair, value: model.Value, stretch: shapes.Stretch) -> AxisOrigin | None:
    """Where the size-1 dimension that is stretched comes from; None where the operand has none, only a missing one."""
    if not stretch.stretched:
        return None
    found = axis_origin(case, value, stretch.stretched[0], pair.op.number)
    return AxisOrigin(None, True) if found.op is None and written_so(case, pair.op, value) else found


def use_of(case: Case, pair: Pair) -> str:
    """'table' where rows and columns are used as such, 'loss' where all of it becomes one number, else ''."""
    uses: set[str] = set()
    family = {r.number for r in pair.op.results}

    def visit(op: model.Op) -> bool:
        name = plain(op.name)
        if name in LOSSES:
            uses.add("loss")
            return False
        if name in REDUCTIONS:
            whole = all(not r.spec.shape for r in op.results)
            uses.add("loss" if whole else "part")
            return False
        if name in TABLE_USERS:
            uses.add("table")
            return False
        if name in PAIRWISE:
            family.update(r.number for r in op.results)
            others = [v for v in op.operands if v.number not in family]
            if any(_is_table(case, v, pair.made.result, op.number) for v in others):
                uses.add("table")
                return False
            return True
        family.update(r.number for r in op.results)
        return name in UNARY or name in ("view", "reshape", "unsqueeze", "squeeze")

    for result in pair.op.results:
        if result.number >= 0:
            walk_users(case, result.number, pair.op.number, visit)
    if "table" in uses or "part" in uses:
        return "table" if "table" in uses or "loss" not in uses else "loss"
    return "loss" if "loss" in uses else ""


def _is_table(case: Case, value: model.Value, shape: Shape, before: int) -> bool:
    """Whether a value of this shape was a table from the start, not stretched to it in the same way by accident."""
    if value.spec.shape != shape or shapes.count(shape) < 2:
        return False
    number, at = value.number, before
    for _ in range(DEEP):
        maker = case.producer(number, at) if number >= 0 else None
        if maker is None:
            return True
        pair = mutual(maker)
        if pair is not None:
            sides = zip(pair.values, (pair.made.first, pair.made.second))
            origins = [_origin(case, pair, v, stretch) for v, stretch in sides]
            return all(o.deliberate for o in origins if o is not None)
        name = plain(maker.name)
        same = [v for v in maker.operands if v.spec.shape == shape]
        if (name not in UNARY and name not in PAIRWISE) or not same:
            return True
        number, at = same[0].number, maker.number
    return True


def _finding(exam: Examination, pair: Pair, severity: str) -> Finding:
    case, op = exam.case, pair.op
    place = case.place(op.stack)
    a, b = pair.values
    names = [operand_name(case, op, pair.first), operand_name(case, op, pair.second)]
    first = names[0] or f"a {shapes.text(a.spec.shape)} tensor"
    second = names[1] or f"a {shapes.text(b.spec.shape)} tensor"
    new, changes = _mend(case, pair)
    count, wanted = shapes.count(pair.made.result), max(shapes.count(a.spec.shape), shapes.count(b.spec.shape))
    where = node_fields(case, op)
    expected, received = a.spec.shape, b.spec.shape
    name = plain(op.name)
    expression = case.op_expression(op)
    code = case.code(place.file)
    text = (code.short(expression) if code is not None else "") or shown(op.name)
    return exam.writer.write(
        "silent-broadcast",
        severity,
        place,
        "silent-broadcast-loss"
        if name in PAIRED_LOSSES
        else "silent-broadcast-mask"
        if name in _WEIGHING and severity != "note" and any(from_comparison(case, v, op.number) for v in (a, b))
        else "silent-broadcast",
        {
            "expression": text,
            "first": first,
            "second": second,
            "a": shapes.text(expected),
            "b": shapes.text(received),
            "result": shapes.text(pair.made.result),
            "count": count,
            "wanted": wanted,
            "new": new,
        },
        op=shown(op.name),
        expected_shape=expected,
        received_shape=received,
        result_shape=pair.made.result,
        operands=_operands(case, pair, names),
        changes=changes,
        **({"fix": changes[0].new[0].strip()} if changes else {}),
        confidence={"error": 0.95, "warning": 0.8}.get(severity, 0.4),
        **where,
    )


def node_fields(case: Case, op: model.Op) -> dict[str, object]:
    """The node that the call made, in the first pass that has it."""
    for backward in case.passes:
        graph = case.trace.graph(backward.id)
        found = (graph.op == op.number).nonzero()[0].tolist()
        if found:
            node = case.node(backward.id, found[0])
            word = plain(op.name) if is_tensorflow(op) else op.name.strip("_")
            made = next(
                (case.node(backward.id, i) for i in found if word in case.node(backward.id, i).name.lower()),
                node,
            )
            return {
                "pass_id": backward.id,
                "step": case.steps_of(backward.id).get(made.index),
                "node": made.name,
                "marks": (Mark("node", made.index), Mark("operand", made.index, 0), Mark("operand", made.index, 1)),
            }
    return {}


def _operands(case: Case, pair: Pair, names: list[str]) -> tuple[Operand, ...]:
    found = []
    for name, value, stretch in zip(names, pair.values, (pair.made.first, pair.made.second)):
        node = -1
        if value.flags & VALUE_REQUIRES_GRAD:
            node = _made_node(case, pair.op, value)
        found.append(
            Operand(
                name,
                value.spec.shape,
                node,
                line_made(case, value.number, pair.op.number),
                stretch.stretched,
                stretch.added,
            )
        )
    return tuple(found)


def _made_node(case: Case, op: model.Op, value: model.Value) -> int:
    maker = case.producer(value.number, op.number)
    if maker is None:
        return -1
    for backward in case.passes:
        graph = case.trace.graph(backward.id)
        if (graph.op == op.number).any():
            found = (graph.op == maker.number).nonzero()[0].tolist()
            return int(found[-1]) if found else -1
    return -1


def _mend(case: Case, pair: Pair) -> tuple[str, tuple[Change, ...]]:
    """The expression with the size-1 dimension taken out of the operand that has one, so that both have one shape."""
    op = pair.op
    written = operand_expressions(case, op)
    code = case.code(op.stack[0].file) if op.stack else None
    for index, stretch, other in (
        (pair.first, pair.made.first, pair.made.second),
        (pair.second, pair.made.second, pair.made.first),
    ):
        shape = op.operands[index].spec.shape
        for dim in stretch.stretched:
            position = dim + len(shape)
            squeezed: Shape = shape[:position] + shape[position + 1 :]
            if squeezed == other.shape:
                expression = written[index] if index < len(written) else None
                text = code.text(expression) if code is not None else ""
                if text and is_tensorflow(op):
                    new = f"tf.squeeze({text}, {position})"
                elif text:
                    new = f"{tight(text)}.squeeze({position})"
                else:
                    new = case.words("squeeze-operand", shape=shapes.text(shape), position=position)
                changes = (
                    replacement(code, code.place(expression), new)
                    if code is not None and expression is not None
                    else ()
                )
                return new, changes
    return case.words("one-shape-both"), ()
