"""Where the arrow keys lead: along edges, and sideways to the neighbour."""

from __future__ import annotations

import numpy as np

from gradviz.scene.model import Scene


def along(scene: Scene, box: int, direction: str) -> int:
    """The box that an arrow key leads to from `box`; the same where there is none. `direction`: up down left right."""
    if direction in ("up", "down"):
        draft = scene.draft
        here, there = (draft.tail, draft.head) if direction == "down" else (draft.head, draft.tail)
        reached = there[here == box]
        if not len(reached):
            return box
        # Straight on, if there are several.
        return int(reached[np.argmin(np.abs(scene.x[reached] - scene.x[box]))])
    side = 1.0 if direction == "right" else -1.0
    dx, dy = (scene.x - scene.x[box]) * side, np.abs(scene.y - scene.y[box])
    beside = np.flatnonzero((dx > 1) & (dy <= np.maximum(dx, 30)))
    if not len(beside):
        return box
    return int(beside[np.argmin(dx[beside] + 2 * dy[beside])])


def first_box(scene: Scene) -> int:
    """Where the keyboard starts: the topmost box, -1 in an empty scene."""
    return int(np.argmin(scene.y)) if len(scene.y) else -1
