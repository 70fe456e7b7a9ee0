"""Boxes that glide to their new places when a group opens or folds, so that the eye doesn't lose them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from gradviz.draw.nearby import Indices
from gradviz.draw.part import paint_moving
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface
from gradviz.draw.view import View
from gradviz.scene.model import Kind, Scene, States

MORPH_MS = 200
MOST_MOVING = 120  # boxes in sight: more of them can't be followed, nor painted in time


@dataclass(frozen=True)
class Way:
    """The boxes in sight, and how far from their places they begin, in px of the scene."""

    boxes: Indices
    away: NDArray[np.float64]


class Morph(QObject):
    """`changed` is called at each frame, and at the end."""

    def __init__(self, changed: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._changed = changed
        self._way: Way | None = None
        self._part = 1.0
        self._clock = QVariantAnimation(self)
        self._clock.setDuration(MORPH_MS)
        self._clock.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.valueChanged.connect(self._on)
        self._clock.finished.connect(self.stop)

    @property
    def running(self) -> bool:
        return self._way is not None

    def begin(self, way: Way | None) -> None:
        self.stop()
        if way is not None and len(way.boxes):
            self._way, self._part = way, 0.0
            self._clock.start()

    def stop(self) -> None:
        if self._way is not None:
            self._way = None
            self._clock.stop()
            self._changed()

    def _on(self, part: object) -> None:
        if isinstance(part, float) and self._way is not None:
            self._part = part
            self._changed()

    def paint(self, picture: Picture, surface: QtSurface, states: States, view: View) -> None:
        if self._way is not None:
            away = self._way.away * (1.0 - self._part)
            paint_moving(picture, surface, states, view.area(30 / view.zoom), self._way.boxes, away, self._part)


def way_between(before: Scene, was: View, after: Picture, now: View) -> Way | None:
    """From where the same nodes were on the screen; None where too many are in sight."""
    boxes = after.boxes_in(now.area(30 / now.zoom))
    if not 0 < len(boxes) <= MOST_MOVING:
        return None
    scene, old = after.scene, before.draft
    ends = np.stack((scene.x[boxes], scene.y[boxes]), axis=1).astype(np.float64)
    away = np.zeros_like(ends)
    for at, box in enumerate(boxes.tolist()):
        came = _box_before(scene, box, before)
        if came < 0 or came >= len(old):
            continue
        screen = np.array([(before.x[came] - was.x) * was.zoom, (before.y[came] - was.y) * was.zoom])
        away[at] = screen / now.zoom + (now.x, now.y) - ends[at]
    return Way(boxes, away)


def _box_before(scene: Scene, box: int, before: Scene) -> int:
    """The box that held the same node in the scene before, -1 none."""
    draft, old = scene.draft, before.draft
    kind = int(draft.kind[box])
    if kind == Kind.SEED:
        same = np.flatnonzero((old.kind == Kind.SEED) & (old.node == draft.node[box]))
        return int(same[0]) if len(same) else -1
    if kind == Kind.CONSTANT:
        return -1
    node = int(draft.node[box])
    if kind == Kind.GROUP:
        held = np.flatnonzero(draft.box_of == box)
        node = int(held[0]) if len(held) else -1
    return int(old.box_of[node]) if 0 <= node < len(old.box_of) else -1
