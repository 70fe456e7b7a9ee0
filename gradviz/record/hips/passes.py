"""A pass of autograd's in memory: as any framework's, its statistics put in columns only when it is written."""

from __future__ import annotations

from typing import Any

from gradviz.record.arraymeasures import ArrayMeasures
from gradviz.record.hips.walk import Graph
from gradviz.record.passrecord import PassRecord

ENTRY = "vjp"  # of a pass through autograd's backward_pass, in `backward.entry`


class HipsPass(PassRecord):
    """Filled by engine.py and steps.py."""

    def __init__(self, number: int, parent: int | None, thread: int, graph: Graph) -> None:
        self.measures: ArrayMeasures | None = None
        super().__init__(number, parent, thread, graph)

    @property
    def figures(self) -> list[Any] | None:
        """The seven columns of statistics by slot; the last row is no slot's: not taken."""
        if self.measures is None:
            return None
        return self.measures.columns(len(self.graph.order) + len(self.returned) // 4 + 1)

    @figures.setter
    def figures(self, value: list[Any] | None) -> None:
        assert value is None
