"""A picture of which a part stands out: the rest is dimmed, or isn't there. Painted in the picture's stead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gradviz.draw.nearby import Area, Indices, Parts
from gradviz.draw.picture import Picture
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.segments import Segments
from gradviz.draw.surface import Surface
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.scene.focus import Part
from gradviz.scene.model import Scene, States
from gradviz.scene.part import scene_of_part, states_of_part

DIMMED = 205  # of 255: so much of what isn't in focus goes into the ground


@dataclass(frozen=True)
class Veiled:
    """`gone`: the rest isn't painted, nor can it be hit. Boxes and edges go by the whole's numbers."""

    whole: Picture
    own: Picture  # the part alone
    part: Part
    gone: bool

    @property
    def scene(self) -> Scene:
        return self.whole.scene

    @property
    def boxes(self) -> NDArray[Any]:
        return self.whole.boxes

    @property
    def segments(self) -> Segments:
        return self.whole.segments

    @cached_property
    def _frames(self) -> list[int]:
        open_cards = self.whole.scene.draft.open_cards
        return [open_cards.index(card) for card in self.own.scene.draft.open_cards]

    def boxes_in(self, area: Area) -> Indices:
        return self.part.boxes[self.own.boxes_in(area)] if self.gone else self.whole.boxes_in(area)

    def level(self, zoom: float, visible: int) -> str:
        return self.whole.level(zoom, visible)

    def paint(
        self,
        painter: QPainter,
        tokens: Tokens,
        states: States,
        view: View,
        grid: PixelGrid | None = None,
        parts: Parts | None = None,
    ) -> None:
        """As Picture.paint."""
        if not self.gone:
            self.whole.paint(painter, tokens, states, view, grid, parts)
            ground = QColor(tokens.canvas)
            ground.setAlpha(DIMMED)
            painter.fillRect(QRectF(0, 0, view.width, view.height), ground)
        self.own.finding = self.whole.finding
        self.own.paint(painter, tokens, states_of_part(states, self.part), view, grid, parts)

    def paint_changes(
        self, painter: QPainter, tokens: Tokens, states: States, view: View, boxes: Indices, edges: Indices
    ) -> bool:
        """As Picture.paint_changes; what changed under the veil is painted anew with it."""
        own_boxes, own_edges = _places(self.part.boxes, boxes), _places(self.part.edges, edges)
        if not self.gone and (len(own_boxes), len(own_edges)) != (len(boxes), len(edges)):
            return False
        own = states_of_part(states, self.part)
        return self.own.paint_changes(painter, tokens, own, view, own_boxes, own_edges)

    def paint_important(self, surface: Surface, states: States, area: Area) -> None:
        self.own.paint_important(surface, states_of_part(states, self.part), area)

    def whole_hit(self, found: Hit) -> Hit:
        """What was hit in the part, by the whole's numbers."""
        if found.kind == "box":
            return Hit("box", int(self.part.boxes[found.at]))
        if found.kind == "edge":
            return Hit("edge", int(self.part.edges[found.at]))
        return Hit("frame", self._frames[found.at]) if found.kind == "frame" else NOTHING


def _places(rising: Indices, values: Indices) -> Indices:
    """Where in `rising` the values stand that are in it."""
    if not len(rising):
        return rising
    at = np.searchsorted(rising, values).clip(0, len(rising) - 1)
    found: Indices = at[rising[at] == values]
    return found


def veiled(whole: Picture, part: Part, gone: bool) -> Veiled:
    """Takes a moment for a large part: not on the window's thread then."""
    own = Picture(scene_of_part(whole.scene, part), whole.texts, whole.shapes, whole.wording)
    own.finding = whole.finding
    return Veiled(whole, own, part, gone)
