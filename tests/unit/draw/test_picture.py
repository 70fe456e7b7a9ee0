"""The painter: every state at every zoom without a complaint of Qt, and what is seen when."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.draw.nearby import Area
from gradviz.draw.picture import Picture
from gradviz.draw.segments import clip
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import DARK, LIGHT, Tokens
from gradviz.draw.view import View
from gradviz.scene.build import Shown
from gradviz.scene.model import State, States
from tests import recordings
from tests.example_findings import BROADCAST, SEED_MISMATCH
from tests.large_recordings import transformer
from tests.unit.draw.pictures import picture_of

SIZE = (900, 700)


@pytest.fixture
def qt_says(qapp: QApplication) -> Iterator[list[str]]:
    """What Qt complains of."""
    said: list[str] = []

    def note(kind: QtMsgType, _context: object, text: str) -> None:
        said.append(f"{kind.name}: {text}")

    before = qInstallMessageHandler(note)
    yield said
    qInstallMessageHandler(before)


def painted(picture: Picture, states: States, tokens: Tokens, view: View) -> QImage:
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(tokens.canvas))
    painter = QPainter(image)
    try:
        picture.paint(painter, tokens, states, view)
        surface = QtSurface(painter, tokens)
        with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
            picture.paint_important(surface, states, view.area())
    finally:
        painter.end()
    return image


def whole(picture: Picture, zoom: float) -> View:
    left, top, _, _ = picture.scene.bounds
    return View(left - 10, top - 10, zoom, *SIZE)


def colors(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name().upper() for x in range(0, SIZE[0], 2) for y in range(0, SIZE[1], 2)}


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("zoom", [0.05, 0.2, 0.4, 0.7, 1.0, 3.0])
def test_it_paints_at_every_zoom(tmp_path: Path, qt_says: list[str], tokens: Tokens, zoom: float) -> None:
    made = [
        picture_of(recordings.eigh_seed_mismatch(tmp_path / "a"), (SEED_MISMATCH,)),
        picture_of(recordings.silent_broadcast(tmp_path / "b"), (BROADCAST,), 2),
        picture_of(recordings.mlp(tmp_path / "c"), (), 6),
        picture_of(recordings.mlp(tmp_path / "d"), (), 3, Shown(opened=frozenset())),
        picture_of(recordings.non_finite(tmp_path / "e")),
        picture_of(transformer(tmp_path / "f", 4), (), 100),
    ]
    for picture, states in made:
        assert len(colors(painted(picture, states, tokens, whole(picture, zoom)))) > 2
    assert qt_says == []


@pytest.mark.parametrize("zoom", [0.1, 1.0])
def test_the_states_are_seen_in_their_colours(tmp_path: Path, qapp: QApplication, zoom: float) -> None:
    picture, states = picture_of(recordings.mlp(tmp_path / "run"), (), 6)
    seen = colors(painted(picture, states, LIGHT, whole(picture, zoom)))
    assert {LIGHT.accent, LIGHT.done} <= seen


def test_the_current_node_can_be_read_from_afar(tmp_path: Path, qapp: QApplication) -> None:
    # GIVEN a view in which every other node is a block of a few pixels
    picture, states = picture_of(recordings.mlp(tmp_path / "run"), (), 6)
    image = painted(picture, states, LIGHT, View(-2000, -2000, 0.1, *SIZE))
    # THEN the current one is still as large as its name needs
    accent = QColor(LIGHT.accent).rgb()
    across = [x for x in range(SIZE[0]) for y in range(SIZE[1]) if image.pixel(x, y) == accent]
    assert max(across) - min(across) > 100


def test_what_is_out_of_sight_is_not_drawn(tmp_path: Path, qapp: QApplication) -> None:
    picture, _ = picture_of(recordings.chain(tmp_path / "run", 300))
    assert len(picture.boxes_in((-50, 0, 400, 500))) < 12
    assert len(picture.edges_in((-50, 0, 400, 500))) < 12
    assert len(picture.boxes_in(picture.scene.bounds)) == len(picture.scene.draft)
    assert len(picture.edges_in(picture.scene.bounds)) == picture.scene.draft.edges


def test_an_exported_picture_holds_the_current_node_too(tmp_path: Path, qapp: QApplication) -> None:
    picture, states = picture_of(recordings.mlp(tmp_path / "run"), (), 6)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.canvas))
    painter = QPainter(image)
    try:
        painter.translate(10, 10)
        picture.paint_all(QtSurface(painter, LIGHT), states)
    finally:
        painter.end()
    assert (states.box == State.CURRENT).sum() == 1
    assert LIGHT.accent in colors(image)


def test_lines_are_cut_to_what_is_seen() -> None:
    area: Area = (0.0, 0.0, 10.0, 10.0)
    lines = np.array([[-5, 5, 15, 5], [2, 2, 3, 3], [20, 0, 20, 10], [5, -1e6, 5, 1e6], [-5, -5, 15, 15]], np.float64)
    cut, inside = clip(lines, area)
    assert inside.tolist() == [True, True, False, True, True]
    assert np.allclose(cut[inside], [[0, 5, 10, 5], [2, 2, 3, 3], [5, 0, 5, 10], [0, 0, 10, 10]])
