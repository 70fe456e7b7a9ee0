"""The views that a person has looked from, as a browser keeps pages: back, and forward again. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradviz.document.hub import Selection
from gradviz.draw.view import View
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.loader import Loaded
from gradviz.scene.focus import Focus

LIMIT = 100
FAR = 0.5  # of the window's width or height: a move of less is part of the same look
FAR_ZOOM = 1.5


@dataclass(frozen=True)
class Held:
    """What stands in the middle of the window: places may be others when one comes back."""

    node: int
    x: float  # of its box, from the window's top left corner, in px of the screen
    y: float


@dataclass(frozen=True)
class Spot:
    """A view: what is shown, what of it is open, and from where one looks."""

    pass_id: int | None
    position: int
    selection: Selection
    finding: int
    opened: frozenset[str]
    view: View
    held: Held | None = None
    focus: Focus | None = None


class Trail:
    """`now` is where one is; what was ahead goes when one takes another way."""

    def __init__(self) -> None:
        self._spots: list[Spot] = []
        self._at = -1

    @property
    def now(self) -> Spot | None:
        return self._spots[self._at] if self._spots else None

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._spots) - 1

    def clear(self) -> None:
        self._spots, self._at = [], -1

    def update(self, spot: Spot) -> None:
        """A small move: the same look."""
        if self._spots:
            self._spots[self._at] = spot
        else:
            self.push(spot)

    def push(self, spot: Spot) -> None:
        """Another look."""
        self._spots = [*self._spots[: self._at + 1], spot][-LIMIT:]
        self._at = len(self._spots) - 1

    def arrive(self, spot: Spot, jumped: bool) -> None:
        """One looks from here now: a new entry where one jumped here, or moved far."""
        now = self.now
        if now is not None and (jumped or far(now.view, spot.view)) and not same(now, spot):
            self.push(spot)
        else:
            self.update(spot)

    def back(self) -> Spot | None:
        return self._go(-1)

    def forward(self) -> Spot | None:
        return self._go(1)

    def _go(self, by: int) -> Spot | None:
        if not 0 <= self._at + by < len(self._spots):
            return None
        self._at += by
        return self._spots[self._at]


def far(one: View, other: View) -> bool:
    """Whether two looks have so little in common that one wants to come back."""
    if not 1 / FAR_ZOOM <= one.zoom / other.zoom <= FAR_ZOOM:
        return True
    away_x = (one.x + one.width / one.zoom / 2) - (other.x + other.width / other.zoom / 2)
    away_y = (one.y + one.height / one.zoom / 2) - (other.y + other.height / other.zoom / 2)
    zoom = min(one.zoom, other.zoom)
    return abs(away_x) * zoom > FAR * other.width or abs(away_y) * zoom > FAR * other.height


def same(one: Spot, other: Spot) -> bool:
    """The same thing looked at from about the same place."""
    plain = replace(other, view=one.view, held=one.held)
    return plain == one and not far(one.view, other.view)


def held_in(loaded: Loaded, view: View) -> Held | None:
    """The node whose box is nearest to the middle; None where there is none."""
    scene = loaded.scene
    nodes = np.flatnonzero(scene.draft.box_of >= 0)
    if not len(nodes):
        return None
    x, y = view.x + view.width / view.zoom / 2, view.y + view.height / view.zoom / 2
    boxes = scene.draft.box_of[nodes]
    node = int(nodes[np.argmin((scene.x[boxes] - x) ** 2 + (scene.y[boxes] - y) ** 2)])
    box = int(scene.draft.box_of[node])
    return Held(node, (float(scene.x[box]) - view.x) * view.zoom, (float(scene.y[box]) - view.y) * view.zoom)


def view_from(spot: Spot, loaded: Loaded, width: float, height: float) -> View:
    """From where one looked, though boxes or the window may have changed since."""
    view, held = spot.view, spot.held
    if held is not None and held.node < len(loaded.scene.draft.box_of):
        box = int(loaded.scene.draft.box_of[held.node])
        x, y = float(loaded.scene.x[box]), float(loaded.scene.y[box])
        view = replace(view, x=x - held.x / view.zoom, y=y - held.y / view.zoom)
    return camera.kept_near(camera.resized(view, width, height), loaded.scene.bounds)
