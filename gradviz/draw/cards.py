"""Boxes: nodes, leaves, custom functions, seeds, constants and folded groups, in every state."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.draw.lines import draw_count
from gradviz.draw.looks import BOXES, SEVERITY_INK, SEVERITY_SOFT, BoxLook
from gradviz.draw.surface import Surface, fitted, fitted_path, text_width
from gradviz.draw.tokens import (
    CAPTION,
    DASH_SELECTED,
    GROUP_RADIUS,
    LIST,
    NODE_LINE,
    NODE_NAME,
    NODE_RADIUS,
    RADIUS,
    SHAPE,
)
from gradviz.scene.cards import bar_heights
from gradviz.scene.model import Card, Kind, Scene, State
from gradviz.scene.sizes import BAR, BAR_GAP, CARD_TEXT_X, CHIP_HEIGHT, ICON, ICON_X, STACK_ROOM, TEXT_RIGHT, TEXT_X
from gradviz.scene.texts import Texts
from gradviz.scene.words import count_text

CUT = 9.0
SEED_ACROSS = 100  # in place of Kind.SEED: its point leads right
POINT = 10.0  # how far it stands out
BAR_HIGH = 18.0
STACK_STEP = STACK_ROOM / 2


@dataclass(frozen=True)
class Detail:
    """How much of a box is drawn at the present zoom."""

    names: bool = True
    seconds: bool = True


def outline(kind: int, x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    """Corners of the boxes that aren't rounded rectangles; [] for those that are."""
    right, bottom = x + width, y + height
    if kind == Kind.CUSTOM:
        return [
            (x + CUT, y),
            (right - CUT, y),
            (right, y + CUT),
            (right, bottom - CUT),
            (right - CUT, bottom),
            (x + CUT, bottom),
            (x, bottom - CUT),
            (x, y + CUT),
        ]
    if kind == Kind.SEED:
        shoulder = y + height * 0.72
        return [(x, y), (right, y), (right, shoulder), (x + width / 2, bottom), (x, shoulder)]
    if kind == SEED_ACROSS:
        shoulder = right - POINT
        return [(x, y), (shoulder, y), (right, y + height / 2), (shoulder, bottom), (x, bottom)]
    return []


def form_of(scene: Scene, box: int) -> int:
    """The kind of a box, or SEED_ACROSS: what it looks like."""
    draft = scene.draft
    kind = int(draft.kind[box])
    return SEED_ACROSS if kind == Kind.SEED and draft.across else kind


def radius_of(kind: int, height: float) -> float:
    if kind == Kind.LEAF:
        return height / 2
    return float(GROUP_RADIUS if kind == Kind.GROUP else NODE_RADIUS)


def draw_outline(
    surface: Surface,
    kind: int,
    rect: tuple[float, float, float, float],
    grow: float = 0.0,
    fill: str = "",
    stroke: str = "",
    pen: float = 1.0,
    dash: tuple[float, ...] = (),
) -> None:
    """The form of a kind, `grow` px outside the box."""
    x, y, width, height = rect[0] - grow, rect[1] - grow, rect[2] + 2 * grow, rect[3] + 2 * grow
    corners = outline(kind, x, y, width, height)
    if corners:
        surface.poly(corners, True, fill, stroke, pen, dash)
    else:
        surface.rect(
            x, y, width, height, radius_of(kind, height) + (grow if kind != Kind.LEAF else 0), fill, stroke, pen, dash
        )


def draw_box(surface: Surface, scene: Scene, texts: Texts, box: int, state: int, detail: Detail) -> None:
    """One box with what it says."""
    draft = scene.draft
    kind, rect, look = form_of(scene, box), scene.rect(box), BOXES[State(state)]
    if kind == Kind.GROUP:
        _draw_group(surface, scene, draft.cards[int(draft.card[box])], rect, State(state), detail)
        return
    if state == State.CURRENT:
        gap = 4.0 / surface.zoom
        draw_outline(surface, kind, rect, gap, "", "accent", 2.0)
    draw_outline(surface, kind, rect, 0.0, look.fill, look.stroke, look.pen, look.dash)
    if detail.names:
        draw_icon_of(surface, kind, rect, look)
        draw_words(surface, scene, texts, box, rect, look, detail)


def draw_words(
    surface: Surface,
    scene: Scene,
    texts: Texts,
    box: int,
    rect: tuple[float, float, float, float],
    look: BoxLook,
    detail: Detail,
) -> None:
    """Name, second line, chip; the icon is drawn apart."""
    draft = scene.draft
    kind = form_of(scene, box)
    x, y, width, height = rect
    middle = _middle(kind, y, height)
    left = x + (TEXT_X if look.icon else TEXT_RIGHT)
    right = x + width - TEXT_RIGHT
    chip = draft.chips.get(box, "")
    if chip:
        right = _draw_chip(surface, chip, right, middle, look) - 6
    if kind == Kind.CUSTOM:
        surface.text(right + 2, y + 12, "ƒ", NODE_NAME, look.text, "right", 400)
    second = texts.second(draft, box) if detail.seconds else ""
    room = right - left - (10 if kind == Kind.CUSTOM else 0)
    name = (fitted_path if kind == Kind.LEAF else fitted)(texts.name(draft, box), NODE_NAME, room)
    surface.text(left, middle - 8 if second else middle, name, NODE_NAME, look.text)
    if second:
        surface.text(left, middle + 8, fitted(second, NODE_LINE, right - left), NODE_LINE, look.text2)


