"""What is painted in the screen's size from afar: it covers nothing that has to be read, and stays in sight."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.draw.callouts import GAP, OVERLAP, Callouts, growth, label_growth, specks
from gradviz.draw.lines import label_place
from gradviz.draw.looks import NO_NAMES, NO_SECOND
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import LIGHT
from gradviz.draw.view import View
from gradviz.scene.model import EdgeLabel, Look, State, States
from tests import recordings
from tests.example_findings import BROADCAST
from tests.unit.draw.pictures import picture_of


def test_what_is_enlarged_grows_without_a_leap() -> None:
    zooms = np.linspace(1.0, 0.1, 200)
    sizes = [growth(zoom) * zoom for zoom in zooms]
    assert np.abs(np.diff(sizes)).max() < 0.02
    assert growth(NO_SECOND) == 1.0 and sizes[-1] == pytest.approx(0.8)


@pytest.mark.parametrize("look", [Look.NAN, Look.CHANGED, Look.NEVER])
def test_labels_of_what_the_engine_did_go_with_the_names(look: Look) -> None:
    label = EdgeLabel(0, "NaN 4 of 4", look=look)
    assert (label_growth(label, 1.0), label_growth(label, NO_NAMES), label_growth(label, 0.1)) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("look", [Look.FAILED, Look.WARNED])
def test_labels_of_findings_are_read_at_every_zoom(look: Look) -> None:
    assert label_growth(EdgeLabel(0, "[164]", look=look), 0.1) * 0.1 == pytest.approx(0.8)


@pytest.mark.parametrize("zoom", [0.1, 0.2, 0.34, 0.5])
def test_an_enlarged_box_leaves_its_labels_free_and_stays_in_sight(
    tmp_path: Path, qapp: QApplication, zoom: float
) -> None:
    # GIVEN a node whose lines bear the labels of a finding, at the left border of the window
    scene = picture_of(recordings.silent_broadcast(tmp_path / "run"), (BROADCAST,))[0].scene
    box = scene.draft.badges[0].box
    left, top = float(scene.x[box]) - 20, float(scene.y[box]) - 300 / zoom
    area = (left, top, left + 900 / zoom, top + 700 / zoom)
    callouts = Callouts(scene, zoom, area)
    # WHEN labels, and then the box, are placed
    labels = [(label, callouts.label(label)) for label in scene.draft.framed]
    callout = callouts.place(box)
    # THEN some labels stand, all of the box is in sight, and no more than its border lies over one
    assert callout is not None and any(at is not None for _label, at in labels)
    grow = growth(zoom)
    across, down = float(scene.draft.width[box]) * grow / 2, float(scene.draft.height[box]) * grow / 2
    assert callout.x - across >= area[0] + GAP / zoom - 1e-3
    for label, at in labels:
        if at is None:
            continue
        apart_x = abs(at[0] - callout.x) - across - float(scene.draft.label_width[label.edge]) * grow / 2
        apart_y = abs(at[1] - callout.y) - down - float(scene.draft.label_height[label.edge]) * grow / 2
        assert max(apart_x, apart_y) >= -OVERLAP / zoom - 1e-3


def test_what_is_out_of_sight_is_not_dragged_into_it(tmp_path: Path, qapp: QApplication) -> None:
    scene = picture_of(recordings.silent_broadcast(tmp_path / "run"), (BROADCAST,))[0].scene
    right = scene.bounds[2] + 10
    callouts = Callouts(scene, 0.2, (right, 0.0, right + 4000, 3000.0))
    assert callouts.place(scene.draft.badges[0].box) is None
    assert all(callouts.label(label) is None for label in scene.draft.framed)


def test_from_afar_nan_is_a_block_on_its_way(tmp_path: Path, qapp: QApplication) -> None:
    picture, states = picture_of(recordings.non_finite(tmp_path / "run"))
    blocks = specks(picture.scene, states.edge, 0.1)
    ways = np.flatnonzero(states.edge == Look.NAN)
    labelled = [edge for edge in ways.tolist() if not np.isnan(picture.scene.label_at[edge, 0])]
    assert len(blocks) == len(labelled) > 0
    middles = blocks[:, :2] + blocks[:, 2:] / 2
    assert np.allclose(middles, [label_place(picture.scene, edge) for edge in labelled])
    assert (blocks[:, 2:] * 0.1 >= 3.0 - 1e-6).all()


@pytest.mark.parametrize("zoom", [0.2, 1.0])
def test_a_node_that_is_about_to_fail_says_so(tmp_path: Path, qapp: QApplication, zoom: float) -> None:
    # GIVEN a node that raised, looked at before it did
    picture, states = picture_of(recordings.mlp(tmp_path / "run"), (), 3)
    failed = np.zeros(len(picture.scene.draft), bool)
    healthy = _colors(picture, states, zoom)
    failed[states.current] = True
    picture.scene = replace(picture.scene, draft=replace(picture.scene.draft, failed=failed))
    # THEN the sign of an error stands on its corner
    assert states.box[states.current] == State.CURRENT
    assert LIGHT.error not in healthy and LIGHT.error in _colors(picture, states, zoom)


def _colors(picture: Picture, states: States, zoom: float) -> set[str]:
    left, top, right, bottom = picture.scene.bounds
    view = View(left - 150 / zoom, top - 100 / zoom, zoom, (right - left) * zoom + 300, (bottom - top) * zoom + 200)
    image = QImage(round(view.width), round(view.height), QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    try:
        surface = QtSurface(painter, LIGHT)
        with surface.moved(-view.x * zoom, -view.y * zoom, zoom):
            picture.paint_important(surface, states, view.area())
    finally:
        painter.end()
    return {image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())}
