"""The straight pieces of all routes as numpy columns: which are in sight, clipped to it, to be drawn in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.draw.lines import ARROW_LONG
from gradviz.draw.nearby import Area, Indices, Nearby, Parts, meeting
from gradviz.scene.model import Look, Scene

SHORTEST_LINE = 5.0  # screen px: below it the boxes cover a line


class Segments:
    """All pieces of a scene's routes."""

    def __init__(self, scene: Scene) -> None:
        self._edges = scene.draft.edges
        if len(scene.points) < 2 or not self._edges:
            self.pieces = np.empty((0, 4), np.float32)
            self.edge = np.empty(0, np.intp)
        else:
            pieces = np.concatenate((scene.points[:-1], scene.points[1:]), axis=1)
            edge = np.repeat(np.arange(self._edges), np.diff(scene.offsets))
            within = edge[:-1] == edge[1:]
            self.pieces, self.edge = pieces[within], edge[:-1][within]
        ends = self.pieces.reshape(-1, 2, 2)
        boxes = np.concatenate((ends.min(axis=1), ends.max(axis=1)), axis=1)
        self._nearby = Nearby(boxes)
        length = np.abs(self.pieces[:, 2:] - self.pieces[:, :2]).sum(axis=1)
        order = np.argsort(-length, kind="stable")  # the longest first: what a far view shows is the beginning
        self._lengths, self._long_edge = length[order], self.edge[order]
        self._long: NDArray[Any] = np.ascontiguousarray(self.pieces[order].T)
        self._long_boxes: NDArray[Any] = np.ascontiguousarray(boxes[order].T)
        # The last piece of each route; an edge of one piece begins where it ends.
        self._ends = np.append(self.edge[1:] != self.edge[:-1], True)[: len(self.edge)]
        self._last_of = np.zeros(self._edges, np.intp)
        self._last_of[self.edge[self._ends]] = np.flatnonzero(self._ends)

    def meeting(self, area: Area) -> Indices:
        """Pieces that may be in an area."""
        return self._nearby.meeting(area)

    def far(self, zoom: float, edges: Indices | None = None, area: Area | None = None) -> tuple[NDArray[Any], Indices]:
        """Pieces long enough to be seen at a zoom, as rows (4, k), and their edges: all, of some edges, in an area."""
        seen = int(np.searchsorted(-self._lengths, -SHORTEST_LINE / zoom, side="right"))
        pieces, edge = self._long[:, :seen], self._long_edge[:seen]
        if edges is not None:
            kept = np.flatnonzero(np.isin(edge, edges))
        elif area is not None:
            kept = meeting(self._long_boxes[:, :seen], area)
        else:
            return pieces, edge
        return np.take(pieces, kept, axis=1), edge[kept]

    def boxes_of(self, edges: Indices) -> NDArray[Any]:
        """The box round each piece of these edges, (k, 4): the box round all of a wrapped route is far larger."""
        first, end = np.searchsorted(self.edge, edges), np.searchsorted(self.edge, edges, side="right")
        return self._nearby.boxes(np.concatenate([np.arange(*each) for each in zip(first, end)] or [first]))

    def near(
        self, area: Area, looks: NDArray[np.int8], parts: Parts | None = None
    ) -> tuple[NDArray[Any], Indices, Indices]:
        """Pieces in an area, cut off a little outside of it, their edges; and the edges whose arrow is there.

        Uncut, a dashed line of a graph of a million px would be dashed over all of them.
        `parts` of the area: only pieces that may be there, but cut as they are without, so that dashes fall alike.
        """
        found = self._nearby.meeting(area, parts)
        pieces = self.pieces[found].astype(np.float64)
        edge = self.edge[found]
        last = self._ends[found] & (looks[edge] != Look.STILL)
        way = pieces[:, 2:] - pieces[:, :2]
        length = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-6)
        short = np.where(last, np.minimum(ARROW_LONG - 1, length * 0.9), 0.0)
        pieces[:, 2:] -= way * (short / length)[:, None]
        tip = self.pieces[found][:, 2:]
        shown = (tip[:, 0] >= area[0]) & (tip[:, 0] <= area[2]) & (tip[:, 1] >= area[1]) & (tip[:, 1] <= area[3])
        clipped, inside = clip(pieces, area)
        return clipped[inside], edge[inside], edge[last & shown]

    def before_tip(self, edge: Indices) -> NDArray[Any]:
        """The last piece of each of these edges, (k, 4)."""
        return self.pieces[self._last_of[edge]]


def clip(pieces: NDArray[Any], area: Area) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Liang-Barsky on all pieces at once: each cut to the area, and whether anything is left of it."""
    start, way = pieces[:, :2], pieces[:, 2:] - pieces[:, :2]
    enter, leave = np.zeros(len(pieces)), np.ones(len(pieces))
    inside = np.ones(len(pieces), bool)
    for axis, low, high in ((0, area[0], area[2]), (1, area[1], area[3])):
        step, from_low, to_high = way[:, axis], low - start[:, axis], high - start[:, axis]
        still = np.abs(step) < 1e-9
        inside &= ~still | ((from_low <= 0) & (to_high >= 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = from_low / step, to_high / step
        enter = np.where(still, enter, np.maximum(enter, np.minimum(one, other)))
        leave = np.where(still, leave, np.minimum(leave, np.maximum(one, other)))
    inside &= enter <= leave
    return np.concatenate((start + way * enter[:, None], start + way * leave[:, None]), axis=1), inside
