"""Colours, type sizes and spacing of the whole program, light and dark: the one place that knows them. No Qt.

Colours are "#RRGGBB", so that Qt, style sheets and SVG take them alike. A test holds their contrast and how far apart
the state colours stay for colour-blind eyes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Tokens:
    """One theme's colours, by what they are for."""

    name: str
    window: str  # bars, tabs, status
    pane: str  # docks, lists, editor
    canvas: str  # graph background
    node: str  # pending node
    border: str  # hairlines, grid dots
    control: str  # outlines of controls, pending edge
    text: str
    text2: str
    disabled: str
    on_fill: str  # text on accent, done, error
    accent: str  # current, selection, link, Run
    accent_soft: str
    done: str
    done_soft: str
    error: str  # error, failed, mismatch, breakpoint
    error_soft: str
    warn: str  # warning text and outline
    warn_fill: str  # warning triangle
    warn_soft: str
    note: str
    note_soft: str  # also the trough of bars
    never: str  # never reached, None gradient
    changed: str  # summed back, dtype cast
    changed_soft: str
    code_keyword: str
    code_string: str
    code_number: str
    code_comment: str
    heat_low: str
    heat_zero: str
    heat_high: str

    def color(self, token: str) -> str:
        """The colour of a token named in data ("accent_soft"); a "#…" stands for itself."""
        return token if token.startswith("#") else str(getattr(self, token))


LIGHT = Tokens(
    name="light",
    window="#F1F3F6",
    pane="#FFFFFF",
    canvas="#F8F9FB",
    node="#FFFFFF",
    border="#D8DCE3",
    control="#7F8897",
    text="#1B2028",
    text2="#555E6C",
    disabled="#8A93A0",
    on_fill="#FFFFFF",
    accent="#2358C8",
    accent_soft="#E4EDFD",
    done="#076651",
    done_soft="#E3F2EE",
    error="#B83208",
    error_soft="#FCEAE2",
    warn="#7A5200",
    warn_fill="#E0A100",
    warn_soft="#FFF3D4",
    note="#4B5C78",
    note_soft="#E9EDF4",
    never="#686F7A",
    changed="#7A1A58",
    changed_soft="#F8E6F1",
    code_keyword="#2358C8",
    code_string="#076651",
    code_number="#7A1A58",
    code_comment="#5A6370",
    heat_low="#174CA8",
    heat_zero="#F7F7F7",
    heat_high="#AD4F00",
)

DARK = Tokens(
    name="dark",
    window="#1D2026",
    pane="#252930",
    canvas="#191C21",
    node="#2A2F37",
    border="#3A404A",
    control="#7C8696",
    text="#E7EAEF",
    text2="#A9B2BF",
    disabled="#727B89",
    on_fill="#0F1319",
    accent="#78A6FF",
    accent_soft="#23385B",
    done="#3FC7A4",
    done_soft="#1F3D37",
    error="#FF7F55",
    error_soft="#45271C",
    warn="#FFDB6E",
    warn_fill="#FFDB6E",
    warn_soft="#43371A",
    note="#A3B3CC",
    note_soft="#2F3846",
    never="#949DAB",
    changed="#FFC2E5",
    changed_soft="#4A2A40",
    code_keyword="#78A6FF",
    code_string="#3FC7A4",
    code_number="#FFC2E5",
    code_comment="#A6AFBC",
    heat_low="#6AA6FF",
    heat_zero="#2A2F37",
    heat_high="#FF963C",
)

THEMES = {"light": LIGHT, "dark": DARK}
COLOR_NAMES = tuple(field.name for field in fields(Tokens) if field.name != "name")


@dataclass(frozen=True)
class TextStyle:
    """A kind of text: size and line height in px at 96 dpi, weight as in CSS."""

    size: float
    line: float
    weight: int = 400
    mono: bool = False


WELCOME_TITLE = TextStyle(22, 28, 600)
PAGE_HEADING = TextStyle(18, 24, 600)
INSPECTOR_TITLE = TextStyle(15, 20, 600)
BODY = TextStyle(13, 18)
FINDING_TITLE = TextStyle(13, 18, 600)
LIST = TextStyle(12, 18)
CAPTION = TextStyle(11, 16, 500)
TICK = TextStyle(9.5, 12)
SOURCE = TextStyle(12.5, 20, mono=True)
CELL = TextStyle(12, 18, mono=True)
SHAPE = TextStyle(11, 16, mono=True)
NODE_NAME = TextStyle(12.5, 16, 600)
NODE_LINE = TextStyle(10.5, 14, mono=True)

# Spacing, px.
GRID = 8
HALF = 4
PANE_INSET = 16
LIST_INSET = 8
ROW = 24
BUTTON = 28
FIELD = 26
TAB_STRIP = 30
EDITOR_LINE = 20
TOOLBAR = 42
TIMELINE = 40
MENU_BAR = 26
STATUS = 24
LEFT_DOCK = 316
INSPECTOR = 340

CELL_HEIGHT = 26
ICON = 16

RADIUS = 4  # controls, labels, cells
NODE_RADIUS = 6
GROUP_RADIUS = 8

# Dash patterns in px of the screen.
DASH_NEVER = (5.0, 3.0)
DASH_CHANGED = (8.0, 3.0, 2.0, 3.0)
DASH_CONSTANT = (1.5, 3.0)
DASH_SELECTED = (2.0, 2.0)
