"""Copies of a pixmap and of a text fall on the pixels on which each would fall by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from gradviz.draw.copies import draw_copies
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import LIGHT, SHAPE

CORNERS = np.array([(3.2, 4.9), (40.5, 7.0), (20.0, 31.6), (61.7, 50.2)])


def drawn(ratio: float, draw: Callable[[QPainter], None]) -> NDArray[np.uint32]:
    image = QImage(round(300 * ratio), round(200 * ratio), QImage.Format.Format_RGB32)
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
        for x, y in (np.floor(CORNERS * ratio + 0.5) / ratio).tolist():
            painter.drawPixmap(QPointF(x, y), pixmap)

    copied = drawn(ratio, lambda painter: draw_copies(painter, pixmap, CORNERS))
    assert (copied == drawn(ratio, one_by_one)).all()
    assert (copied != 0xFFFFFFFF).any()


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("zoom", [0.5, 1.0, 1.7])
def test_a_text_at_many_places_is_the_text_at_each(qapp: QApplication, zoom: float, ratio: float) -> None:
    places = [(70.3, 30.6), (220.0, 42.5), (70.0, 110.0), (221.7, 150.1)]
    middles = [(x / zoom, y / zoom) for x, y in places]

    def written(draw: Callable[[QtSurface], None]) -> NDArray[np.float64]:
        def on(painter: QPainter) -> None:
            surface = QtSurface(painter, LIGHT, kept=True)
            with surface.moved(0, 0, zoom):
                draw(surface)

        return np.asarray(255.0 - (drawn(ratio, on) & 0xFF), np.float64)

    def by_text(surface: QtSurface) -> None:
        for x, middle in middles:
            surface.text(x, middle, "[4, 16]", SHAPE, "text", "center")

    def one_by_one(surface: QtSurface) -> None:
        for place in middles:
            surface.same_text([place], "[4, 16]", SHAPE, "text")

    together = written(lambda surface: surface.same_text(middles, "[4, 16]", SHAPE, "text"))
    assert (together == written(one_by_one)).all()
    plain = written(by_text)
    assert plain.sum() > 0
    for x, y in places:  # as much ink, at the same places but for a px of rounding
        at = np.s_[round((y - 25) * ratio) : round((y + 25) * ratio), round((x - 65) * ratio) : round((x + 65) * ratio)]
        assert together[at].sum() == pytest.approx(plain[at].sum(), rel=0.12)
        for axis in (0, 1):
            assert centre(together[at], axis) == pytest.approx(centre(plain[at], axis), abs=1.01)


def centre(ink: NDArray[np.float64], axis: int) -> float:
    along = ink.sum(axis=1 - axis)
    return float((along * np.arange(len(along))).sum() / along.sum())
