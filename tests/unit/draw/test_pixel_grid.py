"""Blocks and lines written into an image's memory are where QPainter would put them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.tokens import LIGHT
from gradviz.draw.view import View
from tests.large_recordings import transformer
from tests.unit.draw.pictures import picture_of

WIDTH, HEIGHT = 37, 23
WHITE = 0xFFFFFFFF
Rect = tuple[float, float, float, float]
places = st.tuples(st.integers(-9, 45), st.integers(-9, 30), st.integers(0, 12), st.integers(0, 9))


def blank() -> tuple[QImage, PixelGrid]:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    return image, PixelGrid(image)


def pixels(image: QImage) -> list[list[int]]:
    return [[image.pixel(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]


@settings(max_examples=80, deadline=None)
@given(st.lists(places, max_size=8))
def test_blocks_fill_what_they_cover(found: list[tuple[int, int, int, int]]) -> None:
    rects = np.array([(x, y, x + width, y + height) for x, y, width, height in found], np.float64).reshape(-1, 4)
    image, grid = blank()
    assert not grid.blocks(rects.T, 0xFF123456).any()
    expected = [[WHITE] * WIDTH for _ in range(HEIGHT)]
    for x, y, width, height in found:
        for row in range(max(y, 0), min(y + max(height, 1), HEIGHT)):
            for column in range(max(x, 0), min(x + max(width, 1), WIDTH)):
                expected[row][column] = 0xFF123456
    assert pixels(image) == expected


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(places, st.booleans()), max_size=8))
def test_level_and_upright_lines(found: list[tuple[tuple[int, int, int, int], bool]]) -> None:
    lines = np.array([(x, y, x + w, y) if level else (x, y, x, y + h) for (x, y, w, h), level in found], np.float64)
    image, grid = blank()
    assert not grid.lines(lines.reshape(-1, 4).T, 0xFF123456).any()
    expected = [[WHITE] * WIDTH for _ in range(HEIGHT)]
    for x1, y1, x2, y2 in lines.astype(int).reshape(-1, 4).tolist():
        for y in range(y1, y2 + 1):
            for x in range(x1, x2 + 1):
                if 0 <= x < WIDTH and 0 <= y < HEIGHT:
                    expected[y][x] = 0xFF123456
    assert pixels(image) == expected


def test_what_is_large_or_slanting_is_left_to_the_painter() -> None:
    _, grid = blank()
    ink = 0xFF000000
    assert grid.blocks(np.array([[0, 0, 500, 2], [0, 0, 2, 500], [0, 0, 2, 2]]).T, ink).tolist() == [True, True, False]
    assert grid.lines(np.array([[0, 0, 9, 9], [0, 0, 900, 0], [0, 0, 9, 0]]).T, ink).tolist() == [True, True, False]


@pytest.mark.parametrize("zoom", [0.06, 0.12])
def test_a_far_view_looks_the_same_either_way(tmp_path: Path, qapp: QApplication, zoom: float) -> None:
    picture, states = picture_of(transformer(tmp_path / "run", 4), (), 100)
    shown: list[QImage] = []
    for with_grid in (False, True):
        image = QImage(600, 500, QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.canvas))
        grid = PixelGrid(image) if with_grid else None
        painter = QPainter(image)
        try:
            picture.paint(painter, LIGHT, states, View(-50, -50, zoom, 600, 500), grid)
        finally:
            painter.end()
        shown.append(image)
    same = sum(shown[0].pixel(x, y) == shown[1].pixel(x, y) for x in range(600) for y in range(500))
    assert same / 300_000 > 0.985  # edges of blocks may round the other way
