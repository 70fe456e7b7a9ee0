"""Words about a fix that was tried: what the second run showed."""

from __future__ import annotations

from collections.abc import Mapping

TRYING: Mapping[str, str] = {
    "completed": "With this, {function} completes{gradients}.",
    "one-gradient": " and {list}",
    "gradients": ": {list}",
    "leaf": "{name}.grad has shape {shape}",
    "leaf-unnamed": "a leaf's gradient has shape {shape}",
    "input": "the gradient of {name} has shape {shape}",
    "input-unnamed": "the gradient of input {number} has shape {shape}",
    "more": "{count} more have theirs",
    "failed": "With this, {function} still fails, at {place}: {message}",
    "not-reached": "The second run did not come to this call, so this could not be tried.",
    "not-reached-raised": "The second run did not come to this call: it raised {type} at {place}.",
    "timeout": "After {seconds:g} s the second run had not come through this call; it was ended.",
    "stopped": "The second run was stopped before it came through this call.",
    "killed": "The second run's process ended suddenly before it came through this call.",
    "not-run": "This could not be tried: {reason}",
    "then-raised": " Further on the script raises {type} at {place}: {message}",
    "then-exited": " Further on the script ends itself with exit code {code}.",
    "then-timeout": " The script was still running after {seconds:g} s, and was ended.",
    "then-stopped": " The script was then stopped.",
    "then-killed": " Further on the script's process ends suddenly.",
}
