"""Stands aside while torch traces a program: a tracer takes whatever it meets, ours too, for a part of the program."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from gradviz.record.patches import Patches
from gradviz.record.pytorch.modes import mode_off
from gradviz.record.pytorch.state import Recorder

# Module, function. What isn't imported by then is left alone: to import it would change the program.
TRACERS = (
    ("torch.jit", "trace"),
    ("torch.jit", "trace_module"),
    ("torch.export", "export"),
    ("torch.onnx", "export"),
)


def install_standing_aside(recorder: Recorder, patches: Patches) -> None:
    """While one of the tracers runs, torch is as it would be without us."""

    def aside(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def traced(*args: Any, **kwargs: Any) -> Any:
            if not recorder.session.recording:
                return original(*args, **kwargs)
            with patches.suspended(), mode_off(recorder.state()):
                return original(*args, **kwargs)

        return traced

    for name, function in TRACERS:
        module = sys.modules.get(name)
        original = getattr(module, function, None)
        if original is not None:
            patches.replace(module, function, aside(original))
