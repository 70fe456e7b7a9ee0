"""Tens of thousands of small blocks and straight lines written into an image's memory: cheaper than a call for each.

Only for what is a few pixels large, has no smooth edges and covers what is below. Places come as four rows (left, top,
right, bottom; or x1, y1, x2, y2): numpy works through a row of memory several times faster than through a column of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

_FAR = 1e6  # px; no image is so large
_BIG = 64  # px: a longer line or larger block is left to QPainter
_SIDE = _BIG + 2  # a line of _BIG px has one more
_FEW_ROWS = 4  # of a rectangle, which are filled one after the other


class PixelGrid:
    """The pixels of an RGB32 image. Device px; the image must outlive it and not be copied meanwhile."""

    def __init__(self, image: QImage) -> None:
        self.width, self.height = image.width(), image.height()
        self._stride = image.bytesPerLine() // 4
        self._flat: NDArray[np.uint32] = np.frombuffer(image.bits(), np.uint32)

    def blocks(self, rects: NDArray[Any], color: int) -> NDArray[np.bool_]:
        """Fill `rects` (4, k), which don't overlap, with an RGB32 colour. Returns which are too large for this."""
        x0, top, x1, bottom = whole(rects)
        x1, bottom = np.maximum(x1, x0 + 1), np.maximum(bottom, top + 1)
        large: NDArray[np.bool_] = ((x1 - x0) > _BIG) | ((bottom - top) > _BIG)
        x0, x1 = np.clip(x0, 0, self.width), np.clip(x1, 0, self.width)
        top, bottom = np.clip(top, 0, self.height), np.clip(bottom, 0, self.height)
        size = (bottom - top) * _SIDE + (x1 - x0)
        size[large | (x0 == x1) | (top == bottom)] = 0
        self._equal(top * self._stride + x0, size.astype(np.int16), color)
        return large

    def lines(self, lines: NDArray[Any], color: int) -> NDArray[np.bool_]:
        """Draw level and upright `lines` (4, k), a px wide, in an RGB32 colour. Returns those left: slanting, long."""
        x1, y1, x2, y2 = whole(lines)
        x0, y0, x1, y1 = np.minimum(x1, x2), np.minimum(y1, y2), np.maximum(x1, x2), np.maximum(y1, y2)
        wide, high = x1 - x0, y1 - y0
        left: NDArray[np.bool_] = (np.minimum(wide, high) > 0) | (np.maximum(wide, high) > _BIG)
        x0, x1 = np.maximum(x0, 0), np.minimum(x1, self.width - 1)
        y0, y1 = np.maximum(y0, 0), np.minimum(y1, self.height - 1)
        size = (y1 - y0 + 1) * _SIDE + (x1 - x0 + 1)
        size[left | (x0 > x1) | (y0 > y1)] = 0
        self._equal(y0 * self._stride + x0, size.astype(np.int16), color)
        return left

    def _equal(self, start: NDArray[np.int32], size: NDArray[np.int16], color: int) -> None:
        """Fill rectangles from their first pixels on, all of a size at once; size: height · _SIDE + width, 0: none."""
        order = np.argsort(size, kind="stable")
        start, size = start[order], size[order]
        begins = np.flatnonzero(np.diff(size, prepend=np.int16(0))).tolist()
        for begin, end in zip(begins, [*begins[1:], len(size)]):
            height, width = divmod(int(size[begin]), _SIDE)
            if height <= _FEW_ROWS:
                self._rows(start[begin:end], width, height, color)
            else:
                within = (np.arange(height)[:, None] * self._stride + np.arange(width)).ravel()
                self._flat[start[begin:end, None] + within] = color

    def _rows(self, start: NDArray[np.int32], width: int, height: int, color: int) -> None:
        """A whole row of each rectangle at once: the image seen as overlapping runs of `width` pixels."""
        run = np.dtype((np.void, 4 * width))
        runs = np.ndarray((len(self._flat) - width + 1,), run, self._flat.data, 0, (4,))
        ink = np.full(width, color, np.uint32).view(run)
        for row in range(height):
            runs[start + row * self._stride] = ink


def whole(places: NDArray[Any]) -> NDArray[np.int32]:
    """Whole pixels; what lies far outside is brought near, so that it fits."""
    found: NDArray[np.int32] = np.rint(np.clip(places, -_FAR, _FAR)).astype(np.int32)
    return found
