"""From afar: what has to be read at every zoom is painted in the screen's size, beside what it belongs to.

The current node and those that failed, the shapes that a finding names, and its badge. Nothing of it lies over another,
and nothing is cut by the window's border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.draw.lines import draw_badge, draw_framed_label, label_place
from gradviz.draw.looks import NO_NAMES, NO_SECOND
from gradviz.draw.nearby import Area
from gradviz.draw.surface import Surface
from gradviz.scene.model import Badge, Bytes, EdgeLabel, Look, Scene
from gradviz.scene.sizes import BADGE
from gradviz.scene.wording import Wording

READABLE = 0.8  # of full size: the current node and the findings, where all else is too small to read
SPECK = 3.0  # screen px that a block has at least
OVERLAP = 6.0  # screen px that a border may lie over another
GAP = 6.0  # screen px between two of them, and to the border
LOUD = (Look.FAILED, Look.WARNED)  # labels of findings: what the engine changed, and NaN on its way, are quiet


def inside(area: Area, x: float, y: float, width: float, height: float, gap: float) -> tuple[float, float] | None:
    """The nearest middle at which all of it is in sight; None for what isn't in sight at all."""
    left, top, right, bottom = area
    if not (left <= x <= right and top <= y <= bottom):
        return None
    across, down = width / 2 + gap, height / 2 + gap
    if 2 * across < right - left:
        x = min(max(x, left + across), right - across)
    if 2 * down < bottom - top:
        y = min(max(y, top + down), bottom - down)
    return x, y


@dataclass(frozen=True)
class Callout:
    """A box at (x, y), its middle."""

    box: int
    x: float
    y: float


def growth(zoom: float) -> float:
    """How much larger than the rest the current node and the findings are drawn, so that they can always be read.

    It sets in slowly where second lines go, and is full where names go.
    """
    if zoom >= NO_SECOND:
        return 1.0
    part = min((NO_SECOND - zoom) / (NO_SECOND - NO_NAMES), 1.0)
    return (NO_SECOND + (READABLE - NO_SECOND) * part) / zoom


def label_growth(label: EdgeLabel, zoom: float) -> float:
    """Likewise of a framed label; 0 where it isn't shown. Hundreds of NaN would hide the graph that they are in."""
    if label.look in LOUD:
        return growth(zoom)
    return 1.0 if zoom >= NO_NAMES else 0.0


def near(x: float, y: float, area: Area) -> bool:
    return area[0] - 200 <= x <= area[2] + 200 and area[1] - 40 <= y <= area[3] + 40


def paint_framed(
    surface: Surface, scene: Scene, labels: Sequence[EdgeLabel], area: Area, wording: Wording, alone: bool
) -> None:
    """Framed labels at their places, but for those that Callouts place over all else; `alone`: there are none."""
    grow = growth(surface.zoom)
    for label in labels:
        x, y = label_place(scene, label.edge)
        scale = label_growth(label, surface.zoom) or float(alone)
        if not scale or (grow > 1.0 and label.look in LOUD and not alone) or not near(x, y, area):
            continue
        with surface.moved(x, y, scale):
            draw_framed_label(surface, label, wording)


def specks(scene: Scene, looks: Bytes, zoom: float) -> NDArray[Any]:
    """Where NaN went, from afar: (n, 4) x, y, width, height of blocks in place of the labels that say how many."""
    edges = np.flatnonzero(looks == Look.NAN)
    at = scene.label_at[edges]
    known = ~np.isnan(at[:, 0])
    edges, at = edges[known], at[known]
    size = np.stack((scene.draft.label_width[edges] / 2, scene.draft.label_height[edges]), axis=1)
    size = np.maximum(size, SPECK / zoom)
    return np.concatenate((at - size / 2, size), axis=1)


class Callouts:
    """The places of one painting. What is placed first keeps its own."""

    def __init__(self, scene: Scene, zoom: float, area: Area) -> None:
        self._scene, self._zoom, self._area = scene, zoom, area
        self._grow = growth(zoom)
        self._taken: list[Area] = []

    def label(self, label: EdgeLabel) -> tuple[float, float] | None:
        """Where the label of a finding's edge goes; None where another lies already, and out of sight."""
        draft = self._scene.draft
        width = float(draft.label_width[label.edge]) * self._grow
        height = float(draft.label_height[label.edge]) * self._grow
        at = self._inside(*label_place(self._scene, label.edge), width, height)
        if at is None or not self._free(*at, width, height):
            return None
        self._take(*at, width, height)
        return at

    def place(self, box: int) -> Callout | None:
        """Where an enlarged box goes: as near its own place as labels and the border let it; None out of sight."""
        scene = self._scene
        width, height = float(scene.draft.width[box]) * self._grow, float(scene.draft.height[box]) * self._grow
        x, y = float(scene.x[box]), float(scene.y[box])
        found = self._inside(x, y, width, height)
        if found is None:
            return None
        gap, ways = GAP / self._zoom, [found]
        for left, top, right, bottom in self._taken:
            for beside in (
                (found[0], top - gap - height / 2),
                (found[0], bottom + gap + height / 2),
                (left - gap - width / 2, found[1]),
                (right + gap + width / 2, found[1]),
            ):
                moved = self._inside(*beside, width, height)
                ways += [moved] if moved is not None else []
        ways.sort(key=lambda way: abs(way[0] - x) + abs(way[1] - y))
        at = next((way for way in ways if self._free(*way, width, height)), found)
        self._take(*at, width, height)
        return Callout(box, *at)

    def badges(self, surface: Surface, badges: Sequence[Badge], callouts: Sequence[Callout]) -> None:
        """On the corners of enlarged boxes, else of the boxes themselves."""
        scene, draft, grow = self._scene, self._scene.draft, self._grow
        corners = {
            each.box: (
                each.x - float(draft.width[each.box]) * grow / 2,
                each.y - float(draft.height[each.box]) * grow / 2,
            )
            for each in callouts
        }
        for badge in badges:
            at = corners.get(badge.box)
            if at is None:
                left, top = scene.rect(badge.box)[:2]
                if not self._free(left, top, BADGE * grow, BADGE * grow):
                    continue
                self._take(left, top, BADGE * grow, BADGE * grow)
                at = left, top
            with surface.moved(*at, grow):
                draw_badge(surface, badge)

    def _inside(self, x: float, y: float, width: float, height: float) -> tuple[float, float] | None:
        return inside(self._area, x, y, width, height, GAP / self._zoom)

    def _free(self, x: float, y: float, width: float, height: float) -> bool:
        """Whether no more than its border would lie over another."""
        across, down = width / 2 - OVERLAP / self._zoom, height / 2 - OVERLAP / self._zoom
        return not any(
            x - across < right and x + across > left and y - down < bottom and y + down > top
            for left, top, right, bottom in self._taken
        )

    def _take(self, x: float, y: float, width: float, height: float) -> None:
        self._taken.append((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
