"""From where a new scene is looked at: as before, with the group that was opened in sight; else its best view."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradviz.draw.panel import area_with_panel
from gradviz.draw.view import View
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.loader import Loaded
from gradviz.scene.model import Kind

MARGIN = 24.0  # px of the screen round an opened group


@dataclass(frozen=True)
class Anchor:
    """A group that should stay where it is on the screen while its surroundings move."""

    key: str
    x: float
    y: float


def anchor_at(loaded: Loaded, key: str, view: View) -> Anchor | None:
    place = place_of_group(loaded, key)
    if place is None:
        return None
    return Anchor(key, (place[0] - view.x) * view.zoom, (place[1] - view.y) * view.zoom)


def place_of_group(loaded: Loaded, key: str) -> tuple[float, float] | None:
    """Top left corner of a group's box or frame; None where it is inside a folded one."""
    draft = loaded.scene.draft
    card = next((at for at, one in enumerate(draft.cards) if one.key == key), -1)
    if card in draft.open_cards:
        frame = loaded.scene.frames[draft.open_cards.index(card)]
        return float(frame[0]), float(frame[1])
    boxes = (draft.card == card).nonzero()[0].tolist() if card >= 0 else []
    return loaded.scene.rect(boxes[0])[:2] if boxes else None


def next_view(
    before: Loaded | None, loaded: Loaded, view: View, anchor: Anchor | None, current: int, touched: bool
) -> View:
    """`current`: the current node's box once a step was made, -1 otherwise. `touched`: a person chose the view."""
    bounds = loaded.scene.bounds
    same = before is not None and _same_pass(before, loaded)
    if same and anchor is not None:
        place = place_of_group(loaded, anchor.key)
        if place is not None:
            moved = replace(view, x=place[0] - anchor.x / view.zoom, y=place[1] - anchor.y / view.zoom)
            return camera.kept_near(_all_of_it(loaded, anchor.key, moved), bounds)
    if touched and (same or (before is not None and _alike(before, loaded))):
        return camera.kept_near(view, bounds)
    box = current if current >= 0 else _focus(loaded)
    box = box if box >= 0 else _beginning(loaded)
    at = _middle_with_panel(loaded, box, view) if box >= 0 else None
    return camera.opening(bounds, view.width, view.height, at)


def _middle_with_panel(loaded: Loaded, box: int, view: View) -> tuple[float, float]:
    """Of a box and the panel that explains it, as long as both are seen then."""
    area = area_with_panel(loaded.scene, box)
    if area is None or not camera.has_room(replace(view, zoom=camera.NEAR), area):
        return float(loaded.scene.x[box]), float(loaded.scene.y[box])
    return (area[0] + area[2]) / 2, (area[1] + area[3]) / 2


def _all_of_it(loaded: Loaded, key: str, view: View) -> View:
    """Moved no further than it takes to see all of an opened group, or as much from its top left corner as fits."""
    draft = loaded.scene.draft
    at = next((at for at, card in enumerate(draft.open_cards) if draft.cards[card].key == key), -1)
    if at < 0:
        return view
    x, y, width, height = (float(part) for part in loaded.scene.frames[at])
    left, top, right, bottom = view.area(-MARGIN / view.zoom)
    dx = min(max(0.0, x + width - right), max(0.0, x - left))
    dy = min(max(0.0, y + height - bottom), max(0.0, y - top))
    return replace(view, x=view.x + dx, y=view.y + dy)


def _same_pass(before: Loaded, after: Loaded) -> bool:
    return before.order.trace is after.order.trace and before.order.pass_id == after.order.pass_id


def _alike(before: Loaded, after: Loaded) -> bool:
    """The same script run again, or another pass of the same structure."""
    return len(before.build.graph) == len(after.build.graph) and len(before.scene.draft) == len(after.scene.draft)


def _beginning(loaded: Loaded) -> int:
    """The seed's box, or that of the first step; -1 where none ran. A wrapped drawing has its top somewhere else."""
    draft = loaded.scene.draft
    first = np.flatnonzero(draft.kind == Kind.SEED)
    first = first if len(first) else np.flatnonzero(draft.step_first == 0)
    return int(first[0]) if len(first) else -1


def _focus(loaded: Loaded) -> int:
    """The box where a finding shows, -1 without one."""
    draft = loaded.scene.draft
    if draft.badges:
        return draft.badges[0].box
    return int(draft.head[draft.framed[0].edge]) if draft.framed else -1
