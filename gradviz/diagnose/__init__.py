"""Says what went wrong from the trace alone: `diagnose(trace) -> tuple[Finding, ...]`, most likely cause first."""
