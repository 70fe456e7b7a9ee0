"""What is under the pointer: a box, the label or line of an edge, the head of an open group's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.draw.callouts import label_growth
from gradviz.draw.lines import label_place
from gradviz.draw.picture import Picture

NEAR_EDGE = 6.0  # screen px
HEADER = 30.0


@dataclass(frozen=True)
class Hit:
    """`kind`: "" | box | edge | frame; `at`: its position among the scene's boxes, edges or open cards."""

    kind: str = ""
    at: int = -1


NOTHING = Hit()


def hit(picture: Picture, x: float, y: float, zoom: float) -> Hit:
    """What is at the scene's (x, y)."""
    boxes = picture.boxes_in((x, y, x, y))
    if len(boxes):
        return Hit("box", int(boxes[-1]))
    edge = _label_at(picture, x, y, zoom)
    if edge < 0:
        edge = _edge_near(picture, x, y, NEAR_EDGE / zoom)
    if edge >= 0:
        return Hit("edge", edge)
    return _frame_at(picture, x, y)


def _label_at(picture: Picture, x: float, y: float, zoom: float) -> int:
    scene = picture.scene
    for label in scene.draft.framed:
        grow = label_growth(label, zoom)
        at = label_place(scene, label.edge)
        wide, high = scene.draft.label_width[label.edge] * grow, scene.draft.label_height[label.edge] * grow
        if abs(x - at[0]) <= wide / 2 and abs(y - at[1]) <= high / 2:
            return label.edge
    return -1


def _edge_near(picture: Picture, x: float, y: float, reach: float) -> int:
    """The edge whose line or shape is nearest, within `reach`."""
    best, best_distance = -1, reach
    scene = picture.scene
    for edge in picture.edges_in((x - reach, y - reach, x + reach, y + reach)).tolist():
        label = scene.label_at[edge]
        if label[0] == label[0] and picture.shapes:
            half = scene.draft.label_width[edge] / 2
            if abs(x - label[0]) <= half and abs(y - label[1]) <= 9:
                return int(edge)
        distance = _distance(scene.route(edge), x, y)
        if distance < best_distance:
            best, best_distance = int(edge), distance
    return best


def _distance(route: np.ndarray[tuple[int, int], np.dtype[np.float32]], x: float, y: float) -> float:
    """From a point to a polyline."""
    start, way = route[:-1], route[1:] - route[:-1]
    length = np.maximum((way**2).sum(axis=1), 1e-9)
    part = np.clip((((x, y) - start) * way).sum(axis=1) / length, 0, 1)
    nearest = start + way * part[:, None]
    return float(np.sqrt(((nearest - (x, y)) ** 2).sum(axis=1).min()))


def _frame_at(picture: Picture, x: float, y: float) -> Hit:
    frames = picture.scene.frames
    for at in range(len(frames) - 1, -1, -1):
        left, top, width, height = frames[at]
        if left <= x <= left + width and top <= y <= top + min(HEADER, height):
            return Hit("frame", at)
    return NOTHING
