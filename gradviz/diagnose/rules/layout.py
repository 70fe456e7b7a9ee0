"""layout-scramble: view and reshape where dimensions had to change places first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.axes import walk_users
from gradviz.diagnose.build import replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.frameworks import is_hips, is_tensorflow
from gradviz.diagnose.naming import names_module, operand_name
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.products import turned
from gradviz.diagnose.regrouping import Regrouping
from gradviz.diagnose.rules.broadcast import node_fields
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Code, as_call
from gradviz.diagnose.vocabulary import PAIRWISE, TRANSPOSING, UNARY, plain, shown
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LEAF, VALUE_PARAMETER, VALUE_REQUIRES_GRAD

_PRODUCTS = frozenset({"matmul", "mm", "linear", "addmm", "bmm", "conv1d", "conv2d", "conv3d"})
_CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d"})
_BY_ROW = frozenset({"cross_entropy", "nll_loss"})
_PADDED = frozenset({"pad", "constant_pad_nd", "cat"})
_THROUGH = UNARY | PAIRWISE | {"layer_norm", "rms_norm", "batch_norm", "stack", "unsqueeze"}
_NEAR = 60  # calls before a view among which the transposition that it forgets is looked for


@dataclass(frozen=True)
class _Turn:
    """The order that the dimensions before had to be brought into first."""

    order: tuple[int, ...]
    exact: bool  # and nothing is merged then

    def written(self) -> str:
        moved = [at for at, dim in enumerate(self.order) if at != dim]
        if len(moved) == 2:
            return f"transpose({moved[0]}, {moved[1]})"
        return f"permute({', '.join(map(str, self.order))})"


def scrambled(exam: Examination) -> Iterator[Finding]:
    """view or reshape used to move dimensions: the sizes come out as meant, the entries don't change places."""
    case = exam.case
    told: set[tuple[str, int]] = set()
    for op in case.ops:
        if plain(op.name) not in ("view", "reshape") or not op.operands or not op.results:
            continue
        before, after = op.operands[0].spec.shape, op.results[0].spec.shape
        turn = _forgotten(case, op, before, after)
        if turn is None or _turned_before(case, op) or _undone(case, op, before):
            continue
        place = case.place(op.stack)
        if (place.file, place.line) not in told:
            told.add((place.file, place.line))
            yield _finding(exam, op, turn)


def _forgotten(case: Case, op: model.Op, before: Shape, after: Shape) -> _Turn | None:
    """The transposition that certainly is missing before a view; None where the view may be meant as it is."""
    change = Regrouping.of(before, after)
    if change is None or change.neighbourly():
        return None
    kept = change.order()
    turn = _lifted(before, after, kept) if kept is not None else None
    if turn is None:
        return None
    swap, trained = _swapped(before, after), bool(op.operands[0].flags & VALUE_REQUIRES_GRAD)
    if swap is not None and trained:
        return turn if _swap_is_told(case, op, before, swap, change) else None
    if is_tensorflow(op) or is_hips(op):
        return None  # there channels come last, and what to write instead has other words
    wanted = tuple(before[dim] for dim in turn.order)
    channels_first = turn.exact and len(before) in (3, 4) and wanted == (*before[:-3], before[-1], *before[-3:-1])
    if channels_first and _feeds(case, op, _CONVOLUTIONS):
        return turn
    # Either no splitting and merging explains the sizes, or a transposition has just brought these dimensions here.
    certain = not change.by_splitting() or _came_from(case, op, wanted)
    return turn if trained and certain and _computed(case, op) and _feeds(case, op, _PRODUCTS | _BY_ROW) else None


def _computed(case: Case, op: model.Op) -> bool:
    """A leaf may be meant to lie as it is read; what was computed has the dimensions that the calls gave it."""
    given = op.operands[0]
    return not given.flags & VALUE_LEAF and case.producer(given.number, op.number) is not None


def _swap_is_told(case: Case, op: model.Op, before: Shape, swap: tuple[int, int], change: Regrouping) -> bool:
    if op.operands[0].flags & VALUE_PARAMETER or _shifts_rows(case, op, before, swap):
        return False
    users = [plain(u.name) for u in case.users(op.results[0].number, op.number)]
    if change.by_splitting() and TRANSPOSING & set(users):
        return False  # heads split off and merged with the batch, whose sizes agree with these by chance
    return len(before) != 2 or bool(_PRODUCTS & set(users))


def _swapped(before: Shape, after: Shape) -> tuple[int, int] | None:
    """The two dimensions whose sizes change places; None for anything else."""
    if len(before) != len(after) or not shapes.known(before):
        return None
    differing = [i for i in range(len(before)) if before[i] != after[i]]
    if len(differing) != 2:
        return None
    i, j = differing
    swapped = before[i] == after[j] and before[j] == after[i] and 1 not in (before[i], before[j])
    return (i, j) if swapped else None


