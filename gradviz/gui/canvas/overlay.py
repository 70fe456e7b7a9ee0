"""What is painted over the kept image each time: focus, highlights, the current node, failed ones, the selection."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gradviz.draw.cards import draw_highlight, draw_selection, form_of
from gradviz.draw.lines import draw_frame
from gradviz.draw.part import neighbours, paint_part
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface
from gradviz.draw.tokens import DASH_SELECTED
from gradviz.draw.view import View
from gradviz.gui.canvas.hits import Hit
from gradviz.scene.model import States

DIMMED = 205  # of 255: so much of what isn't in focus goes into the ground
MOST_HIGHLIGHTS = 2000


def paint_overlay(
    surface: QtSurface,
    picture: Picture,
    states: States,
    view: View,
    selected: Hit,
    highlighted: Sequence[int],
    focus: int,
) -> None:
    """`focus`: the box whose neighbourhood stands out, -1 none."""
    kind = picture.scene.draft.kind
    with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
        if 0 <= focus < len(kind):
            _paint_focus(surface, picture, states, view, focus)
        for box in highlighted[:MOST_HIGHLIGHTS]:
            draw_highlight(surface, form_of(picture.scene, box), picture.scene.rect(box))
        if focus < 0:
            picture.paint_important(surface, states, view.area(100 / view.zoom))
        paint_selected(surface, picture, selected)


def _paint_focus(surface: QtSurface, picture: Picture, states: States, view: View, focus: int) -> None:
    ground = QColor(surface.tokens.canvas)
    ground.setAlpha(DIMMED)
    left, top, right, bottom = view.area(2 / view.zoom)
    surface.painter.fillRect(QRectF(left, top, right - left, bottom - top), ground)
    boxes, edges = neighbours(picture.scene, focus)
    paint_part(picture, surface, states, boxes[:MOST_HIGHLIGHTS], edges[:MOST_HIGHLIGHTS])


def paint_selected(surface: QtSurface, picture: Picture, selected: Hit) -> None:
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
