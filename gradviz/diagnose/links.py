"""A pass's graph by neighbours: where each node hands its gradients on, and where it gets them from."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gradviz.trace import model
from gradviz.trace.graph import PassGraph


class Links:
    """Edges of one pass, looked up from either end."""

    def __init__(self, graph: PassGraph) -> None:
        self.graph = graph

    @cached_property
    def _by_tail(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.graph.tail, kind="stable")
        return order, self.graph.tail[order]

    @cached_property
    def _by_head(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.graph.head, kind="stable")
        return order, self.graph.head[order]

    def out(self, node: int) -> list[model.Edge]:
        """Edges along which the node hands gradients on."""
        return self._edges(self._by_tail, node)

    def into(self, node: int) -> list[model.Edge]:
        """Edges along which gradients reach the node."""
        return self._edges(self._by_head, node)

    def _edges(self, index: tuple[np.ndarray, np.ndarray], node: int) -> list[model.Edge]:
        order, sorted_ends = index
        low, high = np.searchsorted(sorted_ends, [node, node + 1])
        graph = self.graph
        return [
            model.Edge(int(graph.tail[k]), int(graph.index[k]), int(graph.head[k]), int(graph.slot[k]))
            for k in order[low:high]
        ]
