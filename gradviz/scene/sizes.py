"""Measures of the drawn graph, px at 100 %. What is text on screen keeps to the tokens' type sizes."""

from __future__ import annotations

from typing import Protocol

NODE_HEIGHT = 40.0
LEAF_HEIGHT = 40.0
SEED_HEIGHT = 36.0
NODE_MIN_WIDTH = 168.0
NODE_MAX_WIDTH = 258.0
GROUP_MIN_WIDTH = 260.0
GROUP_MAX_WIDTH = 440.0
GROUP_HEIGHT = 44.0
CARD_TEXT_X = 26.0
BAR, BAR_GAP = 8.0, 3.0  # of a gradient's norm
STACK_ROOM = 8.0  # for the cards behind a stack's
ICON = 16.0
ICON_X = 10.0
TEXT_X = 34.0
TEXT_RIGHT = 12.0
CHIP_HEIGHT = 20.0
LAYER_GAP = 24.0
COLUMN_GAP = 24.0
WRAP_LANE = 48.0
LABEL_HEIGHT = 18.0
LABEL_PAD = 6.0
MISMATCH_HEIGHT = 24.0
BADGE = 20.0


class Measure(Protocol):
    """Width in px of a text by the role it plays: "name" | "second" | "shape"."""

    def __call__(self, text: str, role: str) -> float: ...


def monospaced(text: str, role: str) -> float:
    """A measure without fonts, close enough to lay out by: for tests and where no display library is at hand."""
    return len(text) * {"name": 7.4, "second": 6.4, "shape": 6.7}[role]