def draw_icon_of(surface: Surface, kind: int, rect: tuple[float, float, float, float], look: BoxLook) -> None:
    """The state's icon at the left."""
    if look.icon:
        surface.icon(look.icon, rect[0] + ICON_X, _middle(kind, rect[1], rect[3]) - ICON / 2, ICON)


def _middle(kind: int, y: float, height: float) -> float:
    """Where the words of a box stand: a seed's are above its point."""
    return y + (height * 0.72 + 2 if kind == Kind.SEED else height) / 2


def _draw_chip(surface: Surface, chip: str, right: float, middle: float, look: BoxLook) -> float:
    """A tensor's name in a small frame; returns its left edge."""
    width = text_width(chip, SHAPE, 600) + 14
    plain = look.fill in ("accent",)
    surface.rect(
        right - width,
        middle - CHIP_HEIGHT / 2,
        width,
        CHIP_HEIGHT,
        RADIUS,
        "node",
        "on_fill" if plain else ("control" if look.stroke == "never" else look.stroke),
        1.0,
    )
    surface.text(right - width / 2, middle, chip, SHAPE, "text", "center", 600)
    return right - width


def _draw_group(
    surface: Surface, scene: Scene, card: Card, rect: tuple[float, float, float, float], state: State, detail: Detail
) -> None:
    x, y, width, height = rect
    if card.copies > 1:  # the cards behind reach up and to the right, within the box
        y, width, height = y + STACK_ROOM, width - STACK_ROOM, height - STACK_ROOM
    look = BOXES[state]
    fill, stroke, pen = "node", look.stroke, look.pen
    if card.severity:
        fill, stroke, pen = SEVERITY_SOFT[card.severity], SEVERITY_INK[card.severity], 2.0
    if state == State.CURRENT:
        gap = 4.0 / surface.zoom
        surface.rect(x - gap, y - gap, width + 2 * gap, height + 2 * gap, GROUP_RADIUS + gap, "", "accent", 2.0)
        fill = "accent_soft"
    for back in (2, 1) if card.copies > 1 else ():
        step = back * STACK_STEP
        surface.rect(x + step, y - step, width, height, GROUP_RADIUS, "canvas", stroke, 1.0, look.dash)
    surface.rect(x, y, width, height, GROUP_RADIUS, fill, stroke, pen, look.dash)
    if not detail.names:
        return
    surface.icon("chevron_right", x + 8, y + 7, 12)
    upper, lower = y + height / 2 - 9, y + height / 2 + 9
    right = x + width - 10
    left = _draw_bars(surface, scene, card, right, y + height - 8)
    count = count_text(card.parameters) if card.parameters else ""
    if count:
        surface.text(left - 8, upper, count, CAPTION, "text2", "right")
        left -= text_width(count, CAPTION) + 16
    title = fitted(card.title, NODE_NAME, left - x - 28)
    surface.text(x + CARD_TEXT_X, upper if card.shapes and detail.seconds else y + height / 2, title, NODE_NAME, "text")
    after = x + CARD_TEXT_X + text_width(title, NODE_NAME) + 10
    if detail.seconds:
        if left - after > 30:
            surface.text(
                after,
                upper if card.shapes else y + height / 2,
                fitted(card.class_name, LIST, left - after),
                LIST,
                "text2",
            )
        bars_left = right - len(card.bars) * (BAR + BAR_GAP)
        shapes = fitted(card.shapes, SHAPE, bars_left - x - 34)
        surface.text(x + CARD_TEXT_X, lower, shapes, SHAPE, "text")
        _draw_norm(surface, card, x + CARD_TEXT_X + text_width(shapes, SHAPE), bars_left - 8, lower)
    if card.copies > 1:
        draw_count(surface, f"×{card.copies}", x + width + 2 * STACK_STEP - 14, y - 2 * STACK_STEP + 2)


def _draw_norm(surface: Surface, card: Card, left: float, right: float, middle: float) -> None:
    """Under the number of parameters, where the shapes leave it room."""
    if card.norm_words and text_width(card.norm_words, CAPTION) + 12 <= right - left:
        fine = card.norm is None or card.norm >= 0  # neither missing nor NaN
        surface.text(right, middle, card.norm_words, CAPTION, "text2" if fine else "error", "right")


def _draw_bars(surface: Surface, scene: Scene, card: Card, right: float, bottom: float) -> float:
    """Gradient norms on the window's log scale; hatched and full = no gradient. Returns the left edge."""
    if not card.bars:
        return right
    x = right - len(card.bars) * (BAR + BAR_GAP) + BAR_GAP
    left = x
    for high in bar_heights(card.bars, *scene.norms).tolist():
        if high != high:
            surface.rect(x, bottom - BAR_HIGH, BAR, BAR_HIGH, 0, "error_soft", "error", 1.0)
            surface.hatch(x, bottom - BAR_HIGH, BAR, BAR_HIGH, "error")
        else:
            surface.rect(x, bottom - BAR_HIGH * high, BAR, BAR_HIGH * high, 0, "done")
        x += BAR + BAR_GAP
    return left


def draw_selection(surface: Surface, kind: int, rect: tuple[float, float, float, float]) -> None:
    """A dotted outline 4 px outside: it hides neither state nor finding."""
    draw_outline(surface, kind, rect, 6.0 / surface.zoom, "", "text", 1.5, DASH_SELECTED)


def draw_highlight(surface: Surface, kind: int, rect: tuple[float, float, float, float]) -> None:
    """A node that a search or a source line points at."""
    draw_outline(surface, kind, rect, 4.0 / surface.zoom, "", "accent", 2.0)
