"""Edges and what stands beside them: routes, arrows, shapes, framed labels, ties, frames of open groups, badges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gradviz.draw.looks import EDGES, SEVERITY_INK
from gradviz.draw.surface import Figure, Points, Surface, fitted, text_width
from gradviz.draw.tokens import CAPTION, DASH_CONSTANT, GROUP_RADIUS, NODE_LINE, NODE_NAME, RADIUS, SHAPE
from gradviz.scene.marks import MISMATCH_GAP
from gradviz.scene.model import Badge, Bytes, Card, EdgeLabel, Look, Scene, Tie
from gradviz.scene.place import TIE_BELOW, TIE_BESIDE, TIE_ROOM
from gradviz.scene.sizes import BADGE, LABEL_HEIGHT, LABEL_PAD, MISMATCH_HEIGHT
from gradviz.scene.wording import Wording
from gradviz.scene.words import count_text

ARROW_LONG, ARROW_WIDE = 8.0, 7.0
TAG_HIGH, TAG_ROOM, MOST_TAGS = 16.0, 3.0, 40


def draw_edges(surface: Surface, scene: Scene, edges: Sequence[int], look: int) -> None:
    """Routes with their arrows, all of one look; a line ends where its arrow begins."""
    style = EDGES[Look(look)]
    lines, ends = [], []
    for edge in edges:
        route = scene.route(edge).tolist()
        if look == Look.STILL:
            lines.append(Figure(points=route))
            continue
        lines.append(Figure(points=[*route[:-1], arrow_base(route[-2], route[-1])]))
        ends.append((*route[-2], *route[-1]))
    surface.many(lines, stroke=style.stroke, pen=style.pen, dash=style.dash)
    surface.many([Figure(points=corners, closed=True) for corners in arrowheads(ends)], fill=style.stroke)


def arrow_base(before: Sequence[float], tip: Sequence[float]) -> tuple[float, float]:
    length = math.hypot(tip[0] - before[0], tip[1] - before[1])
    if length <= ARROW_LONG:
        return before[0], before[1]
    part = (length - ARROW_LONG + 1) / length
    return before[0] + (tip[0] - before[0]) * part, before[1] + (tip[1] - before[1]) * part


def arrowheads(pieces: ArrayLike, size: float = 1.0) -> list[Points]:
    """The three corners of the arrow at the end of each piece (x1, y1, x2, y2), `size` px of the surface a px."""
    ends = np.asarray(pieces, np.float64).reshape(-1, 4)
    tip, way = ends[:, 2:], ends[:, 2:] - ends[:, :2]
    way /= np.maximum(np.hypot(way[:, :1], way[:, 1:]), 1e-9)
    base, aside = tip - way * ARROW_LONG * size, way[:, ::-1] * (-1, 1) * (ARROW_WIDE / 2 * size)
    corners: list[Points] = np.stack((tip, base + aside, base - aside), axis=1).tolist()
    return corners


def draw_quiet_labels(surface: Surface, scene: Scene, edges: Sequence[int], looks: Bytes) -> None:
    """Shapes that fit: bare text beside the edges, on the canvas's own ground so that no line runs through it."""
    draft = scene.draft
    places, labels = scene.label_at[list(edges)].tolist(), draft.label[list(edges)].tolist()
    found = [
        (round(y), x, y, draft.labels[label], int(looks[edge]))
        for edge, (x, y), label in zip(edges, places, labels)
        if x == x and draft.labels[label]
    ]
    # Edges that end side by side have their shapes on top of each other: the first of them is written.
    found.sort(key=lambda label: label[:2])
    grounds: list[Figure] = []
    alike: dict[tuple[str, int], list[tuple[float, float]]] = {}
    last, reach = math.nan, 0.0
    for row, x, y, text, look in found:
        width = text_width(text, SHAPE)
        if row == last and x - width / 2 < reach:
            continue
        last, reach = row, x + width / 2
        alike.setdefault((text, look), []).append((x, y))
        grounds.append(Figure((x - width / 2 - 2, y - 8, width + 4, 16)))
    surface.many(grounds, fill="canvas")
    for (text, look), middles in alike.items():
        surface.same_text(middles, text, SHAPE, EDGES[Look(look)].text)


