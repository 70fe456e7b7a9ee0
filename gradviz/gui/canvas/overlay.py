"""What is painted over the kept image each time: highlights, the current node, failed ones, the selection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gradviz.draw.callouts import growth
from gradviz.draw.cards import draw_highlight, draw_selection, form_of
from gradviz.draw.lines import draw_frame
from gradviz.draw.nearby import Area
from gradviz.draw.picture import Placed
from gradviz.draw.surface import QtSurface, Surface
from gradviz.draw.tokens import DASH_SELECTED
from gradviz.draw.view import View
from gradviz.gui.canvas.hits import Hit
from gradviz.scene.model import States

MOST_HIGHLIGHTS = 2000


class Shown(Placed, Protocol):
    """What the image under the overlay shows."""

    def paint_important(self, surface: Surface, states: States, area: Area) -> None: ...


def paint_overlay(
    surface: QtSurface,
    picture: Shown,
    states: States,
    view: View,
    selected: Hit,
    highlighted: Sequence[int],
) -> None:
    """With the painter in screen px."""
    with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
        for box in highlighted[:MOST_HIGHLIGHTS]:
            draw_highlight(surface, form_of(picture.scene, box), picture.scene.rect(box))
        picture.paint_important(surface, states, view.area())
        enlarged = selected.kind == "box" and selected.at == states.current and growth(surface.zoom) > 1.0
        if not enlarged:  # its ring says where it is; an outline of its own size would lie across its words
            paint_selected(surface, picture, selected)


def paint_selected(surface: QtSurface, picture: Placed, selected: Hit) -> None:
    """The dotted outline of a box, the dots along an edge, the frame of an open group."""
    scene = picture.scene
    if selected.kind == "box" and selected.at < len(scene.draft):
        draw_selection(surface, form_of(scene, selected.at), scene.rect(selected.at))
    elif selected.kind == "edge" and selected.at < scene.draft.edges:
        route = scene.route(selected.at)
        surface.poly([(float(x), float(y)) for x, y in route], stroke="text", pen=1.5, dash=DASH_SELECTED)
    elif selected.kind == "frame" and selected.at < len(scene.frames):
        x, y, width, height = (float(part) for part in scene.frames[selected.at])
        card = scene.draft.cards[scene.draft.open_cards[selected.at]]
        draw_frame(surface, card, (x, y, width, height), True)
