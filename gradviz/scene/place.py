"""A draft to a layout request, and the layout's result back to a scene."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.model import Options, Request, Result
from gradviz.scene.cards import norm_range
from gradviz.scene.model import Draft, Panel, Scene
from gradviz.scene.panel import panel_size
from gradviz.scene.sizes import COLUMN_GAP, LAYER_GAP, WRAP_LANE, Measure, monospaced
from gradviz.scene.wording import ENGLISH, Wording

PANEL_GAP = 48.0
PANEL_LEGEND = 28.0  # what its signs mean stands below it
FRAMED_AIR = 10.0
TIE_ROOM = 124.0  # a tie's line runs outside the drawing, with its words across it
TIE_BESIDE, TIE_BELOW = 20.0, 28.0  # likewise of a drawing to the right: round its lower left


def request(draft: Draft, wrap: bool = True, viewport: tuple[float, float] | None = None) -> Request:
    """What the layout needs to know. Only the open groups count for it."""
    position = {card: at for at, card in enumerate(draft.open_cards)}
    lookup = np.full(len(draft.cards) + 1, -1, np.int32)
    for card, at in position.items():
        lookup[card] = at
    parent = np.array([position.get(draft.cards[card].parent, -1) for card in draft.open_cards], np.int32)
    sizes = _label_sizes(draft)
    count = len(draft)
    hint = np.where(draft.step_first >= 0, draft.step_first, np.arange(count)).astype(np.int32)
    return Request(
        widths=np.ascontiguousarray(draft.width, np.float32),
        heights=np.ascontiguousarray(draft.height, np.float32),
        tail=np.ascontiguousarray(draft.tail, np.int32),
        head=np.ascontiguousarray(draft.head, np.int32),
        label_sizes=np.ascontiguousarray(sizes, np.float32),
        group=np.ascontiguousarray(lookup[draft.inside], np.int32),
        group_parent=parent,
        rank_hint=np.ascontiguousarray(hint),
        options=Options(
            direction=draft.direction,
            wrap=wrap,
            aside=True,
            viewport=viewport,
            layer_gap=LAYER_GAP,
            node_gap=COLUMN_GAP,
            lane=WRAP_LANE,
            group_header=30.0,
        ),
    )


def _label_sizes(draft: Draft) -> NDArray[Any]:
    """With room before and behind a framed label, so that neither the ring of a current node nor an arrow meets it."""
    if not draft.edges:
        return np.empty((0, 2))
    framed = np.zeros(draft.edges, np.float32)
    framed[[label.edge for label in draft.framed]] = FRAMED_AIR
    wide, high = draft.label_width, draft.label_height
    there = (wide > 0) & (high > 0)
    along, beside = (wide, high) if draft.across else (high, wide)
    along = np.where(there, along + framed, 0)
    return np.stack((along, beside) if draft.across else (beside, along), axis=1)


def place(draft: Draft, result: Result, measure: Measure = monospaced, wording: Wording = ENGLISH) -> Scene:
    """The scene of a draft whose request gave this result."""
    scene = Scene(
        draft=draft,
        x=result.x,
        y=result.y,
        points=result.points,
        offsets=result.offsets,
        label_at=result.labels,
        frames=result.group_rects,
        panels=(),
        bounds=_bounds(draft, result),
        note=result.note,
        norms=norm_range(draft.cards),
    )
    panels = tuple(_beside(scene, panel, measure, wording) for panel in draft.panels)
    left, top, right, bottom = scene.bounds
    for panel in panels:
        top, bottom = min(top, panel.y), max(bottom, panel.y + panel.height + PANEL_LEGEND)
        left, right = min(left, panel.x), max(right, panel.x + panel.width + 24)
    for _ in draft.ties:
        if draft.across:
            left, bottom = left - TIE_BESIDE, bottom + 2 * TIE_BELOW
        else:
            right += TIE_ROOM
    return replace(scene, panels=panels, bounds=(left, top, right, bottom))


def _bounds(draft: Draft, result: Result) -> tuple[float, float, float, float]:
    if not len(draft):
        return 0.0, 0.0, 1.0, 1.0
    xs: list[NDArray[Any]] = [result.x - draft.width / 2, result.x + draft.width / 2]
    ys: list[NDArray[Any]] = [result.y - draft.height / 2, result.y + draft.height / 2]
    if len(result.points):
        xs.append(result.points[:, 0])
        ys.append(result.points[:, 1])
    if len(result.group_rects):
        xs += [result.group_rects[:, 0], result.group_rects[:, 0] + result.group_rects[:, 2]]
        ys += [result.group_rects[:, 1], result.group_rects[:, 1] + result.group_rects[:, 3]]
    known = ~np.isnan(result.labels[:, 0]) if len(result.labels) else np.zeros(0, bool)
    if known.any():
        half = draft.label_width[known] / 2
        xs += [result.labels[known, 0] - half, result.labels[known, 0] + half]
    x, y = np.concatenate(xs), np.concatenate(ys)
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _beside(scene: Scene, panel: Panel, measure: Measure, wording: Wording) -> Panel:
    """In the free place nearest to its box, at its height: right of it or left of it, between columns or outside all.

    Of a graph drawn to the right, below it.
    """
    width, height = panel_size(panel.finding, measure, wording)
    x, y, box_width, box_height = scene.rect(panel.box)
    if scene.draft.across:
        return replace(panel, x=x, y=_below(scene, x, x + width) + PANEL_GAP, width=width, height=height)
    middle = y + box_height / 2
    top = max(scene.bounds[1], middle - height * 0.66)
    taken = _taken_beside(scene, top, top + height + PANEL_LEGEND)
    right = _free_from(taken, x + box_width + PANEL_GAP, width)
    left = -_free_from([(-end, -start) for start, end in reversed(taken)], PANEL_GAP - x, width) - width
    nearer = right if right - x - box_width <= x - left - width else left
    return replace(panel, x=nearer, y=top, width=width, height=height)


def _taken_beside(scene: Scene, top: float, bottom: float) -> list[tuple[float, float]]:
    """From where to where, from left to right, something stands at this height: boxes, lines, frames, shapes."""
    draft = scene.draft
    half, tall = draft.width / 2, draft.height / 2
    boxes = (scene.y + tall > top) & (scene.y - tall < bottom)
    pieces = np.ones(max(len(scene.points) - 1, 0), bool)
    pieces[scene.offsets[1:-1] - 1] = False  # from the end of a line to the beginning of the next there is nothing
    start, end = scene.points[:-1][pieces], scene.points[1:][pieces]
    lines = (np.maximum(start[:, 1], end[:, 1]) > top) & (np.minimum(start[:, 1], end[:, 1]) < bottom)
    frames = (scene.frames[:, 1] + scene.frames[:, 3] > top) & (scene.frames[:, 1] < bottom)
    labels = np.abs(scene.label_at[:, 1] - (top + bottom) / 2) < (bottom - top + draft.label_height) / 2
    at, wide = scene.label_at[labels, 0], draft.label_width[labels] / 2
    spans = (
        ((scene.x - half)[boxes], (scene.x + half)[boxes]),
        (np.minimum(start[lines, 0], end[lines, 0]), np.maximum(start[lines, 0], end[lines, 0])),
        (scene.frames[frames, 0], scene.frames[frames, 0] + scene.frames[frames, 2]),
        (at - wide, at + wide),
    )
    return sorted((float(low), float(high)) for lows, highs in spans for low, high in zip(lows, highs))


def _free_from(taken: list[tuple[float, float]], start: float, width: float) -> float:
    """The first place from `start` on with room for so much width and a gap round it."""
    for low, high in taken:
        if low < start + width + PANEL_GAP and high > start - PANEL_GAP:
            start = high + PANEL_GAP
    return start


def _below(scene: Scene, left: float, right: float) -> float:
    """The lower end of all that stands between these two."""
    draft = scene.draft
    near = (scene.x + draft.width / 2 > left) & (scene.x - draft.width / 2 < right)
    bottom = float((scene.y + draft.height / 2)[near].max(initial=scene.bounds[1]))
    inside = (scene.points[:, 0] > left) & (scene.points[:, 0] < right)
    bottom = max(bottom, float(scene.points[inside, 1].max(initial=bottom)))
    met = (scene.frames[:, 0] < right) & (scene.frames[:, 0] + scene.frames[:, 2] > left)
    return max(bottom, float((scene.frames[:, 1] + scene.frames[:, 3])[met].max(initial=bottom)))
