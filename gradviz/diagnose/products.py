"""What the dimensions of a product of two tensors are: shared by both, kept of one, or summed over."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.diagnose.vocabulary import plain, reflected
from gradviz.trace import model
from gradviz.trace.model import Dim

_WAYS = {"mT", "mH", "T", "H", "t", "transpose", "permute", "adjoint"}


@dataclass(frozen=True)
class Product:
    """The dimensions by letters: those that stand for the same thing bear the same one."""

    operands: tuple[tuple[str, ...], tuple[str, ...]]
    result: tuple[str, ...]

    def role(self, operand: int, dim: int) -> str:
        """'summed', 'shared' by both operands, or 'kept' of this one alone."""
        letter = self.operands[operand][dim]
        if letter not in self.result:
            return "summed"
        return "shared" if letter in self.operands[1 - operand] else "kept"

    def summed(self) -> tuple[str, ...]:
        return tuple(letter for letter in dict.fromkeys(self.operands[0]) if letter not in self.result)


def product(op: model.Op) -> Product | None:
    """matmul and einsum of two tensors with rows and columns; None for anything else."""
    name, given = plain(op.name), op.operands
    if len(given) != 2 or len(op.results) != 1 or reflected(op.name):
        return None
    first, second = given[0].spec.shape, given[1].spec.shape
    if name == "einsum":
        return _einsum(str(op.arguments.get("argument 0", op.arguments.get("equation", ""))), first, second)
    if name not in ("matmul", "mm", "bmm") or min(len(first), len(second)) < 2:
        return None
    rank = max(len(first), len(second))
    left = (*_batch(first, "<"), "row", "sum")
    right = (*_batch(second, ">"), "sum", "column")
    sides = {letter.rpartition(" ")[2]: letter for letter in (*right[:-2], *left[:-2]) if letter[0] == "="}
    batch = tuple(sides.get(str(dim), f"= {dim}") for dim in range(-rank, -2))
    return Product((left, right), (*batch, "row", "column"))


def _batch(shape: tuple[Dim, ...], side: str) -> tuple[str, ...]:
    """A dimension of size 1 is repeated, and so shared with nothing."""
    return tuple(f"{side if shape[dim] == 1 else '='} {dim}" for dim in range(-len(shape), -2))


def _einsum(equation: str, first: tuple[Dim, ...], second: tuple[Dim, ...]) -> Product | None:
    given, arrow, result = equation.replace(" ", "").strip("'\"").partition("->")
    sides = given.split(",")
    if not arrow or len(sides) != 2:
        return None
    spread = [len(shape) - len(side.replace("...", "")) for side, shape in zip(sides, (first, second))]
    letters = [_letters(side, count) for side, count in zip(sides, spread)]
    if any(len(found) != len(shape) for found, shape in zip(letters, (first, second))):
        return None
    if any(len(set(found)) != len(found) for found in letters):
        return None  # a diagonal
    return Product((letters[0], letters[1]), _letters(result, max(spread)))


def _letters(side: str, spread: int) -> tuple[str, ...]:
    before, dots, after = side.partition("...")
    between = tuple(f"... {dim}" for dim in range(-spread, 0)) if dots else ()
    return (*before, *between, *after)


def turned(op: model.Op, rank: int) -> tuple[int, ...] | None:
    """For each dimension of the result of transpose and its like the one of the operand that it was; None untold."""
    name, given = plain(op.name), op.arguments
    order = list(range(rank))
    if name not in _WAYS or rank < 2:
        return None
    if name == "permute":
        dims = given.get("dims")
        if not isinstance(dims, (list, tuple)) or len(dims) != rank:
            return None
        return tuple(d % rank for d in dims if isinstance(d, int))
    if name == "transpose":
        pair = [given.get(f"dim{at}", given.get(f"axis{at}")) for at in (0, 1)]
    elif name in ("T", "H", "t") and rank != 2:
        return tuple(reversed(order)) if name == "T" else None
    else:
        pair = [-2, -1]
    i, j = pair
    if not isinstance(i, int) or not isinstance(j, int):
        return None
    order[i % rank], order[j % rank] = order[j % rank], order[i % rank]
    return tuple(order)
