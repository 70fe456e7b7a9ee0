"""The labels that stand in gaps: those of edges from one layer to the next, and of edges in lanes without room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import FlatGraph
from gradviz.layout.own.labels import ROW_GAP, GapLabels
from gradviz.layout.own.lanes import Lanes
from gradviz.layout.own.ports import Ports
from gradviz.layout.own.proper import LABEL_GAP, Proper


class Naming:
    """`gap` of each edge whose label stands in one (-1 otherwise), `x` of the labels, `y` below the rows' upper end;
    `rows` is the height of the rows in each gap."""

    def __init__(
        self,
        graph: FlatGraph,
        proper: Proper,
        ports: Ports,
        top: NDArray[np.float64],
        bottom: NDArray[np.float64],
        lanes: Lanes,
        gaps: int,
    ) -> None:
        self._width, self._height = graph.label_sizes
        self._careful = int((self._width > 0).sum()) <= GapLabels.CAREFUL
        self._standing = lanes.standing
        count = len(self._width)
        arrays = proper.arrays
        self.rows = np.zeros(gaps)
        self.gap = np.full(count, -1)
        self.x, self.y = np.zeros((2, count))
        self._gap_of, self._line = arrays.layer[arrays.upper], bottom
        self._more: list[tuple[int, float]] = []  # lines from lanes: gap, x
        first = arrays.first
        short = np.flatnonzero((self._width > 0) & (arrays.span == 1) & (first >= 0))
        s = first[short]
        shares_port = np.zeros(len(arrays.layer), np.bool_)
        shares_port[list(ports.bus_in)] = True
        self.gap[short] = self._gap_of[s]
        self.x[short] = np.where(shares_port[arrays.lower[s]], top[s], bottom[s])

    def lane_edge(self, e: int, below: int, above: int, out: float, into: float) -> None:
        """Its line in the gap above its head, and its label in the one below its tail."""
        self._more.append((above, into))
        if self._width[e] and e not in self._standing:
            self.gap[e], self.x[e] = below, out

    def arrange(self, side: int) -> None:
        """Until now `x` was that of the line."""
        named = np.flatnonzero(self.gap >= 0)
        if not len(named):
            return
        gap = self.gap[named]
        lines = np.bincount(self._gap_of, minlength=len(self.rows))
        for above, _ in self._more:
            lines[above] += 1
        crowded = (lines[gap] != 1) & self._careful
        alone, where = named[~crowded], gap[~crowded]
        np.maximum.at(self.rows, where, self._height[alone] + ROW_GAP)
        self.x[alone] += side * (LABEL_GAP + self._width[alone] / 2)
        self.y[alone] = self.rows[where] / 2
        if crowded.any():
            self._arrange_crowded(named[crowded].tolist(), side)

    def _arrange_crowded(self, named: list[int], side: int) -> None:
        labels: dict[int, GapLabels] = {}
        for e in named:
            gap = int(self.gap[e])
            its = labels.setdefault(gap, GapLabels(careful=True))
            its.add(e, float(self.x[e]), float(self._width[e]), float(self._height[e]))
        for gap, x in [*zip(self._gap_of.tolist(), self._line.tolist(), strict=True), *self._more]:
            if gap in labels:
                labels[gap].lines.append(x)
        for gap, its in labels.items():
            self.rows[gap] = its.arrange(side)
            for e, (x, y) in its.placed.items():
                self.x[e], self.y[e] = x, y
