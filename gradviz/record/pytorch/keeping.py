"""At level `values` the numbers of every gradient are kept as it arrives: whole while it is small, else thinned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.passes import TorchPass
from gradviz.record.pytorch.samples import sample_of
from gradviz.record.pytorch.state import Recorder

WHOLE = 65_536  # entries; a larger gradient is thinned as any sample is
BUDGET = 256 << 20  # bytes of one pass: what comes after has its figures only
Prehook = Callable[[Sequence[Any]], None]


def keeping(prehook: Prehook, recorder: Recorder, record: TorchPass) -> Prehook:
    """`prehook`, after which the numbers of what it saw are kept as well."""
    values, samples, left = recorder.values, record.samples, BUDGET

    def prehook_and_keep(gradients: Sequence[Any]) -> None:
        nonlocal left
        began = record.step_count()
        prehook(gradients)
        step = record.step_count() - 1
        if step != began or left <= 0:
            return
        with guarded(recorder):
            for slot, gradient in enumerate(gradients):
                sample = sample_of(gradient, gradient.numel() <= WHOLE) if isinstance(gradient, torch.Tensor) else None
                if sample is not None and left > 0:
                    left -= len(sample["data"])
                    samples.append((step, slot, "received", values.spec(gradient), sample))

    return prehook_and_keep
