"""Records the contract's programs in each framework, and pictures what was recorded in a form common to all.

The one place where frameworks may differ is `Picture`: what a tape truly has and the others have not is taken out.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gradviz.diagnose.vocabulary import plain
from gradviz.trace.model import Backward, Node
from gradviz.trace.packing import NODE_LEAF
from gradviz.trace.reader import Trace
from tests.record.contract_hips import HipsArrays
from tests.record.contract_programs import PROGRAMS, SCRIPTS, Arrays
from tests.record.contract_torch import TorchArrays
from tests.record.recorded import nodes_of, recorded
from tests.source_imports import ROOT
from tests.tensorflow_python import PYTHON

HERE: dict[str, Arrays] = {"torch": TorchArrays(), "hips": HipsArrays()}  # those that this interpreter has
GUARD_SECONDS = 240.0  # only against a program that hangs
# A tape has a node for the read of a variable, which hands its gradient on to the variable as it is.
READS = frozenset({"ReadVariableOp"})

Edge = tuple[int, int, int, int]


@dataclass(frozen=True)
class Run:
    """What was recorded of a program, and the gradients of its inputs where the pass ran through."""

    trace: Trace
    gradients: list[Any]


def run_here(folder: Path, framework: str, name: str) -> Run:
    """One program, recorded in this process."""
    gradients: list[Any] = []
    arrays = HERE[framework]
    if name in SCRIPTS:
        return Run(recorded(folder, lambda: SCRIPTS[name][0](arrays)), gradients)
    program = PROGRAMS[name]
    trace = recorded(folder, lambda: gradients.extend(arrays.differentiate(program.body, program.inputs)))
    return Run(trace, gradients)


def run_in_tensorflow(folder: Path) -> Callable[[str], Run]:
    """All programs, recorded in one process under TensorFlow's interpreter; the run of each by its name."""
    assert PYTHON is not None
    command = [PYTHON, "-m", "tests.record.contract_tensorflow", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert done.returncode == 0, done.stderr

    def run(name: str) -> Run:
        trace, saved = Trace(folder / f"{name}.gradviz"), folder / f"{name}.npz"
        assert not [note for note in trace.notes() if note.kind == "recorder-fault"], trace.notes()
        return Run(trace, list(np.load(saved).values()) if saved.exists() else [])

    return run


class Picture:
    """The first pass up to names, without the nodes that only a tape has: READS are passed through."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.backward: Backward = trace.passes()[0]
        self._all = nodes_of(trace, self.backward)

    @cached_property
    def nodes(self) -> list[Node]:
        return [node for node in self._all if node.name not in READS]

    def names(self) -> list[str]:
        """What the nodes are, in words that are the same everywhere: by the call that made each."""
        ops = {op.number: plain(op.name).lower() for op in self.trace.ops()}
        return ["leaf" if node.flags & NODE_LEAF else ops[node.op] for node in self.nodes]

    def facts(self) -> dict[str, Any]:
        """Roots, seeds, shapes, edges, and the steps with what each node received."""
        number = self._number
        steps = [self.trace.step(self.backward.id, at) for at in range(self.backward.steps)]
        return {
            "roots": [(number[port.node], port.spec.shape) for port in self.backward.roots],
            "seeds": self.backward.seeds,
            "expected": [[spec.shape for spec in node.expected] for node in self.nodes],
            "dtypes": [[spec.dtype for spec in node.expected] for node in self.nodes],
            "leaves": [bool(node.flags & NODE_LEAF) for node in self.nodes],
            "edges": self._edges(),
            "steps": [
                (number[step.node], [got.spec.shape for got in step.received if got.spec is not None])
                for step in steps
                if step.node in number
            ],
            "outcome": self.backward.outcome,
        }

    def figures(self) -> list[tuple[float, ...]]:
        """Counts, extremes, mean and norm of all that the nodes received, in the order of the steps."""
        steps = self.trace.steps(self.backward.id)
        columns = (steps.nans, steps.infs, steps.zeros, steps.min, steps.max, steps.mean, steps.norm)
        rows = [tuple(float(value) for value in row) for row in zip(*columns)]
        spans = zip(steps.node.tolist(), steps.received_start.tolist(), steps.received_end.tolist())
        return [row for node, start, end in spans if node in self._number for row in rows[start:end]]

    @cached_property
    def _number(self) -> dict[int, int]:
        """The place of each node that stays among those that stay."""
        return {node.index: at for at, node in enumerate(self.nodes)}

    def _edges(self) -> list[Edge]:
        """Tail, rank among the tail's edges (torch and tapes count constants too), head, slot."""
        graph, number = self.trace.graph(self.backward.id), self._number
        columns = (graph.tail, graph.index, graph.head, graph.slot)
        rows: list[Edge] = sorted((t, i, h, s) for t, i, h, s in zip(*(column.tolist() for column in columns)))
        onward = {tail: (head, slot) for tail, _, head, slot in rows if tail not in number}
        tails = [tail for tail, *_ in rows]
        edges = []
        for at, (tail, _, head, slot) in enumerate(rows):
            if tail in number:
                head, slot = onward.get(head, (head, slot))
                edges.append((number[tail], at - tails.index(tail), number[head], slot))
        return edges
