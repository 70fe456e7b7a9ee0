"""What a gradient was to flow from: an output of a backward pass, or what a function returned that gradviz called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gradviz.diagnose.exam import Examination
from gradviz.diagnose.rules.higher_order import fields_of, root_name_of
from gradviz.trace import model


@dataclass(frozen=True)
class End:
    """Where the way of the gradient begins, for a finding that says why there is none."""

    name: str  # how a sentence calls it
    value: int  # -1 = it is no tensor
    stack: model.Stack  # of the call that was to start from it
    fields: Mapping[str, Any]  # of Finding: the pass, and what was raised
    severity: str = "error"


def end_of(exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None, index: int) -> End:
    """Output `index` of a pass."""
    return End(
        root_name_of(exam, backward, index),
        backward.roots[index].value,
        backward.stack,
        fields_of(exam, backward, error),
    )
