"""Says what went wrong from the trace alone: `examination.diagnose(trace)` -> findings, most likely cause first."""
