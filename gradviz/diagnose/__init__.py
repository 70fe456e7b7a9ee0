"""Says what went wrong from the trace alone: `diagnose(trace) -> tuple[Finding, ...]`, most likely cause first."""

from gradviz.diagnose.diagnosis import diagnose
from gradviz.diagnose.finding import Change, Finding, Mark, Operand

__all__ = ["Change", "Finding", "Mark", "Operand", "diagnose"]
