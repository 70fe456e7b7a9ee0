"""A pass's graph and steps as numpy columns, for whoever handles all of them at once (scene, layout, canvas, rules)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PassGraph:
    """Nodes and edges of one pass: n nodes, m edges. `name`, `spec` are ids for Trace.string and Trace.spec."""

    name: Ints  # (n,) string ids
    seq: Longs
    thread: Ints
    op: Ints  # op numbers, -1
    call: Ints  # module call numbers, -1
    leaf: Ints  # leaf ids, -1
    flags: Ints
    expected_start: Ints  # (n,) slice into expected_spec
    expected_end: Ints
    expected_spec: Ints
    tail: Ints  # (m,)
    index: Ints
    head: Ints
    slot: Ints

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True)
class PassSteps:
    """Steps of one pass in the order they ran: s steps, r received gradients."""

    node: Ints  # (s,)
    start: Longs
    duration: Longs
    received_start: Ints
    received_end: Ints
    spec: Ints  # (r,) -1 = None
    nans: Longs
    infs: Longs
    zeros: Longs
    min: Floats
    max: Floats
    mean: Floats
    norm: Floats

    def __len__(self) -> int:
        return len(self.node)
