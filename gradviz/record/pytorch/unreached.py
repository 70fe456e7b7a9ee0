"""Tensors with a grad_fn that no backward was called from, offered to the person when the script called none at all."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.record.oplog import OP_WIDTH, RESULT_WIDTH
from gradviz.record.pytorch.offer import tensors_in
from gradviz.record.pytorch.state import Recorder

MOST = 50


def write_unreached(recorder: Recorder) -> None:
    """A row for each that the script's global names still hold."""
    if recorder.roots_seen:
        return
    makers = _makers(recorder)
    seen: set[int] = set()
    for name, value in list(recorder.session.namespace().items()):
        if not isinstance(name, str) or name.startswith("__"):
            continue
        for tensor in tensors_in(value, 2):
            function = tensor.grad_fn
            entry = recorder.values.lookup(tensor)
            if function is None or entry.number in seen or len(seen) >= MOST:
                continue
            seen.add(entry.number)
            op, stack = makers.get(entry.number, (None, -1))
            recorder.writer.add(
                "unreached",
                value=entry.number,
                name=name if isinstance(value, torch.Tensor) else f"{name}[…]",
                spec=entry.spec,
                grad_fn=type(function).__name__,
                stack=stack if stack >= 0 else None,
                op=op,
            )


def _makers(recorder: Recorder) -> dict[int, tuple[Any, int]]:
    """value -> number and stack of the op that returned it last; ops are still in the logs when no pass ran."""
    makers: dict[int, tuple[Any, int]] = {}
    for state in recorder.threads.values():
        log, at = state.log, 0
        for row in range(0, len(log.ops), OP_WIDTH):
            number, stack, results = log.ops[row], log.ops[row + 2], log.ops[row + 9]
            for result in range(results):
                makers[log.results[at + RESULT_WIDTH * result]] = (number, stack)
            at += RESULT_WIDTH * results
    return makers