def _shifts_rows(case: Case, op: model.Op, before: Shape, swap: tuple[int, int]) -> bool:
    """The relative shift of Transformer-XL: a column is put in front, and each row read one entry later."""
    maker = case.producer(op.operands[0].number, op.number)
    first, second = before[swap[0]], before[swap[1]]
    by_one = isinstance(first, int) and isinstance(second, int) and abs(first - second) == 1
    return by_one and maker is not None and plain(maker.name) in _PADDED


def _lifted(before: Shape, after: Shape, order: tuple[int, ...]) -> _Turn:
    """The order over all dimensions: those of size 1 stay where they are."""
    places = [at for at, size in enumerate(before) if size != 1]
    whole = list(range(len(before)))
    for place, dim in zip(places, order):
        whole[place] = places[dim]
    return _Turn(tuple(whole), tuple(before[dim] for dim in whole) == after)


def _came_from(case: Case, op: model.Op, wanted: Shape) -> bool:
    """Whether a transposition made this shape of the wanted one, on the way to the operand."""
    before = op.operands[0].spec.shape
    waiting, seen = [(op.operands[0].number, op.number)], set[int]()
    for number, at in waiting:
        maker = case.producer(number, at) if number >= 0 else None
        if maker is None or maker.number in seen or not maker.operands:
            continue
        seen.add(maker.number)
        given = maker.operands[0].spec.shape
        if (
            given == wanted
            and any(r.spec.shape == before for r in maker.results)
            and turned(maker, len(given)) is not None
        ):
            return True
        waiting += [(v.number, maker.number) for v in maker.operands][: _NEAR - len(waiting)]
    return False


def _feeds(case: Case, op: model.Op, takers: frozenset[str]) -> bool:
    """Whether the result, entries changed or not, is what such a call works on: there it matters what stands where."""
    found = False
    taken = {op.results[0].number}

    def visit(user: model.Op) -> bool:
        nonlocal found
        name = plain(user.name)
        found = found or (name in takers and bool(user.operands) and user.operands[0].number in taken)
        if name in _THROUGH:
            taken.update(result.number for result in user.results)
        return name in _THROUGH and not found

    walk_users(case, op.results[0].number, op.number, visit)
    return found


def _turned_before(case: Case, op: model.Op) -> bool:
    """A transposed operand, copied or not: reshaping it may well be meant to bring the entries back in order."""
    number, before = op.operands[0].number, op.number
    while (maker := case.producer(number, before)) is not None and maker.operands:
        if plain(maker.name) not in ("contiguous", "clone"):
            return plain(maker.name) in TRANSPOSING
        number, before = maker.operands[0].number, maker.number
    return False


def _undone(case: Case, op: model.Op, before: Shape) -> bool:
    """Whether the next call brings the old shape back: then the entries were only grouped for a while."""
    users = case.users(op.results[0].number, op.number)
    return any(plain(u.name) in ("view", "reshape") and u.results and u.results[0].spec.shape == before for u in users)


def _finding(exam: Examination, op: model.Op, turn: _Turn) -> Finding:
    case = exam.case
    place = case.place(op.stack)
    before, after = op.operands[0].spec.shape, op.results[0].spec.shape
    name = operand_name(case, op, 0) or "x"
    code, written = case.code(place.file), case.op_expression(op)
    new = f"{tight(name)}.{turn.written()}" if turn.exact else _rewritten(code, written, name, turn, after)
    changes = replacement(code, code.place(written), new) if code is not None and isinstance(written, ast.Call) else ()
    return exam.writer.write(
        "layout-scramble",
        "warning",
        place,
        "axis-scramble" if turn.exact else "axis-scramble-merged",
        {
            "op": shown(op.name),
            "name": tight(name),
            "before": shapes.text(before),
            "after": shapes.text(after),
            "turned": shapes.text(tuple(before[dim] for dim in turn.order)),
            "new": new,
        },
        op=shown(op.name),
        expected_shape=after,
        received_shape=after,
        changes=changes,
        confidence=0.75,
        **node_fields(case, op),
    )


def _rewritten(code: Code | None, written: ast.AST | None, name: str, turn: _Turn, after: Shape) -> str:
    """The call as it is written, the transposition put before it."""
    sizes = ", ".join(map(str, after))
    call = as_call(written)
    if code is None or call is None or call.function not in ("view", "reshape"):
        return f"{tight(name)}.{turn.written()}.reshape({sizes})"
    given = [*call.positional]
    if call.receiver is not None and names_module(code, call.receiver):
        given = given[1:]
    elif call.receiver is not None:
        name = code.text(call.receiver)
    name = name.removesuffix(".contiguous()")
    said = [code.text(one) for one in given] if given and not call.keywords else [sizes]
    copied = ".contiguous()" if call.function == "view" else ""
    return f"{tight(name)}.{turn.written()}{copied}.{call.function}({', '.join(said)})"
