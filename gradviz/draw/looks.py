"""Fill, stroke and icon of every state, and of every look of an edge: the tables behind the mock-up of all states."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.draw.tokens import DASH_CHANGED, DASH_CONSTANT, DASH_NEVER
from gradviz.scene.model import Look, State


@dataclass(frozen=True)
class BoxLook:
    fill: str
    stroke: str
    pen: float
    icon: str
    text: str = "text"
    text2: str = "text2"
    dash: tuple[float, ...] = ()


@dataclass(frozen=True)
class EdgeLook:
    stroke: str
    pen: float
    text: str = "text"
    dash: tuple[float, ...] = ()


BOXES: dict[int, BoxLook] = {
    State.PENDING: BoxLook("node", "control", 1.0, "pending"),
    State.DONE: BoxLook("done_soft", "done", 1.5, "done"),
    State.CURRENT: BoxLook("accent", "accent", 1.5, "current_on_fill", "on_fill", "on_fill"),
    State.FAILED: BoxLook("error_soft", "error", 2.5, "error"),
    State.NEVER: BoxLook("canvas", "never", 1.25, "never", "text2", "text2", DASH_NEVER),
    State.STILL: BoxLook("canvas", "control", 1.0, "", "text2", "text2", DASH_CONSTANT),
}
EDGES: dict[Look, EdgeLook] = {
    Look.PENDING: EdgeLook("control", 1.25, "text2"),
    Look.DONE: EdgeLook("done", 2.0),
    Look.CURRENT: EdgeLook("accent", 2.5, "accent"),
    Look.FAILED: EdgeLook("error", 2.5, "error"),
    Look.NEVER: EdgeLook("never", 1.25, "text2", DASH_NEVER),
    Look.CHANGED: EdgeLook("changed", 2.0, "changed", DASH_CHANGED),
    Look.NAN: EdgeLook("error", 2.5, "error"),
    Look.STILL: EdgeLook("control", 1.0, "text2", DASH_CONSTANT),
    Look.WARNED: EdgeLook("warn", 2.5, "warn"),
}
# Solid blocks in the state's colour, where nodes are too small for an outline.
BLOCKS: dict[State, str] = {
    State.PENDING: "control",
    State.DONE: "done",
    State.CURRENT: "accent",
    State.FAILED: "error",
    State.NEVER: "never",
    State.STILL: "border",
}
SEVERITY_INK = {"error": "error", "warning": "warn", "note": "note"}
SEVERITY_SOFT = {"error": "error_soft", "warning": "warn_soft", "note": "note_soft"}
# Below these zooms: the second line goes; names and quiet shapes go; nodes are solid blocks.
NO_SECOND, NO_NAMES, BLOCKS_ONLY = 0.60, 0.35, 0.15
DRAWN_ORDER = (  # what matters lies on top
    Look.PENDING,
    Look.NEVER,
    Look.STILL,
    Look.DONE,
    Look.CHANGED,
    Look.CURRENT,
    Look.WARNED,
    Look.NAN,
    Look.FAILED,
)
