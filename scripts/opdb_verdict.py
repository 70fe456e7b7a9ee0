"""What a sweep of torch's operators says of one operator. Standard library only: the sweep itself has no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Verdict:
    """What was seen of one operator. `alarms`, `missed`, `differences`, `unmapped` and `faults` are to be empty."""

    op: str
    samples: int = 0  # compared and diagnosed
    non_finite: int = 0  # of them: bare gradients have NaN or infinity, and the finding that says so is right
    zero: int = 0  # of them: a bare gradient is zero throughout, and a finding that says so is right
    unrepeatable: int = 0  # of them: two bare runs differ, so there are no numbers to compare
    passes: int = 0
    nodes: int = 0
    seconds: float = 0.0
    skipped: dict[str, int] = field(default_factory=dict)  # reason -> samples
    alarms: list[str] = field(default_factory=list)  # false ones
    missed: list[str] = field(default_factory=list)  # non-finite gradients without a finding
    differences: list[str] = field(default_factory=list)
    unmapped: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # the recorder's own, or a process that died

    @staticmethod
    def of(entry: dict[str, Any]) -> Verdict:
        """From JSON."""
        return Verdict(**entry)

    def skip(self, reason: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    @property
    def holds(self) -> bool:
        return not (self.alarms or self.missed or self.differences or self.unmapped or self.faults)
