"""A pass of torch's in memory: as any framework's, with the gradients that wait to be measured."""

from __future__ import annotations

from typing import Any

from gradviz.record.passrecord import PassRecord
from gradviz.record.pytorch.batches import Batches


class TorchPass(PassRecord):
    """Filled by engine.py and steps.py."""

    def __init__(self, number: int, parent: int | None, thread: int, graph: Any) -> None:
        super().__init__(number, parent, thread, graph)
        self.batches: Batches | None = None
