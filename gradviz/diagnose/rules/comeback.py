"""Where a value that was cut off from its graph comes back into a pass, and what is done with it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradviz.diagnose.bridges import Exit
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.finding import Mark
from gradviz.diagnose.returned import stays
from gradviz.diagnose.vocabulary import COMPARISONS, LOSSES, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_FACTORY, VALUE_PARAMETER, VALUE_REQUIRES_GRAD

_LIMIT = 500
# Hold a prediction against something: what stands on the other side is a target, and cut off on purpose.
_COMPARES = LOSSES | COMPARISONS | {"sub", "rsub", "dist", "cdist", "pairwise_distance", "cosine_similarity"}


@dataclass(frozen=True)
class Entry:
    """Where what was cut off comes back: the first node of a pass that works on it."""

    backward: model.Backward
    node: int

    def fields(self, case: Case) -> dict[str, Any]:
        """Of a finding: the pass that it shows in, and where the cut value comes into it."""
        return {
            "pass_id": self.backward.id,
            "step": case.steps_of(self.backward.id).get(self.node),
            "symptom_line": self.backward.stack[0].line if self.backward.stack else None,
            "marks": (Mark("node", self.node),),
        }


class Comebacks:
    """The ways back into the passes of one recording."""

    def __init__(self, case: Case) -> None:
        self._case = case

    @cached_property
    def _nodes(self) -> dict[int, Entry]:
        """The first node of each call that is part of a pass."""
        found: dict[int, Entry] = {}
        for backward in self._case.passes:
            numbers, first = np.unique(self._case.trace.graph(backward.id).op, return_index=True)
            for number, node in zip(numbers.tolist(), first.tolist()):
                if number >= 0:
                    found.setdefault(number, Entry(backward, node))
        return found

    def of_number(self, way: Exit, beyond: bool) -> tuple[Entry, model.Op] | None:
        """The node of a pass whose call took in what left torch, or something computed from it, and the call that did.
        `beyond`: also where it was returned to.
        """
        further = stays(self._case, way.op.stack, way.expression) if beyond else []
        for op in self._case.ops:
            if op.number <= way.op.number or plain(op.name) in ("item", "numpy", "detach"):
                continue
            taken = way.feeds(self._case, op)
            taken = taken or (_takes_numbers(op) and any(stay.takes(self._case, op) for stay in further))
            entry = self.behind(op) if taken else None
            if entry is not None:
                return entry, op
        return None

    def behind(self, op: model.Op) -> Entry | None:
        """Where a call's results lead into a pass."""
        for one in self._onwards(op):
            if one.number in self._nodes and any(r.flags & VALUE_REQUIRES_GRAD for r in one.results):
                return self._nodes[one.number]
        return None

    def is_target(self, op: model.Op) -> bool:
        """Whether all that a pass does with what this call gave is to compare something with it."""
        met = {plain(one.name) for one in self._onwards(op) if self._enters(one)}
        return bool(met) and met <= _COMPARES

    def _enters(self, op: model.Op) -> bool:
        return op.number in self._nodes and any(v.flags & VALUE_REQUIRES_GRAD for v in (*op.operands, *op.results))

    def _onwards(self, op: model.Op) -> Iterator[model.Op]:
        """The call and those that work on what it gave, up to where a pass begins."""
        waiting, seen = [op], {op.number}
        while waiting and len(seen) < _LIMIT:
            one = waiting.pop(0)
            yield one
            if self._enters(one):
                continue
            for result in one.results:
                for user in self._case.users(result.number, one.number) if result.number >= 0 else ():
                    if user.number not in seen and not is_step(user):
                        seen.add(user.number)
                        waiting.append(user)


def _takes_numbers(op: model.Op) -> bool:
    """Whether something that is no tensor went into a call."""
    return bool(op.flags & OP_FACTORY) or any(isinstance(given, (int, float)) for given in op.arguments.values())


def feeds_parameters(case: Case, op: model.Op) -> bool:
    """Whether trained layers work on what was cut off; a target that is only compared with is cut off on purpose."""
    waiting, seen = [op], {op.number}
    while waiting and len(seen) < 300:
        one = waiting.pop(0)
        for result in one.results:
            for user in case.users(result.number, one.number) if result.number >= 0 else ():
                if is_step(user):
                    continue
                if any(v.flags & VALUE_PARAMETER and v.flags & VALUE_REQUIRES_GRAD for v in user.operands):
                    return True
                if user.number not in seen:
                    seen.add(user.number)
                    waiting.append(user)
    return False
