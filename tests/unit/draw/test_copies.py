"""Copies of a pixmap and of a text fall on the pixels on which each would fall by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from gradviz.draw.copies import MANY, draw_copies
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import LIGHT, SHAPE

CORNERS = np.array([(3.2, 4.9), (40.5, 7.0), (20.0, 31.6), (61.7, 50.2)])


def drawn(ratio: float, draw: Callable[[QPainter], None]) -> NDArray[np.uint32]:
    image = QImage(round(120 * ratio), round(90 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw(painter)
    painter.end()
    pixels: NDArray[np.uint32] = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return np.array(pixels)


def mark(ratio: float) -> QPixmap:
    """Of odd size, different in every corner."""
    pixmap = QPixmap(round(11 * ratio), round(7 * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(0, 0, 0, 0))
    painter = QPainter(pixmap)
    painter.fillRect(0, 0, 3, 2, QColor("red"))
    painter.fillRect(8, 4, 3, 3, QColor("blue"))
    painter.end()
    return pixmap


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_copies_lie_where_each_pixmap_would(qapp: QApplication, ratio: float) -> None:
    pixmap = mark(ratio)

    def one_by_one(painter: QPainter) -> None:
        for x, y in (np.round(CORNERS * ratio) / ratio).tolist():
            painter.drawPixmap(QPointF(x, y), pixmap)

    copied = drawn(ratio, lambda painter: draw_copies(painter, pixmap, CORNERS))
    assert (copied == drawn(ratio, one_by_one)).all()
    assert (copied != 0xFFFFFFFF).any()


@pytest.mark.parametrize("zoom", [0.5, 1.0, 1.7])
def test_a_text_at_many_places_is_the_text_at_each(qapp: QApplication, zoom: float) -> None:
    # At whole px, where a copy needs no rounding.
    middles = [(30 / zoom, 10 / zoom), (80 / zoom, 20 / zoom), (30 / zoom, 60 / zoom), (80 / zoom, 75 / zoom)]
    assert len(middles) >= MANY

    def surface(painter: QPainter) -> QtSurface:
        return QtSurface(painter, LIGHT, kept=True)

    def one_by_one(painter: QPainter) -> None:
        on = surface(painter)
        with on.moved(0, 0, zoom):
            for x, middle in middles:
                on.text(x, middle, "[4, 16]", SHAPE, "text", "center")

    def together(painter: QPainter) -> None:
        on = surface(painter)
        with on.moved(0, 0, zoom):
            on.same_text(middles, "[4, 16]", SHAPE, "text")

    one, other = (255 - (drawn(1.0, draw) & 0xFF).astype(float) for draw in (one_by_one, together))
    assert one.sum() > 0
    assert other.sum() == pytest.approx(one.sum(), rel=0.1)  # as much ink
    for x, middle in middles:  # at the same places, but for a px of rounding
        at = np.s_[int(middle * zoom) - 8 : int(middle * zoom) + 8, int(x * zoom) - 28 : int(x * zoom) + 28]
        assert other[at].sum() == pytest.approx(one[at].sum(), rel=0.1)
        for axis in (0, 1):
            assert centre(other[at], axis) == pytest.approx(centre(one[at], axis), abs=1.0)


def centre(ink: NDArray[np.float64], axis: int) -> float:
    along = ink.sum(axis=1 - axis)
    return float((along * np.arange(len(along))).sum() / along.sum())
