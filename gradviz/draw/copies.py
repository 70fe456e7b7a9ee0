"""What looks alike at many places: painted once, as a small pixmap, and copied to all of them in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter, QPixmap
from shiboken6 import Shiboken


def draw_copies(painter: QPainter, pixmap: QPixmap, corners: NDArray[Any]) -> None:
    """`corners` (k, 2): where the pixmap's upper left corner comes, px of the painter; taken to whole device px.

    One place is rounded as many are: a part of a picture that is painted anew has to look as it did within the whole.
    """
    ratio = pixmap.devicePixelRatio()
    width, height = pixmap.width(), pixmap.height()
    # As in QPainter::PixmapFragment: x, y of the middle; left, top, width, height of the source; scale; turn; opacity.
    fragments = np.zeros((len(corners), 10), np.float64)
    fragments[:, :2] = (np.floor(corners * ratio + 0.5) + np.array([width / 2, height / 2])) / ratio
    fragments[:, 4:6] = width, height
    fragments[:, 6:8] = 1 / ratio
    fragments[:, 9] = 1.0
    first: Any = Shiboken.wrapInstance(fragments.ctypes.data, QPainter.PixmapFragment)  # alive until the call returns
    painter.drawPixmapFragments(first, len(fragments), pixmap)
