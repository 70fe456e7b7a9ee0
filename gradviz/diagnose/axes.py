"""Where a dimension of an operand comes from: put there on purpose, or just how the value happened to come."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.vocabulary import ARRANGING, COMPARISONS, PAIRWISE, REDUCTIONS, TRANSPOSING, UNARY, plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_REQUIRES_GRAD

DEEP = 60  # calls followed backwards; longer chains say nothing certain any more


@dataclass(frozen=True)
class AxisOrigin:
    """The call that gave an operand its dimension of size 1, and whether the person wrote it there."""

    op: model.Op | None
    deliberate: bool
    transposed: bool = False


def axis_origin(case: Case, value: model.Value, dim: int, before: int, depth: int = 0) -> AxisOrigin:
    """What put the size-1 dimension `dim` (from the right) into a value: followed through calls that keep it."""
    maker = case.producer(value.number, before) if value.number >= 0 else None
    if maker is None or depth > DEEP:
        return AxisOrigin(None, False)
    name = plain(maker.name)
    if name in ARRANGING:
        return AxisOrigin(maker, True, name in TRANSPOSING)
    if name in REDUCTIONS and maker.arguments.get("keepdim"):
        return AxisOrigin(maker, True)
    if name == "getitem":
        return _indexed(case, maker, dim)
    if name in UNARY or name in ("__iadd__", "masked_fill"):
        return (
            axis_origin(case, maker.operands[0], dim, maker.number, depth + 1)
            if maker.operands
            else AxisOrigin(maker, False)
        )
    if name in PAIRWISE and maker.operands:
        holders = [v for v in maker.operands if shapes.at(v.spec.shape, dim) == 1]
        origins = [axis_origin(case, v, dim, maker.number, depth + 1) for v in holders[:2]]
        chosen = next((o for o in origins if not o.deliberate), origins[0] if origins else None)
        return chosen or AxisOrigin(maker, False)
    return AxisOrigin(maker, False)


def _indexed(case: Case, op: model.Op, dim: int) -> AxisOrigin:
    """Indexing with None makes a dimension on purpose; a slice keeps one."""
    written = case.op_expression(op)
    new_axis = isinstance(written, ast.Subscript) and any(
        (isinstance(n, ast.Constant) and n.value is None) or (isinstance(n, ast.Attribute) and n.attr == "newaxis")
        for n in ast.walk(written.slice)
    )
    if not new_axis and "None" in str(op.arguments):
        new_axis = True
    return AxisOrigin(op, new_axis)


def sources(case: Case, value: model.Value, before: int, limit: int = 400) -> set[int]:
    """The values that a value was computed from, itself included; those without a known maker are its roots."""
    seen: set[int] = set()
    waiting = [(value.number, before)]
    while waiting and len(seen) < limit:
        number, at = waiting.pop()
        if number < 0 or number in seen:
            continue
        seen.add(number)
        maker = case.producer(number, at)
        if maker is not None:
            waiting += [(v.number, maker.number) for v in maker.operands]
    return seen


def same_value(case: Case, first: model.Value, second: model.Value, before: int) -> bool:
    """Whether both are one value, arranged in two ways: x[:, None] beside x, x beside x.T."""
    return bool(_arranged(case, first, before) & _arranged(case, second, before))


def _arranged(case: Case, value: model.Value, before: int) -> set[int]:
    """The value and what it is a mere arrangement or entry-by-entry change of."""
    found: set[int] = set()
    number, at = value.number, before
    for _ in range(DEEP):
        if number < 0:
            break
        found.add(number)
        maker = case.producer(number, at)
        if maker is None or not maker.operands:
            break
        name = plain(maker.name)
        tensors = [v for v in maker.operands if v.number >= 0]
        keeps = (
            name in ARRANGING
            or name in UNARY
            or name in ("getitem", "squeeze", "select", "flatten", "sum", "norm", "mean")
        )
        if not keeps and not (name in PAIRWISE and len(tensors) == 1):
            if name in PAIRWISE and len({v.number for v in tensors}) == 1:
                number, at = tensors[0].number, maker.number
                continue
            break
        number, at = tensors[0].number if tensors else -1, maker.number
    return found


def from_comparison(case: Case, value: model.Value, before: int) -> bool:
    """Whether a value is a mask: booleans, or numbers made of booleans."""
    if value.spec.dtype == "bool":
        return True
    number, at = value.number, before
    for _ in range(DEEP):
        maker = case.producer(number, at) if number >= 0 else None
        if maker is None or not maker.operands:
            return False
        name = plain(maker.name)
        if name in COMPARISONS or maker.operands[0].spec.dtype == "bool":
            return True
        if name not in UNARY and name not in ARRANGING and name not in ("getitem", "squeeze"):
            return False
        number, at = maker.operands[0].number, maker.number
    return False


def needs_grad(case: Case, value: model.Value, before: int) -> bool:
    return bool(value.flags & VALUE_REQUIRES_GRAD)


def walk_users(case: Case, start: int, after: int, visit: Callable[[model.Op], bool], limit: int = 200) -> None:
    """Calls that use a value or what was computed from it, nearest first; `visit` says whether to go on from a call."""
    waiting, seen = [(start, after)], {start}
    count = 0
    while waiting and count < limit:
        value, last = waiting.pop(0)
        for op in case.users(value, last):
            count += 1
            if is_step(op) or not visit(op):
                continue
            for result in op.results:
                if result.number >= 0 and result.number not in seen:
                    seen.add(result.number)
                    waiting.append((result.number, op.number))