def label_place(scene: Scene, edge: int) -> tuple[float, float]:
    """Where a framed label's centre is: the layout's place, or the middle of the route."""
    x, y = float(scene.label_at[edge, 0]), float(scene.label_at[edge, 1])
    if x == x:
        return x, y
    route = scene.route(edge)
    middle = (len(route) - 1) // 2
    return float(route[middle : middle + 2, 0].mean()), float(route[middle : middle + 2, 1].mean())


def draw_framed_label(surface: Surface, label: EdgeLabel, wording: Wording) -> None:
    """A label with a frame, centred on (0, 0). A frame means: look here."""
    if label.expected:
        _draw_mismatch(surface, label, wording)
        return
    style = EDGES[label.look]
    width = text_width(label.text, SHAPE, 600) + 2 * LABEL_PAD + (16 if label.icon else 0)
    left = -width / 2
    dash = style.dash if label.look == Look.NEVER else ()
    surface.rect(left, -LABEL_HEIGHT / 2, width, LABEL_HEIGHT, RADIUS, "node", style.stroke, 1.5, dash)
    if label.icon == "nan":
        surface.icon("nan", left + 4, -7, 14)
    elif label.icon:
        surface.icon(label.icon, left + 4, -6.5, 13)
    surface.text(width / 2 - LABEL_PAD, 0, label.text, SHAPE, style.text, "right", 600)


def _draw_mismatch(surface: Surface, label: EdgeLabel, wording: Wording) -> None:
    """Two halves: expected plain, received filled, parted by ≠."""
    ink = EDGES[label.look].stroke
    gap, high = MISMATCH_GAP, MISMATCH_HEIGHT
    left = [(wording.expected, CAPTION, "text2", 0), (label.expected, SHAPE, "text", 600), ("≠", SHAPE, ink, 700)]
    right = [(wording.received, CAPTION, "on_fill", 0), (label.text, SHAPE, "on_fill", 600)]
    widths = [sum(text_width(t, s, w) + gap for t, s, _, w in half) + gap for half in (left, right)]
    x = -sum(widths) / 2
    surface.rect(x, -high / 2, sum(widths), high, RADIUS, "node", ink, 2.0)
    split = x + widths[0]
    surface.rect(split, -high / 2, widths[1], high, RADIUS, ink)
    surface.rect(split, -high / 2, RADIUS, high, 0, ink)
    for start, half in ((x, left), (split, right)):
        at = start + gap
        for text, style, color, weight in half:
            surface.text(at, 0, text, style, color, "left", weight)
            at += text_width(text, style, weight) + gap


def draw_badge(surface: Surface, badge: Badge) -> None:
    """A severity icon centred on (0, 0), with a count where a folded group holds several findings."""
    surface.icon(badge.severity, -BADGE / 2, -BADGE / 2, BADGE)
    if badge.count > 1:
        surface.text(BADGE / 2 + 2, -BADGE / 2 + 3, str(badge.count), SHAPE, SEVERITY_INK[badge.severity], "left", 600)


def tie_points(scene: Scene, tie: Tie) -> list[tuple[float, float]]:
    """From the right of one box, round the outside of the drawing, to the right of the other; of a graph drawn to the
    right, from the left of the one to the lower side of the other.
    """
    x1, y1, w1, h1 = scene.rect(tie.one)
    x2, y2, w2, h2 = scene.rect(tie.other)
    if scene.draft.across:
        middle, to_x = y1 + h1 / 2, x2 + w2 / 2
        outer, lowest = scene.bounds[0] + TIE_BESIDE / 4, scene.bounds[3] - TIE_BELOW
        return [(x1 - 4, middle), (outer, middle), (outer, lowest), (to_x, lowest), (to_x, y2 + h2 + 6)]
    from_y, to_y = y1 + h1 / 2 - 4, y2 + h2 / 2
    outer = scene.bounds[2] - TIE_ROOM / 2
    return [(x1 + w1 + 4, from_y), (outer, from_y), (outer, to_y), (x2 + w2 + 6, to_y)]


def draw_tie(surface: Surface, scene: Scene, tie: Tie) -> None:
    points = tie_points(scene, tie)
    surface.poly([*points[:-1], arrow_base(points[-2], points[-1])], stroke="text2", pen=1.25, dash=DASH_CONSTANT)
    surface.poly(arrowheads((*points[-2], *points[-1]))[0], True, "text2")
    text = "= " + tie.text
    width = text_width(text, CAPTION) + 18
    (x1, y1), (x2, y2) = points[-3:-1]  # what lies outside all
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    surface.rect(x - width / 2, y - 10, width, 20, 10, "node", "control", 1.0)
    surface.text(x, y, text, CAPTION, "text", "center")


