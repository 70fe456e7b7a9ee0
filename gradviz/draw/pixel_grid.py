"""Tens of thousands of small blocks and straight lines written into an image's memory: cheaper than a call for each.

Only for what is a few pixels large, has no smooth edges and covers what is below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

Colors = NDArray[np.uint32]
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
        x0, top, x1, bottom = (np.rint(chosen[:, at]).astype(np.int64) for at in range(4))
        bottom = np.maximum(bottom, top + 1)
        x1 = np.clip(np.maximum(x1, x0 + 1), 0, self.width)
        x0 = np.clip(x0, 0, self.width)
        for row in range(int((bottom - top).max(initial=0))):
            y = top + row
            seen = (y < bottom) & (y >= 0) & (y < self.height)
            self._runs(y[seen] * self._stride + x0[seen], (x1 - x0)[seen], 1, ink[seen])
        return large

    def lines(self, lines: NDArray[Any], colors: Colors) -> NDArray[np.bool_]:
        """Draw level and upright `lines` (k, 4), one px wide. Returns which are left: slanting or long ones."""
        ends = np.rint(lines).astype(np.int64)
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

    def _runs(self, start: NDArray[np.int64], length: NDArray[np.int64], step: int, colors: Colors) -> None:
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
