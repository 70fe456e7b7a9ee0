"""Which nodes and calls of a pass belong to which module: for all nodes at once, in columns. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.document.module_forest import ModuleForest, forest_of
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Spec
from gradviz.trace.packing import NODE_LEAF
from gradviz.trace.reader import Trace

Longs = NDArray[np.int64]


class ModuleCalls:
    """Of one pass. Calls that have no node in it (of an Identity, say) don't count."""

    def __init__(self, trace: Trace, call: NDArray[np.int32], forest: ModuleForest) -> None:
        self._trace, self.forest = trace, forest
        self._columns = trace.calls()
        row = self._columns.rows(call)
        self.of_node: Longs = np.where(row >= 0, np.append(self._columns.module, -1)[row], -1).astype(np.int64)
        rows = self._with_those_around(np.unique(row[row >= 0]))
        module = self._columns.module[rows]
        self.count: Longs = np.bincount(module, minlength=len(forest))  # of its calls
        self._first: Longs = np.full(len(forest), -1, np.int64)
        self._first[module[::-1]] = rows[::-1]  # rows rise: the first one stays

    def nodes_inside(self, module: int) -> Longs:
        """The nodes that calls of this module, and of those below it, made."""
        place = np.append(self.forest.place, -1)[self.of_node]
        return np.flatnonzero((place >= self.forest.place[module]) & (place < self.forest.end[module]))

    def ends(self, module: int) -> tuple[Spec | None, Spec | None]:
        """What the module's first call took, and what it returned."""
        row = int(self._first[module])
        if row < 0:
            return None, None
        columns = self._columns
        return self._trace.spec(int(columns.in_spec[row])), self._trace.spec(int(columns.out_spec[row]))

    def _with_those_around(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """These calls and all that they ran in, rising."""
        found = [rows]
        while len(rows):
            outer = self._columns.parent[rows]
            rows = np.unique(self._columns.rows(np.unique(outer[outer >= 0])))
            rows = rows[rows >= 0]
            found.append(rows)
        return np.unique(np.concatenate(found))


def with_leaves(graph: PassGraph, nodes: Longs) -> Longs:
    """These nodes, and the leaves that they hand gradients to: what is drawn where they are."""
    leaf = (graph.leaf >= 0) | ((graph.flags & NODE_LEAF) != 0)
    into = leaf[graph.head] & np.isin(graph.tail, nodes)
    return np.union1d(nodes, graph.head[into]).astype(np.int64)


def calls_of(trace: Trace, pass_id: int) -> ModuleCalls:
    """Made once for a pass, until the recording grows."""
    return trace.kept(
        f"module calls of pass {pass_id}", lambda: ModuleCalls(trace, trace.graph(pass_id).call, forest_of(trace))
    )
