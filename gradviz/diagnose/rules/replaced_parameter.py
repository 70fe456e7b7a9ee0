"""non-leaf-grad and detached: `w = w - lr * w.grad` makes a new tensor of a parameter's name, which has no .grad."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose.build import new_line, raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules.rebound import Rebound, rebound
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import OP_INFERENCE, OP_NO_GRAD, VALUE_LEAF, VALUE_REQUIRES_GRAD

_TRAINED = VALUE_LEAF | VALUE_REQUIRES_GRAD


@dataclass(frozen=True)
class Replaced:
    """The update that took a parameter's name away, and the first read of .grad that found none."""

    update: model.Op
    rebound: Rebound
    read: model.Op

    def led_to(self, error: model.ExceptionInfo) -> bool:
        """Whether an error is what the script did with the None that it read."""
        here = self.read.stack[0]
        at = error.stack[0] if error.stack else None
        return "NoneType" in error.message and at is not None and (at.file, at.line) == (here.file, here.line)


def find(exam: Examination) -> Iterator[Finding]:
    for one in _replaced(exam.case):
        error = next((each for each in exam.case.exceptions if one.led_to(each)), None)
        # Without a graph it may be on its way to becoming a leaf of its own, and then only an error tells.
        if error is not None or one.read.operands[0].flags & VALUE_REQUIRES_GRAD:
            yield _finding(exam, one, error)


def is_effect(exam: Examination, error: model.ExceptionInfo) -> bool:
    """Whether an error is told with the update that led to it."""
    return "NoneType" in error.message and any(one.led_to(error) for one in _replaced(exam.case))


def reads(case: Case) -> set[tuple[str, int]]:
    """The lines that read .grad of a name which such an update took."""
    return {(one.read.stack[0].file, one.read.stack[0].line) for one in _replaced(case)}


def _replaced(case: Case) -> list[Replaced]:
    found: dict[tuple[str, int], Replaced] = {}
    for op in case.ops:
        if plain(op.name) != "grad" or op.results or not op.operands or not op.stack:
            continue
        if op.operands[0].flags & _TRAINED == _TRAINED:
            continue  # made a leaf again, as by requires_grad_()
        maker = case.producer(op.operands[0].number, op.number)
        replaced = rebound(case, maker) if maker is not None and maker.stack else None
        if maker is not None and replaced is not None:
            found.setdefault((replaced.place.file, replaced.place.line), Replaced(maker, replaced, op))
    return list(found.values())


def _finding(exam: Examination, one: Replaced, error: model.ExceptionInfo | None) -> Finding:
    place, read, update = one.rebound.place, one.read, one.update
    new = one.rebound.new.partition("  # ")[0]
    if not update.flags & (OP_NO_GRAD | OP_INFERENCE):
        new = f"with torch.no_grad(): {new}"
    has_graph = bool(read.operands[0].flags & VALUE_REQUIRES_GRAD)
    effects = (f"{error.type.rpartition('.')[2]}: {error.message.splitlines()[0]}",) if error is not None else ()
    return exam.writer.write(
        "non-leaf-grad" if has_graph else "detached",
        "error" if error is not None and not error.caught else "warning",
        place,
        "parameter-replaced",
        {"name": one.rebound.name, "line": place.line, "call": read.stack[0].line, "new": new},
        changes=new_line(exam.case.code(place.file), place.line, new),
        op=plain(update.name),
        expected_shape=read.operands[0].spec.shape,
        received_shape="None",
        symptom_line=read.stack[0].line,
        effects=effects,
        **raised(error),
    )
