"""How many backward passes there were: those that are stored, and those that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.trace.model import Backward


def passes_in_all(passes: Sequence[Backward]) -> int:
    """Of a run that goes on: up to the newest that is known."""
    return max((sum(max(1, each.repeats) for each in passes), *(each.id + 1 for each in passes)))
