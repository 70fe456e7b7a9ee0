"""The colours can be read, and told apart by colour-blind eyes."""

from __future__ import annotations

import itertools
import math

import pytest

from gradviz.draw.icons import ICONS
from gradviz.draw.tokens import COLOR_NAMES, DARK, LIGHT, THEMES, Tokens

Rgb = tuple[float, float, float]

# Every background that a text colour meets on screen.
PLAIN = ("window", "pane", "canvas", "node")
SOFT = ("accent_soft", "done_soft", "error_soft", "warn_soft", "note_soft", "changed_soft")
GROUNDS = {
    "text": PLAIN + SOFT,
    "text2": PLAIN + SOFT,
    "accent": (*PLAIN, "accent_soft"),
    "done": (*PLAIN, "done_soft"),
    "error": (*PLAIN, "error_soft", "accent_soft"),
    "warn": (*PLAIN, "warn_soft"),
    "note": (*PLAIN, "note_soft"),
    "never": PLAIN,
    "changed": (*PLAIN, "changed_soft"),
    "code_comment": ("pane", "accent_soft", "error_soft"),
    "on_fill": ("accent", "done", "error"),
}
STATES = ("accent", "done", "error", "warn_fill", "never", "changed")
# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
BLINDNESS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


def linear(color: str) -> Rgb:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return red, green, blue


def luminance(color: str) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: Rgb) -> Rgb:
    red, green, blue = (min(1.0, max(0.0, part)) for part in rgb)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def delta_e2000(one: Rgb, other: Rgb) -> float:
    """CIEDE2000 after Sharma, Wu, Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    c1, c2 = math.hypot(a1 * (1 + g), b1), math.hypot(a2 * (1 + g), b2)
    h1 = math.degrees(math.atan2(b1, a1 * (1 + g))) % 360
    h2 = math.degrees(math.atan2(b2, a2 * (1 + g))) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    ml, mc = (l1 + l2) / 2, (c1 + c2) / 2
    mh = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * math.cos(math.radians(mh - 30))
        + 0.24 * math.cos(math.radians(2 * mh))
        + 0.32 * math.cos(math.radians(3 * mh + 6))
        - 0.20 * math.cos(math.radians(4 * mh - 63))
    )
    sl = 1 + 0.015 * (ml - 50) ** 2 / math.sqrt(20 + (ml - 50) ** 2)
    sc, sh = 1 + 0.045 * mc, 1 + 0.015 * mc * t
    rt = -math.sin(math.radians(60 * math.exp(-(((mh - 275) / 25) ** 2)))) * 2 * math.sqrt(mc**7 / (mc**7 + 25**7))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)


def seen(color: str, matrix: tuple[Rgb, Rgb, Rgb]) -> Rgb:
    parts = linear(color)
    red, green, blue = (sum(weight * part for weight, part in zip(row, parts)) for row in matrix)
    return lab((red, green, blue))


def test_delta_e_gives_the_published_values() -> None:
    # Sharma's test data, pairs 1, 7 and 25.
    assert delta_e2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert delta_e2000((50, 0, 0), (50, -1, 2)) == pytest.approx(2.3669, abs=1e-4)
    assert delta_e2000((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387)) == pytest.approx(1.2644, abs=1e-4)


@pytest.mark.parametrize("tokens", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("token", GROUNDS)
def test_text_can_be_read_on_every_ground_it_meets(tokens: Tokens, token: str) -> None:
    for ground in GROUNDS[token]:
        assert contrast(tokens.color(token), tokens.color(ground)) >= 4.5, ground


@pytest.mark.parametrize("tokens", THEMES.values(), ids=THEMES)
def test_outlines_of_controls_can_be_seen(tokens: Tokens) -> None:
    for ground in ("window", "pane", "canvas"):
        assert contrast(tokens.control, tokens.color(ground)) >= 3.0, ground


@pytest.mark.parametrize("tokens", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("matrix", BLINDNESS.values(), ids=BLINDNESS)
def test_state_colours_stay_apart_for_colour_blind_eyes(tokens: Tokens, matrix: tuple[Rgb, Rgb, Rgb]) -> None:
    labs = {state: seen(tokens.color(state), matrix) for state in STATES}
    apart = {(a, b): delta_e2000(labs[a], labs[b]) for a, b in itertools.combinations(STATES, 2)}
    assert min(apart.values()) >= 10, min(apart.items(), key=lambda item: item[1])


def test_icons_name_tokens_only() -> None:
    known = {*COLOR_NAMES, "", "ink"}
    for name, figures in ICONS.items():
        for figure in figures:
            for color in (figure.fill, figure.stroke):
                assert color in known or color.startswith("#"), (name, color)


def test_both_themes_give_every_token() -> None:
    for tokens in (LIGHT, DARK):
        for name in COLOR_NAMES:
            assert len(tokens.color(name)) == 7 and tokens.color(name).startswith("#")
