"""What the passes of the own engine share: one level of the graph, without groups and without cycles."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

AUTO = math.nan  # a port that the engine may place

ENTRY, FREE, EXIT = -1, 0, 1  # pins: in the first layer, anywhere, in the last layer


@dataclass(frozen=True)
class Style:
    """Distances in px; `label_side` is +1 where labels stand right of their line, -1 where left."""

    layer_gap: float = 24.0
    node_gap: float = 24.0
    lane: float = 48.0
    wrap: bool = False
    viewport: tuple[float, float] = (1280.0, 800.0)
    label_side: int = 1
    track: float = 8.0  # between two parallel lines
    line_gap: float = 14.0  # round a line that passes between boxes
    effort: int = 2  # against crossings: 2 in small graphs, 1, 0 in large ones


@dataclass(frozen=True)
class FlatGraph:
    """Boxes 0..n-1 and edges that run downwards from `tail` to `head`: acyclic, but for edges from a box to itself.

    Ports are offsets from the box's centre, AUTO where free. Boxes pinned ENTRY have no incoming edges, EXIT no
    outgoing.
    """

    widths: list[float]
    heights: list[float]
    tail: list[int]
    head: list[int]
    label_w: list[float]
    label_h: list[float]
    hint: list[int]
    pin: list[int]
    tail_port: list[float] = field(default_factory=list)
    head_port: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class FlatPlaces:
    """Centres, and a route per edge from the tail's lower border to the head's upper one. The top left corner is (0,
    0).
    """

    x: list[float]
    y: list[float]
    routes: list[list[tuple[float, float]]]
    labels: list[tuple[float, float] | None]
    width: float
    height: float
