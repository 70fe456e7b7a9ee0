"""One backward pass in memory: what was asked, its graph, the steps that ran, and how it ended."""

from __future__ import annotations

import bisect
from time import perf_counter_ns
from typing import Any

from gradviz.record.oplog import OpLog

STEP_WIDTH = 4  # node, nanoseconds, spec of what it received, its version
SEVERAL = -2  # spec of a step whose node receives several gradients: they are in `several`


class PassRecord:
    """Filled by a framework's recorder, which may add to it; written by passstore.py."""

    def __init__(self, number: int, parent: int | None, thread: int, graph: Any) -> None:
        self.number = number
        self.parent = parent
        self.thread = thread
        self.graph = graph  # walk.Graph, or what another framework has in its place
        self.leaves: Any = None  # the leaf table of its framework, where that isn't the store's own
        self.columns: dict[str, Any] = {}  # of the backward row: entry, stack, flags, roots, seeds, inputs, phase
        self.ports: list[tuple[Any, ...]] = []  # node, slot, spec of roots and inputs
        self.seeds: list[Any] = []
        self.structure = ""
        self.stored = False  # its row and graph are in the file
        self.faulty = False  # it has to be stored
        self.active = True  # False while a pass inside it runs: hooks on shared nodes are not for it
        self.steps: list[int] = []
        self.several: dict[int, list[int]] = {}  # node -> spec, version per slot
        self.returned: list[int] = []  # step, index, spec, type
        self.samples: list[tuple[Any, ...]] = []  # step, slot, role, spec, columns of the sample
        self.saved: list[tuple[Any, ...]] = []  # node, name, spec, version
        self.outcome = "running"
        self.exception: int | None = None
        self.failed_node: int | None = None
        self.fault: BaseException | None = None  # of the recorder itself
        self.logs: list[OpLog] = []  # ops since the pass before, while they are not written
        self.started = perf_counter_ns()
        self.duration: float | None = None
        self.figures: list[Any] | None = None  # the seven columns of statistics by slot, made at the end

    def step_count(self) -> int:
        """How many nodes began to run."""
        return len(self.steps) // STEP_WIDTH

    def last_node(self) -> int:
        """The node that began last, -1 none."""
        return self.steps[-STEP_WIDTH] if self.steps else -1

    def ended_by(self, error: BaseException) -> bool:
        """It raised, or was refused before its first node; False where somebody interrupted it."""
        node = self.last_node()
        self.faulty = True
        self.failed_node = node if node >= 0 else None
        interrupted = not isinstance(error, Exception)
        self.outcome = "interrupted" if interrupted else "raised" if node >= 0 else "refused"
        return not interrupted

    def place_of_slot(self, slot: int) -> tuple[int, int] | None:
        """Step and slot of its node for a slot of the graph; None for one that wasn't reached."""
        node = bisect.bisect_right(self.graph.expected_end, slot)
        nodes = self.steps[::STEP_WIDTH]
        return (nodes.index(node), slot - self.slot_start(node)) if node in nodes else None

    def slot_start(self, node: int) -> int:
        """Number of the node's first slot among all slots of the graph."""
        return self.graph.expected_end[node - 1] if node else 0