def count_width(text: str) -> float:
    return text_width(text, SHAPE, 600) + 14


def draw_count(surface: Surface, text: str, x: float, middle: float) -> None:
    """How often: a dark lozenge, centred on (x, middle)."""
    width = count_width(text)
    surface.rect(x - width / 2, middle - 9, width, 18, 9, "text")
    surface.text(x, middle, text, SHAPE, "canvas", "center", 600)


def draw_frame(surface: Surface, card: Card, rect: tuple[float, float, float, float], selected: bool = False) -> None:
    """The outline of an open group."""
    x, y, width, height = rect
    ink = SEVERITY_INK.get(card.severity, "border")
    surface.rect(
        x, y, width, height, GROUP_RADIUS, "", "accent" if selected else ink, 1.5 if selected or card.severity else 1.0
    )


def draw_frame_words(surface: Surface, card: Card, rect: tuple[float, float, float, float], wording: Wording) -> None:
    """Its name at the left, figures at the right, on a ground of their own: an edge may enter through the header."""
    x, y, width, _ = rect
    title = fitted(card.title, NODE_NAME, width - 40)
    surface.rect(x + 6, y + 5, 28 + text_width(title, NODE_NAME), 20, 0, "canvas")
    surface.icon("chevron_down", x + 10, y + 9, 12)
    surface.text(x + 28, y + 15, title, NODE_NAME, "text")
    left = x + 28 + text_width(title, NODE_NAME) + 8
    room = x + width - 12 - left
    name = fitted(card.class_name, CAPTION, room)
    if room > 20:
        surface.rect(left - 3, y + 6, text_width(name, CAPTION) + 6, 18, 0, "canvas")
        surface.text(left, y + 15, name, CAPTION, "text2")
    room -= text_width(name, CAPTION) + 16
    if card.copies > 1:
        count = f"×{card.copies}"
        wide = count_width(count)
        if wide + 8 <= room:
            draw_count(surface, count, left + text_width(name, CAPTION) + 10 + wide / 2, y + 15)
            room -= wide + 10
    said = next((facts for facts in _frame_facts(card, wording) if text_width(facts, NODE_LINE) <= room), "")
    if said:
        wide = text_width(said, NODE_LINE)
        surface.rect(x + width - 15 - wide, y + 6, wide + 6, 18, 0, "canvas")
        surface.text(x + width - 12, y + 15, said, NODE_LINE, "text2", "right")


def _frame_facts(card: Card, wording: Wording) -> list[str]:
    """What there is to say, and ever shorter, for frames with less room."""
    count = count_text(card.parameters) if card.parameters else ""
    long = wording.parameters.format(count=count) if count else ""
    ways = ((card.shapes, long, card.norm_words), (card.shapes, count, card.norm_words), (card.shapes, count))
    return [
        " · ".join(part for part in way if part) for way in (*ways, (card.shapes,), (long, card.norm_words), (count,))
    ]


def draw_frame_tags(surface: Surface, frames: Sequence[tuple[Card, tuple[float, float, float, float]]]) -> None:
    """From afar: the names of open groups in the screen's size, the largest first, as long as they don't overlap."""
    taken: list[tuple[float, float, float, float]] = []
    for card, (x, y, width, height) in sorted(frames, key=lambda frame: -frame[1][2] * frame[1][3]):
        words = text_width(card.title, CAPTION) + 8
        wide, high = words / surface.zoom, TAG_HIGH / surface.zoom
        left, top = x, y - high / 2
        crowded = any(left < r and left + wide > x1 and top < b and top + high > y1 for x1, y1, r, b in taken)
        # A low frame's name would hide what is in it.
        if wide > width or height < TAG_ROOM * high or crowded or len(taken) >= MOST_TAGS:
            continue
        taken.append((left, top, left + wide, top + high))
        with surface.moved(left, top, 1.0 / surface.zoom):
            surface.rect(4, 1, words, TAG_HIGH - 2, RADIUS, "canvas")
            surface.text(8, TAG_HIGH / 2, card.title, CAPTION, "text2")
