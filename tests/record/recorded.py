"""Records a function of a test in this process and opens what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradviz
from gradviz.trace.model import Backward, Node, Op
from gradviz.trace.reader import Trace


def recorded(folder: Path, program: Callable[[], Any], level: str = "summaries", passes: str = "all") -> Trace:
    """The trace of `program`, which may raise: the error is in the trace."""
    path = folder / "run.gradviz"
    path.unlink(missing_ok=True)
    recording = gradviz.recording(path, level=level, passes=passes)
    try:
        with recording:
            program()
    except Exception:  # noqa: BLE001  # the program's own: what was recorded of it is what is tested
        pass
    trace = Trace(path)
    assert not [note for note in trace.notes() if note.kind == "recorder-fault"], trace.notes()
    return trace


def op_named(trace: Trace, name: str) -> Op:
    """The last op of this name."""
    return [op for op in trace.ops() if op.name == name][-1]


def nodes_of(trace: Trace, record: Backward) -> list[Node]:
    """All nodes of a pass."""
    return [trace.node(record.id, index) for index in range(record.nodes)]


def line_of(op: Op) -> int:
    """The user's line."""
    return op.stack[0].line
