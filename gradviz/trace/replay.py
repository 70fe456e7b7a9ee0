"""The state of every node and edge of a pass at position k; a step costs what it touches, not what there is.

Position k means: k steps have run; the node of step k (counted from 0) is the current one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.model import Backward

PENDING = 0  # not yet reached
CURRENT = 1  # the node of the next step; an edge that leads into or out of it
DONE = 2
FAILED = 3  # the node that raised, or that refused what it was given
NEVER = 4  # no step of this pass executed it

States = NDArray[np.uint8]
NO_FAILURE = -1
ENDED = ("completed", "refused", "raised", "interrupted")


class Replay:
    """One pass, at a position that `move` changes. `nodes` and `edges` are read-only views that change with it."""

    def __init__(self, graph: PassGraph, steps: PassSteps, backward: Backward) -> None:
        self._tail, self._head = graph.tail, graph.head
        self._order = steps.node
        self._failed = failed_node(backward)
        self._position = 0
        count = len(graph)
        self._ran_at = first_steps(count, self._order)
        self._out_first, self._out = grouped(self._tail, count)
        self._in_first, self._in = grouped(self._head, count)
        never = (self._ran_at < 0) & (backward.outcome in ENDED)
        if 0 <= self._failed < count:
            never[self._failed] = False
        self._resting_nodes = np.where(never, NEVER, PENDING).astype(np.uint8)
        unused = self._resting_nodes[self._tail] == NEVER
        unused |= self._resting_nodes[self._head] == NEVER
        self._resting_edges = np.where(unused, NEVER, PENDING).astype(np.uint8)
        self._nodes = self._resting_nodes.copy()
        self._edges = self._resting_edges.copy()
        self.nodes = readonly(self._nodes)
        self.edges = readonly(self._edges)
        self._set_current()

    def __len__(self) -> int:
        """How many steps there are; the last position."""
        return len(self._order)

    @property
    def position(self) -> int:
        return self._position

    @property
    def current(self) -> int:
        """The node of the next step, -1 when the pass has ended."""
        return int(self._order[self._position]) if self._position < len(self) else -1

    @property
    def failed(self) -> int:
        """The node that raised or refused, -1 for none."""
        return self._failed

    def step_of(self, node: int) -> int:
        """The number of the step that executed `node`, -1 if none did."""
        return int(self._ran_at[node])

    def move(self, position: int) -> NDArray[np.int32]:
        """Go to `position` (kept within the pass). Returns the nodes whose state may have changed."""
        position = min(max(position, 0), len(self))
        low, high = sorted((self._position, position))
        touched = self._order[low : high + 1]
        self._position = position
        for node in touched.tolist() if len(touched) <= 64 else ():
            self._refresh_node(node)
        if len(touched) > 64:
            self._refresh_all()
        self._set_current()
        if self._failed >= 0:
            touched = np.append(touched, np.int32(self._failed))
        return np.asarray(touched, np.int32)

    def _set_current(self) -> None:
        """Paint the current node and its edges over what they are at rest, and the failed one once it is reached."""
        if self._failed >= 0 and self._shows_failure():
            self._nodes[self._failed] = FAILED
        elif self._failed >= 0 and self._ran_at[self._failed] < 0:
            self._nodes[self._failed] = PENDING
        node = self.current
        if node < 0:
            return
        self._nodes[node] = CURRENT
        self._edges[self._edges_of(node)] = CURRENT

    def _shows_failure(self) -> bool:
        """A node that failed shows so from the position after the last step that ran before it."""
        ran_at = int(self._ran_at[self._failed])
        return self._position > ran_at if ran_at >= 0 else self._position == len(self)

    def _refresh_node(self, node: int) -> None:
        ran_at = int(self._ran_at[node])
        done = 0 <= ran_at < self._position
        self._nodes[node] = DONE if done else self._resting_nodes[node]
        edges = self._edges_of(node)
        self._edges[edges] = self._without_current(self._ran_at[self._tail[edges]], self._resting_edges[edges])

    def _refresh_all(self) -> None:
        np.copyto(self._nodes, self._without_current(self._ran_at, self._resting_nodes))
        np.copyto(self._edges, self._without_current(self._ran_at[self._tail], self._resting_edges))

    def _without_current(self, ran_at: NDArray[np.int64], resting: States) -> States:
        done = (ran_at >= 0) & (ran_at < self._position) & (resting != NEVER)
        states: States = np.where(done, np.uint8(DONE), resting)
        return states

    def _edges_of(self, node: int) -> NDArray[np.int64]:
        out = self._out[self._out_first[node] : self._out_first[node + 1]]
        into = self._in[self._in_first[node] : self._in_first[node + 1]]
        return np.concatenate((out, into))


def failed_node(backward: Backward) -> int:
    """The node that raised, or was running when the process ended; -1 for none."""
    for node in (backward.failed_node, backward.running_node):
        if node is not None:
            return node
    return NO_FAILURE


def first_steps(count: int, order: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each of `count` nodes the first step that executed it, -1 for none."""
    ran_at = np.full(count, -1, np.int64)
    ran_at[order[::-1]] = np.arange(len(order) - 1, -1, -1)
    return ran_at


def grouped(ends: NDArray[np.int32], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges by the node at this end: those of node i are `edges[first[i]:first[i + 1]]`."""
    edges = np.argsort(ends, kind="stable")
    return np.searchsorted(ends[edges], np.arange(count + 1)), edges


def readonly(array: States) -> States:
    view: States = array[:]
    view.flags.writeable = False
    return view
