"""Which of many boxes meet an area, or small parts of it that follow one another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]
Area = tuple[float, float, float, float]  # left, top, right, bottom
Parts = NDArray[np.float64]  # (k, 4) of the same


class Nearby:
    """Boxes that don't move. Those of the last area are kept: step after step changes a little of the same view."""

    def __init__(self, boxes: NDArray[Any]) -> None:
        """`boxes` (n, 4): left, top, right, bottom; NaN meets nothing."""
        self._columns: NDArray[Any] = np.ascontiguousarray(boxes.T, np.float32)
        self._area: Area | None = None
        self._found: Indices = np.empty(0, np.intp)

    def meeting(self, area: Area, parts: Parts | None = None) -> Indices:
        """Those that meet an area; with `parts` of the area, one of them."""
        if area != self._area:
            self._area, self._found = area, meeting(self._columns, area)
        if parts is None or not len(self._found):
            return self._found
        left, top, right, bottom = self._columns[:, self._found][:, :, None]
        met: NDArray[np.bool_] = (
            (right >= parts[:, 0]) & (left <= parts[:, 2]) & (bottom >= parts[:, 1]) & (top <= parts[:, 3])
        )
        kept: Indices = self._found[met.any(axis=1)]
        return kept

    def boxes(self, which: Indices) -> NDArray[Any]:
        """These boxes, (k, 4)."""
        found: NDArray[Any] = self._columns[:, which].T
        return found


def meeting(columns: NDArray[Any], area: Area) -> Indices:
    """Of boxes as rows (4, n), those that meet an area."""
    left, top, right, bottom = area
    return np.flatnonzero((columns[2] >= left) & (columns[0] <= right) & (columns[3] >= top) & (columns[1] <= bottom))
