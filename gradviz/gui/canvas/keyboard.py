"""Where the arrow keys lead: along edges, and sideways to the neighbour."""

from __future__ import annotations

import numpy as np

from gradviz.scene.model import Scene


def along(scene: Scene, box: int, direction: str) -> int:
    """The box that an arrow key leads to from `box`; the same where there is none. `direction`: up down left right."""
    draft = scene.draft
    forth, back = ("right", "left") if draft.across else ("down", "up")
    along_x, along_y = (scene.y, scene.x) if draft.across else (scene.x, scene.y)
    if direction in (forth, back):
        here, there = (draft.tail, draft.head) if direction == forth else (draft.head, draft.tail)
        reached = there[here == box]
        if not len(reached):
            return box
        # Straight on, if there are several.
        return int(reached[np.argmin(np.abs(along_x[reached] - along_x[box]))])
    side = 1.0 if direction in ("right", "down") else -1.0
    dx, dy = (along_x - along_x[box]) * side, np.abs(along_y - along_y[box])
    beside = np.flatnonzero((dx > 1) & (dy <= np.maximum(dx, 30)))
    if not len(beside):
        return box
    return int(beside[np.argmin(dx[beside] + 2 * dy[beside])])


def other_end(scene: Scene, edge: int, direction: str) -> int:
    """The box that an arrow key leads to from an edge: back to its tail, else on to its head."""
    draft = scene.draft
    return int(draft.tail[edge] if direction == ("left" if draft.across else "up") else draft.head[edge])


def first_box(scene: Scene) -> int:
    """Where the keyboard starts: the topmost box (drawn to the right: the leftmost), -1 in an empty scene."""
    return int(np.argmin(scene.x if scene.draft.across else scene.y)) if len(scene.y) else -1
