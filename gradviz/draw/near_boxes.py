"""Boxes near by. Nodes come in few sizes, states and names: those that look alike are painted once and copied."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPainter, QPixmap

from gradviz.draw.cards import Detail, draw_box, draw_icon_of, draw_outline, draw_words, form_of
from gradviz.draw.copies import draw_copies
from gradviz.draw.looks import BOXES, NO_NAMES, NO_SECOND
from gradviz.draw.nearby import Indices
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import Tokens
from gradviz.draw.view import View
from gradviz.scene.model import Kind, Scene, State, States
from gradviz.scene.texts import Texts

MOST = 600
PAD = 4  # px round the box, for its stroke
NO_NAME = -1

Look = tuple[str, int, int, int, int, int, int, float, bool]


class NearBoxes:
    """Paints boxes of one scene one by one, on the thread that made it."""

    def __init__(self, scene: Scene, texts: Texts, corners: NDArray[Any]) -> None:
        """`corners` (n, 2): left, top of each box."""
        self._scene, self._texts, self._corners = scene, texts, corners
        self._chips = np.fromiter(scene.draft.chips, np.intp, len(scene.draft.chips))
        self._pixmaps: dict[Look, QPixmap] = {}

    def paint(self, surface: QtSurface, states: States, view: View, boxes: Indices) -> None:
        """With the painter in screen px. What is current or failed comes later, over all else."""
        draft = self._scene.draft
        detail = Detail(view.zoom >= NO_NAMES, view.zoom >= NO_SECOND)
        shown = boxes[(boxes != states.current) & (states.box[boxes] != State.FAILED)]
        alone = (draft.kind[shown] == Kind.GROUP) | (states.box[shown] == State.CURRENT)
        plain = shown[~alone]
        corners = (self._corners[plain] - np.array([view.x, view.y], np.float32)) * view.zoom - PAD
        only_names = detail.names and not detail.seconds
        says_more = np.isin(plain, self._chips) | (draft.kind[plain] == Kind.CUSTOM)
        worded = np.zeros(len(plain), bool)  # what their pixmap says is all that they say
        for alike in self._alike(plain, states, np.where(says_more | (not only_names), NO_NAME, draft.name[plain])):
            box, state = int(plain[alike[0]]), int(states.box[plain[alike[0]]])
            whole = only_names and not says_more[alike[0]]
            draw_copies(surface.painter, self._pixmap(surface, box, state, view.zoom, detail, whole), corners[alike])
            worded[alike] = whole
        with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
            for box in plain[~worded].tolist() if detail.names else ():
                look = BOXES[State(states.box[box])]
                draw_words(surface, self._scene, self._texts, box, self._scene.rect(box), look, detail)
            for box in shown[alone].tolist():
                draw_box(surface, self._scene, self._texts, box, int(states.box[box]), detail)

    def _alike(self, boxes: Indices, states: States, names: NDArray[np.int64]) -> Iterator[Indices]:
        """Places in `boxes`, by those that look the same."""
        draft = self._scene.draft
        columns = (draft.kind[boxes], states.box[boxes], names, draft.width[boxes], draft.height[boxes])
        order = np.lexsort(columns)
        differs = np.zeros(max(len(boxes) - 1, 0), bool)
        for column in columns:
            differs |= column[order][1:] != column[order][:-1]
        return (part for part in np.split(order, np.flatnonzero(differs) + 1) if len(part))

    def _pixmap(
        self, surface: QtSurface, box: int, state: int, zoom: float, detail: Detail, with_name: bool
    ) -> QPixmap:
        """A box's outline and icon, with its name or without."""
        draft, tokens = self._scene.draft, surface.tokens
        kind = form_of(self._scene, box) if draft.across else int(draft.kind[box])
        width, height = float(draft.width[box]), float(draft.height[box])
        ratio = surface.painter.device().devicePixelRatioF()
        name = int(draft.name[box]) if with_name else NO_NAME
        size = round(width * 4), round(height * 4), round(zoom * 10_000)
        key = (tokens.name, kind, state, *size, name, ratio, detail.names)
        pixmap = self._pixmaps.get(key)
        if pixmap is None:
            if len(self._pixmaps) >= MOST:
                self._pixmaps.clear()
            pixmap = self._pixmaps[key] = self._render(tokens, box, kind, state, zoom, ratio, detail, with_name)
        return pixmap

    def _render(
        self,
        tokens: Tokens,
        box: int,
        kind: int,
        state: int,
        zoom: float,
        ratio: float,
        detail: Detail,
        with_name: bool,
    ) -> QPixmap:
        draft, look = self._scene.draft, BOXES[State(state)]
        rect = (0.0, 0.0, float(draft.width[box]), float(draft.height[box]))
        pixmap = QPixmap(math.ceil((rect[2] * zoom + 2 * PAD) * ratio), math.ceil((rect[3] * zoom + 2 * PAD) * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(QColor(0, 0, 0, 0))
        painter = QPainter(pixmap)
        try:
            surface = QtSurface(painter, tokens, kept=True)
            with surface.moved(PAD, PAD, zoom):
                draw_outline(surface, kind, rect, 0.0, look.fill, look.stroke, look.pen, look.dash)
                if detail.names:
                    draw_icon_of(surface, kind, rect, look)
                if with_name:
                    draw_words(surface, self._scene, self._texts, box, rect, look, detail)
        finally:
            painter.end()
        return pixmap
