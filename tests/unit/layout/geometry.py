"""What a drawing must and must not do, counted: overlaps, lines through boxes, loose ends, frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.model import Request, Result

_TOLERANCE = 0.51  # px; coordinates are float32 and large drawings are 1,000,000 px high
Rect = tuple[float, float, float, float]  # left, top, right, bottom
Point = tuple[float, float]


@dataclass(frozen=True)
class Drawing:
    request: Request
    result: Result

    def box(self, v: int) -> Rect:
        x, y = float(self.result.x[v]), float(self.result.y[v])
        w, h = float(self.request.widths[v]) / 2, float(self.request.heights[v]) / 2
        return (x - w, y - h, x + w, y + h)

    def boxes(self) -> list[Rect]:
        return [self.box(v) for v in range(len(self.request.widths))]

    def route(self, e: int) -> list[Point]:
        start, end = self.result.offsets[e], self.result.offsets[e + 1]
        return [(float(x), float(y)) for x, y in self.result.points[start:end]]

    def label(self, e: int) -> Rect | None:
        x, y = (float(value) for value in self.result.labels[e])
        if np.isnan(x):
            return None
        w, h = (float(value) / 2 for value in self.request.label_sizes[e])
        return (x - w, y - h, x + w, y + h)

    def frame(self, g: int) -> Rect:
        x, y, w, h = (float(value) for value in self.result.group_rects[g])
        return (x, y, x + w, y + h)

    def groups_of(self, v: int) -> list[int]:
        """The groups that hold a node, innermost first."""
        chain = []
        group = int(self.request.group[v]) if len(self.request.group) else -1
        while group >= 0:
            chain.append(group)
            group = int(self.request.group_parent[group])
        return chain


def overlap(a: Rect, b: Rect) -> bool:
    return (
        a[0] < b[2] - _TOLERANCE and b[0] < a[2] - _TOLERANCE and a[1] < b[3] - _TOLERANCE and b[1] < a[3] - _TOLERANCE
    )


def contains(outer: Rect, inner: Rect) -> bool:
    t = _TOLERANCE
    return (
        outer[0] <= inner[0] + t and outer[1] <= inner[1] + t and outer[2] >= inner[2] - t and outer[3] >= inner[3] - t
    )


def hits(a: Point, b: Point, box: Rect) -> bool:
    """Whether the line from a to b passes through the inside of a box (clipped as Liang and Barsky do)."""
    low, high = 0.0, 1.0
    for i in (0, 1):
        first, last = box[i] + _TOLERANCE, box[i + 2] - _TOLERANCE
        step = b[i] - a[i]
        if first >= last:
            return False
        if abs(step) < 1e-9:
            if not first < a[i] < last:
                return False
            continue
        t0, t1 = sorted(((first - a[i]) / step, (last - a[i]) / step))
        low, high = max(low, t0), min(high, t1)
        if low >= high:
            return False
    return True


def on_border(point: Point, box: Rect) -> bool:
    x, y = point
    t = _TOLERANCE
    inside = box[0] - t <= x <= box[2] + t and box[1] - t <= y <= box[3] + t
    near = min(abs(x - box[0]), abs(x - box[2]), abs(y - box[1]), abs(y - box[3])) <= t
    return inside and near


def overlapping_nodes(drawing: Drawing) -> list[tuple[int, int]]:
    boxes = drawing.boxes()
    order = sorted(range(len(boxes)), key=lambda v: boxes[v][0])
    found = []
    for i, v in enumerate(order):
        for w in order[i + 1 :]:
            if boxes[w][0] >= boxes[v][2]:
                break
            if overlap(boxes[v], boxes[w]):
                found.append((v, w))
    return found


def edges_through_nodes(drawing: Drawing) -> list[tuple[int, int]]:
    """(edge, node) for every line that passes through the inside of a box, its own two included."""
    boxes = drawing.boxes()
    found = []
    for e in range(len(drawing.request.tail)):
        route = drawing.route(e)
        for v, box in enumerate(boxes):
            if any(hits(a, b, box) for a, b in zip(route, route[1:], strict=False)):
                found.append((e, v))
    return found


def loose_ends(drawing: Drawing) -> list[int]:
    """Edges that don't begin at their tail's border or don't end at their head's."""
    found = []
    for e, (a, b) in enumerate(zip(drawing.request.tail.tolist(), drawing.request.head.tolist(), strict=True)):
        route = drawing.route(e)
        if len(route) < 2 or not on_border(route[0], drawing.box(a)) or not on_border(route[-1], drawing.box(b)):
            found.append(e)
    return found


def slanted(drawing: Drawing) -> list[int]:
    """Edges with a stretch that is neither upright nor level."""
    found = []
    for e in range(len(drawing.request.tail)):
        route = drawing.route(e)
        steps = [(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in zip(route, route[1:], strict=False)]
        if any(min(step) > _TOLERANCE for step in steps):
            found.append(e)
    return found


def label_faults(drawing: Drawing) -> list[tuple[str, int, int]]:
    """Labels over nodes, and over each other."""
    boxes = drawing.boxes()
    labels = [(e, rect) for e in range(len(drawing.request.tail)) if (rect := drawing.label(e)) is not None]
    found = [("node", e, v) for e, rect in labels for v, box in enumerate(boxes) if overlap(rect, box)]
    for i, (e, rect) in enumerate(labels):
        found += [("label", e, f) for f, other in labels[i + 1 :] if overlap(rect, other)]
    return found


def frame_faults(drawing: Drawing) -> list[tuple[str, int, int]]:
    """Nodes outside their frame, foreign nodes inside one, frames that cut each other."""
    request = drawing.request
    count = len(request.group_parent)
    found = []
    for v, box in enumerate(drawing.boxes()):
        mine = set(drawing.groups_of(v))
        for g in range(count):
            if g in mine and not contains(drawing.frame(g), box):
                found.append(("outside", v, g))
            if g not in mine and overlap(drawing.frame(g), box):
                found.append(("foreign", v, g))
    above = [_ancestors(request, g) for g in range(count)]
    for g in range(count):
        for h in range(g + 1, count):
            if g in above[h]:
                if not contains(drawing.frame(g), drawing.frame(h)):
                    found.append(("frame", g, h))
            elif h in above[g]:
                if not contains(drawing.frame(h), drawing.frame(g)):
                    found.append(("frame", h, g))
            elif overlap(drawing.frame(g), drawing.frame(h)):
                found.append(("cut", g, h))
    return found


def _ancestors(request: Request, group: int) -> set[int]:
    chain = set()
    up = int(request.group_parent[group])
    while up >= 0:
        chain.add(up)
        up = int(request.group_parent[up])
    return chain


def crossings(drawing: Drawing) -> int:
    """Pairs of stretches of different edges that properly cross."""
    lines = []
    for e in range(len(drawing.request.tail)):
        route = drawing.route(e)
        lines += [(e, a, b) for a, b in zip(route, route[1:], strict=False)]
    total = 0
    for i, (e, a, b) in enumerate(lines):
        for f, c, d in lines[i + 1 :]:
            if e != f and _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0:
                total += 1
    return total


def _side(a: Point, b: Point, c: Point) -> int:
    value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (value > 1e-6) - (value < -1e-6)
