"""What diagnosis says: one finding per fault, most likely cause first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from gradviz.trace.model import Dim

ShapeOrWords = Union[tuple[Dim, ...], str, None]  # a shape, or words where it isn't one ("2 gradients", "device meta")


@dataclass(frozen=True)
class Change:
    """The rewrite that mends it, as lines of the user's file: `old` may be empty (a line added)."""

    file: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class SeedRewrite:
    """The fix as gradviz can try it: one call of backward or grad starts from another seed, all else stays.

    `kind`: none (leave it out) | ones | mean (ones, divided by their number) | reshape | expand (what was given, in the
    output's shape) | cast (in its dtype) | first (without the surplus) | rows (one backward for each row) | batched |
    unbatched (the flag is_grads_batched). The recorder does it: gradviz/record/seedreplacement.py.
    """

    kind: str
    pass_id: int  # which call of the run, counted from 0
    function: str  # backward | grad
    file: str = ""  # where that call is written, "" = gradviz called it itself
    line: int = 0
    column: int = -1
    output: int = -1  # whose seed is meant, -1 = all


@dataclass(frozen=True)
class Mark:
    """What the finding marks on the canvas of its pass: a node, or the edge into (node, slot), or an op's operand."""

    kind: str  # node | edge | seed | operand
    node: int = -1  # node index in the pass
    slot: int = 0
    tail: int = -1  # for an edge: where the gradient comes from; -1 = the seed
    expected: ShapeOrWords = None
    received: ShapeOrWords = None
    dims: tuple[int, ...] = ()  # the bad dimensions of `received`, counted from the right: -1, -2


@dataclass(frozen=True)
class Operand:
    """An operand of the op that a finding speaks of, for the dimension-by-dimension picture and the constants drawn."""

    name: str  # the user's variable or expression, "" unknown
    shape: tuple[Dim, ...]
    node: int  # node index that made it, -1 = a constant
    line: int  # where it was made, 0 unknown
    stretched: tuple[int, ...] = ()  # dims (from the right) with 1 → n
    added: tuple[int, ...] = ()  # dims put in front
    user: int = -1  # index of the node whose call it is an operand of, -1 = of the marked one


@dataclass(frozen=True)
class Finding:
    """One fault. `line` is the CAUSE's line in `file`; `raised_line` where Python raised, None if nowhere."""

    rule: str
    severity: str  # error | warning | note
    file: str
    line: int
    message: str  # one line, with the shapes
    explanation: str
    fix: str  # the line to write
    title: str = ""  # what is wrong, in a few words
    column: int = -1
    end_line: int = 0
    end_column: int = -1
    raised_line: int | None = None
    raised_file: str | None = None
    symptom_line: int | None = None  # where it shows, if that is another line
    node: str = ""  # "SumBackward0"
    op: str = ""  # "sum"
    pass_id: int | None = None
    step: int | None = None  # number of the step in the pass that it belongs to, if it ran
    expected_shape: ShapeOrWords = None
    received_shape: ShapeOrWords = None
    marks: tuple[Mark, ...] = ()
    operands: tuple[Operand, ...] = ()
    bystanders: tuple[Operand, ...] = ()  # constants on the way to the fault: drawn, and innocent
    result_shape: ShapeOrWords = None
    changes: tuple[Change, ...] = ()
    rewrite: SeedRewrite | None = None  # None where the fix is nothing that gradviz can try
    effects: tuple[str, ...] = ()
    confidence: float = 1.0
