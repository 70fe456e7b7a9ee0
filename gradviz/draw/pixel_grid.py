"""Tens of thousands of small blocks and straight lines written into an image's memory: cheaper than a call for each.

Only for what is a few pixels large, has no smooth edges and covers what is below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

Colors = NDArray[np.uint32]
_FAR = 1e6  # px; no image is so large
_BIG = 64  # px: a longer line or larger block is left to QPainter


class PixelGrid:
    """The pixels of an RGB32 image. Device px; the image must outlive it and not be copied meanwhile."""

    def __init__(self, image: QImage) -> None:
        self.width, self.height = image.width(), image.height()
        self._stride = image.bytesPerLine() // 4
        self._flat: NDArray[np.uint32] = np.frombuffer(image.bits(), np.uint32)

    def blocks(self, rects: NDArray[Any], colors: Colors) -> NDArray[np.bool_]:
        """Fill `rects` (k, 4): left, top, right, bottom, which don't overlap. Returns which are too large for this."""
        large: NDArray[np.bool_] = ((rects[:, 2] - rects[:, 0]) > _BIG) | ((rects[:, 3] - rects[:, 1]) > _BIG)
        chosen, ink = rects[~large], colors[~large]
        x0, top, x1, bottom = (_whole(chosen[:, at]) for at in range(4))
        bottom = np.clip(np.maximum(bottom, top + 1), 0, self.height)
        x1 = np.clip(np.maximum(x1, x0 + 1), 0, self.width)
        top, x0 = np.clip(top, 0, self.height), np.clip(x0, 0, self.width)
        start, length = top * self._stride + x0, x1 - x0
        for row in range(int((bottom - top).max(initial=0))):
            seen = np.flatnonzero(top + row < bottom)
            self._runs(start[seen] + row * self._stride, length[seen], 1, ink[seen])
        return large

    def lines(self, lines: NDArray[Any], colors: Colors) -> NDArray[np.bool_]:
        """Draw level and upright `lines` (k, 4), one px wide. Returns which are left: slanting or long ones."""
        ends = _whole(lines)
        low, high = np.minimum(ends[:, :2], ends[:, 2:]), np.maximum(ends[:, :2], ends[:, 2:])
        level, upright = low[:, 1] == high[:, 1], low[:, 0] == high[:, 0]
        left: NDArray[np.bool_] = ~(level | upright) | ((high - low).max(axis=1, initial=0) > _BIG)
        x0, x1 = np.maximum(low[:, 0], 0), np.minimum(high[:, 0], self.width - 1)
        y0, y1 = np.maximum(low[:, 1], 0), np.minimum(high[:, 1], self.height - 1)
        inside = ~left & (x0 <= x1) & (y0 <= y1)
        across = inside & level
        self._runs((y0 * self._stride + x0)[across], (x1 - x0 + 1)[across], 1, colors[across])
        down = inside & ~level
        self._runs((y0 * self._stride + x0)[down], (y1 - y0 + 1)[down], self._stride, colors[down])
        return left

    def _runs(self, start: NDArray[np.int32], length: NDArray[np.int32], step: int, colors: Colors) -> None:
        """Runs of pixels from `start`, `step` apart; where they cross, the last one stays."""
        total = int(length.sum())
        if not total:
            return
        before = np.cumsum(length) - length
        at = np.arange(total, dtype=np.int64)
        if step == 1:
            at += np.repeat(start - before, length)
        else:
            at -= np.repeat(before, length)
            at *= step
            at += np.repeat(start, length)
        self._flat[at] = np.repeat(colors, length)


def _whole(places: NDArray[Any]) -> NDArray[np.int32]:
    """Whole pixels; what lies far outside is brought near, so that it fits."""
    found: NDArray[np.int32] = np.rint(np.clip(places, -_FAR, _FAR)).astype(np.int32)
    return found
