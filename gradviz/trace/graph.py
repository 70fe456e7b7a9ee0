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


@dataclass(frozen=True)
class CallColumns:
    """All module calls of a run: c calls, numbers rising. `in_spec`, `out_spec` are ids for Trace.spec, -1 unknown."""

    number: Ints  # (c,)
    module: Ints
    parent: Ints  # numbers, -1
    in_spec: Ints
    out_spec: Ints

    def rows(self, numbers: Ints) -> Ints:
        """The row of each of these numbers, -1 where there is no such call."""
        if not len(self.number):
            return np.full(len(numbers), -1, np.int32)
        at = np.minimum(np.searchsorted(self.number, numbers), len(self.number) - 1)
        return np.where(self.number[at] == numbers, at, -1).astype(np.int32)
