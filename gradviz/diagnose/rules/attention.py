"""wrong-axis in an attention: the softmax runs over another dimension than the product with the values sums over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.axes import needs_grad
from gradviz.diagnose.build import replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.frameworks import is_hips, is_tensorflow
from gradviz.diagnose.modules import made_at, module_of
from gradviz.diagnose.naming import names_module, operand_name
from gradviz.diagnose.products import Product, product, turned
from gradviz.diagnose.rules.broadcast import node_fields
from gradviz.diagnose.source import Call, Code, as_call
from gradviz.diagnose.vocabulary import PAIRWISE, REDUCTIONS, UNARY, VIEWS, plain, shown
from gradviz.trace import model

_DEEP = 12  # calls between the scores' product and the softmax, and between the softmax and its use
_NORMS = frozenset({"layer_norm", "rms_norm", "normalize"})
_PROJECTIONS = frozenset({"linear", "conv1d", "conv2d", "conv3d"})


@dataclass(frozen=True)
class _Use:
    """A product that takes the softmax's result; `order[i]`: which dimension of the softmax its dimension i is."""

    op: model.Op
    made: Product
    operand: int
    order: tuple[int, ...]

    def role(self, dim: int) -> str:
        return self.made.role(self.operand, self.order.index(dim))


def weights(exam: Examination) -> Iterator[Finding]:
    """Told of scores that are a product themselves, of weights that go straight into the next: all else is design."""
    case = exam.case
    told: set[tuple[str, int]] = set()
    for op in case.ops:
        if plain(op.name) != "softmax" or not op.operands or not op.results or is_tensorflow(op) or is_hips(op):
            continue  # the arguments of other frameworks' products and softmaxes mean other things
        shape = op.operands[0].spec.shape
        dim = _normalised(op, len(shape))
        if dim is None or not shapes.known(shape) or shape[dim] == 1:
            continue
        right = _meant(case, op, dim)
        place = case.place(op.stack)
        if right is None or (place.file, place.line) in told:
            continue
        told.add((place.file, place.line))
        yield _finding(exam, op, dim, right)


def _normalised(op: model.Op, rank: int) -> int | None:
    """The dimension that adds up to 1; where none is written, the one that torch takes."""
    dim = op.arguments.get("dim")
    if dim is None:
        dim = 0 if rank in (0, 1, 3) else 1
    return dim % rank if isinstance(dim, int) and rank >= 2 else None


def _meant(case: Case, op: model.Op, dim: int) -> int | None:
    """The dimension that the softmax ought to run over; None where nothing speaks against the one it has."""
    scores = op.operands[0]
    origin = _scores(case, scores, op.number) if needs_grad(case, scores, op.number) else None
    made = product(origin) if origin is not None else None
    if origin is None or made is None:
        return None
    rows, columns = _own(made, 0), _own(made, 1)
    shape = scores.spec.shape
    if rows is None or columns is None or 1 in (shape[rows], shape[columns]):
        return None
    uses = list(_uses(case, op))
    found = {_instead(case, origin, use, dim, (rows, columns)) for use in uses}
    return found.pop() if len(found) == 1 else None


def _own(made: Product, operand: int) -> int | None:
    """The one dimension of the result that only this operand has."""
    found = [at for at, letter in enumerate(made.result) if letter not in made.operands[1 - operand]]
    return found[0] if len(found) == 1 and made.result[found[0]] in made.operands[operand] else None


def _instead(case: Case, origin: model.Op, use: _Use, dim: int, own: tuple[int, int]) -> int | None:
    summed = [at for at in own if use.role(at) == "summed"]
    if len(summed) != 1 or len(use.made.summed()) != 1 or summed[0] == dim:
        return None
    if dim in own:
        return summed[0] if use.role(dim) == "kept" and _of_itself(case, origin, use) else None
    letter = use.made.operands[use.operand][use.order.index(dim)]
    if use.role(dim) != "shared" or _weighed(case, use.op, use.made.result.index(letter)):
        return None
    return summed[0]


# -- from the softmax back to the product
def _scores(case: Case, value: model.Value, before: int, depth: int = 0) -> model.Op | None:
    """The product that a value is, but for scaling and masking."""
    maker = case.producer(value.number, before) if value.number >= 0 else None
    if maker is None or depth > _DEEP:
        return None
    if product(maker) is not None:
        return maker
    if plain(maker.name) not in UNARY | PAIRWISE:
        return None
    same = [v for v in maker.operands if v.spec.shape == value.spec.shape and v.spec.dtype != "bool"]
    found = (_scores(case, v, maker.number, depth + 1) for v in same)
    return next((op for op in found if op is not None), None)


# -- from the softmax on to the next products
def _uses(case: Case, op: model.Op) -> Iterator[_Use]:
    result = op.results[0]
    waiting = [(result, op.number, tuple(range(len(result.spec.shape))))]
    for value, after, order in waiting:
        for user in case.users(value.number, after):
            if case.producer(value.number, user.number) is not case.op_by_number[after]:
                break  # changed in place: divided by its own sum, perhaps
            made = product(user)
            if made is not None:
                for at, given in enumerate(user.operands):
                    if given.number == value.number:
                        yield _Use(user, made, at, order)
            elif len(waiting) < _DEEP and user.results and (turn := _passed_on(case, user, value)) is not None:
                waiting.append((user.results[0], user.number, tuple(order[at] for at in turn)))


