"""Two shapes, or the operands of a broadcast, dimension by dimension, lined up at the right. No words and no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.diagnose.finding import Operand, ShapeOrWords
from gradviz.trace.model import Dim

PLAIN, BAD, ABSENT, STRETCHED, ADDED, RESULT, SUMMED = (
    "plain",
    "bad",
    "absent",
    "stretched",
    "added",
    "result",
    "summed",
)
EQUAL, DIFFERS, EXTRA, MISSING = "equal", "differs", "extra", "missing"
Shape = tuple[Dim, ...]


@dataclass(frozen=True)
class Cell:
    """One dimension of one row."""

    text: str
    style: str = PLAIN


@dataclass(frozen=True)
class Verdict:
    """What stands under a column: equal, differs (from `size`), extra, missing; or a free `name` that was stretched."""

    kind: str
    size: str = ""
    name: str = ""


@dataclass(frozen=True)
class Row:
    """One shape: its cells are as many as the columns, the last is dim −1."""

    name: str
    cells: tuple[Cell, ...]
    shape: Shape


@dataclass(frozen=True)
class Comparison:
    """Rows and verdicts over the same columns: `dims` are numbered from the right, -n … -1."""

    rows: tuple[Row, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def columns(self) -> int:
        return len(self.verdicts)

    @property
    def equal(self) -> bool:
        return all(verdict.kind == EQUAL for verdict in self.verdicts)


def compare(expected: Shape, received: Shape) -> Comparison:
    """Expected above received; both scalars give one column without a dimension."""
    columns = max(len(expected), len(received), 1)
    first, second, verdicts = [], [], []
    for dim in range(-columns, 0):
        mine, yours = at(expected, dim), at(received, dim)
        if mine is None and yours is None:
            first.append(Cell("", ABSENT))
            second.append(Cell("", ABSENT))
            verdicts.append(Verdict(EQUAL))
        elif mine is None:
            first.append(Cell("", ABSENT))
            second.append(Cell(str(yours), BAD))
            verdicts.append(Verdict(EXTRA))
        elif yours is None:
            first.append(Cell(str(mine)))
            second.append(Cell("", ABSENT))
            verdicts.append(Verdict(MISSING))
        else:
            same = mine == yours
            first.append(Cell(str(mine)))
            second.append(Cell(str(yours), PLAIN if same else BAD))
            verdicts.append(Verdict(EQUAL) if same else Verdict(DIFFERS, str(mine)))
    return Comparison((Row("", tuple(first), expected), Row("", tuple(second), received)), tuple(verdicts))


def single(shape: Shape) -> Comparison:
    """A shape alone, where nothing has been received."""
    cells = tuple(Cell(str(dim)) for dim in shape) or (Cell("", ABSENT),)
    return Comparison((Row("", cells, shape),), tuple(Verdict(EQUAL) for _ in cells))


def stretched(operands: Sequence[Operand], result: ShapeOrWords, name: str = "") -> Comparison | None:
    """How broadcasting stretched the operands to the result; None where the result isn't a shape."""
    if not isinstance(result, tuple) or not operands:
        return None
    columns = max(len(result), *(len(operand.shape) for operand in operands))
    rows = [Row(operand.name, _operand_cells(operand, result, columns), operand.shape) for operand in operands]
    touched = [
        next((o.name for o in operands if dim in o.stretched or dim in o.added), "") for dim in range(-columns, 0)
    ]
    cells = tuple(
        Cell(str(at(result, dim)) if at(result, dim) is not None else "", RESULT if touched[dim] else PLAIN)
        for dim in range(-columns, 0)
    )
    rows.append(Row(name, cells, result))
    return Comparison(tuple(rows), tuple(Verdict(DIFFERS if who else EQUAL, name=who) for who in touched))


def _operand_cells(operand: Operand, result: Shape, columns: int) -> tuple[Cell, ...]:
    cells = []
    for dim in range(-columns, 0):
        size, whole = at(operand.shape, dim), at(result, dim)
        if dim in operand.stretched:
            cells.append(Cell(f"{size} → {whole}", STRETCHED))
        elif dim in operand.added or size is None:
            cells.append(Cell(f"+ {whole}", ADDED))
        else:
            cells.append(Cell(str(size)))
    return tuple(cells)


def summed_dims(received: Shape, handed_on: Shape) -> tuple[int, ...]:
    """Dimensions, from the right, that backward summed over between these two; () where shapes don't tell."""
    if len(handed_on) > len(received):
        return ()
    dims = []
    for dim in range(-len(received), 0):
        size, kept = at(received, dim), at(handed_on, dim)
        if kept is None or (kept == 1 and size != 1):
            dims.append(dim)
        elif kept != size:
            return ()
    return tuple(dims)


def at(shape: Shape, dim: int) -> Dim | None:
    """The size at a dimension counted from the right, None where there is none."""
    return shape[dim] if -dim <= len(shape) else None