def _passed_on(case: Case, user: model.Op, value: model.Value) -> tuple[int, ...] | None:
    """How the dimensions of a value lie in what a call makes of it; None where it's no longer these weights."""
    rank = len(value.spec.shape)
    others = [v for v in user.operands if v.number != value.number and needs_grad(case, v, user.number)]
    whole = plain(user.name) in UNARY | PAIRWISE and not others
    if whole and user.results[0].spec.shape == value.spec.shape:
        return tuple(range(rank))
    return turned(user, rank)


def _weighed(case: Case, op: model.Op, dim: int) -> bool:
    """Whether the product is then reduced over that dimension: the softmax weighed what lies along it."""
    result = op.results[0]
    waiting = [(result, op.number, dim)]
    for value, after, at in waiting:
        for user in case.users(value.number, after):
            rank = len(value.spec.shape)
            made = product(user)
            if made is not None and user.operands[0].number != user.operands[1].number:
                index = 0 if user.operands[0].number == value.number else 1
                if made.role(index, at) == "summed":
                    return True
            elif plain(user.name) in REDUCTIONS and _over(user.arguments.get("dim"), at, rank):
                return True
            elif len(waiting) < _DEEP and user.results:
                same = user.results[0].spec.shape == value.spec.shape and plain(user.name) in UNARY | PAIRWISE
                turn = tuple(range(rank)) if same else turned(user, rank)
                if turn is not None:
                    waiting.append((user.results[0], user.number, turn.index(at)))
    return False


def _over(dims: object, at: int, rank: int) -> bool:
    listed = dims if isinstance(dims, (list, tuple)) else [dims]
    return any(isinstance(d, int) and d % rank == at for d in listed)


# -- an attention of a sequence to itself
def _of_itself(case: Case, origin: model.Op, use: _Use) -> bool:
    """Whether queries, keys and values are projections of one value: then queries don't compete for the keys."""
    values = use.op.operands[1 - use.operand]
    projected = {_projected(case, v, origin.number) for v in origin.operands} | {
        _projected(case, values, use.op.number)
    }
    return len(projected) == 1 and projected != {-1}


def _projected(case: Case, value: model.Value, before: int) -> int:
    """The value that a linear layer or a convolution made this of, but for its arrangement; -1 for none."""
    number = value.number
    for _ in range(_DEEP):
        maker = case.producer(number, before) if number >= 0 else None
        if maker is None or not maker.operands:
            return -1
        name = plain(maker.name)
        if name in _PROJECTIONS:
            return maker.operands[0].number
        alone = sum(needs_grad(case, v, maker.number) for v in maker.operands) == 1
        if name not in VIEWS | UNARY | _NORMS and not (name in PAIRWISE and alone):
            return -1
        number, before = maker.operands[0].number, maker.number
    return -1


# -- the words
def _finding(exam: Examination, op: model.Op, dim: int, right: int) -> Finding:
    case = exam.case
    shape = op.operands[0].spec.shape
    code, call = _written(case, op)
    place = code.place(call.node) if code is not None and call is not None else case.place(op.stack)
    new = _with_dim(code, call, right - len(shape)) if code is not None and call is not None else ""
    return exam.writer.write(
        "wrong-axis",
        "warning",
        place,
        "axis-attention",
        {
            "op": shown(op.name),
            "name": operand_name(case, op, 0) or case.words("the-scores"),
            "shape": shapes.text(shape),
            "dim": dim,
            "right": right,
            "size": shape[right],
            "new": new or f"dim={right - len(shape)}",
        },
        op=shown(op.name),
        expected_shape=f"dim={right}",
        received_shape=f"dim={dim}",
        changes=replacement(code, place, new) if new else (),
        symptom_line=op.stack[0].line if op.stack and place.line != op.stack[0].line else None,
        confidence=0.8,
        **node_fields(case, op),
    )


def _written(case: Case, op: model.Op) -> tuple[Code | None, Call | None]:
    """The call that says the dimension: the softmax's own, or the one that made the module."""
    module = module_of(case, op)
    made = made_at(case, module) if module is not None and module.class_name == "Softmax" else None
    if made is not None:
        code = case.code(made.file)
        found = [n for n in ast.walk(code.tree) if isinstance(n, ast.Call) and code.place(n) == made] if code else []
        return code, as_call(found[-1]) if found else None
    call = as_call(case.op_expression(op))
    return (case.code(op.stack[0].file), call) if call is not None and call.function == "softmax" else (None, None)


def _with_dim(code: Code, call: Call, dim: int) -> str:
    """The call with another dim; "" where it doesn't stand on one line."""
    whole = code.place(call.node)
    if whole.line != whole.end_line or any(keyword.arg is None for keyword in call.node.keywords):
        return ""
    function = call.receiver is None or names_module(code, call.receiver)
    axis = call.argument(1 if function and call.function == "softmax" else 0, "dim")
    text = code.text(call.node)
    if axis is None:
        return f"{text[:-1]}{', ' if call.node.args or call.keywords else ''}dim={dim})"
    spot, row = code.place(axis), text.encode()
    start, end = spot.column - whole.column, spot.end_column - whole.column
    return (row[:start] + str(dim).encode() + row[end:]).decode()
