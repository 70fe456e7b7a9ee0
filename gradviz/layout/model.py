"""What goes into a layout and what comes out: boxes and edges, never anything of gradients.

Coordinates are pixels at 100 %, x to the right, y down. Node positions are CENTRES. All arrays are C-contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Options:
    """How to arrange. `viewport` (width, height) is what a wrapped drawing should fill; None leaves the size open."""

    direction: str = "down"  # "down": tail above head; "right": tail left of head
    wrap: bool = False  # fold a tall drawing into columns that read as one
    aside: bool = False  # in groups, ways of one or two boxes to a leaf lead right, not down (own engine)
    viewport: tuple[float, float] | None = None
    layer_gap: float = 24.0
    node_gap: float = 24.0
    lane: float = 48.0  # room between wrapped columns
    engine: str = "auto"  # a name of the table of engines
    time_limit: float = 10.0  # seconds, more above 20,000 nodes, for the engine; then the simple one takes over
    group_padding: float = 16.0
    group_header: float = 28.0
    group_min_width: float = 168.0  # so that a frame's header can be read


@dataclass(frozen=True)
class Request:
    """n boxes, m edges, g open groups. An edge runs from `tail` to `head`, the way the gradient travels (down).

    Label sizes are (m, 2) width × height of the text beside an edge, (0, 0) where there is none. `rank_hint` (n,) is
    any increasing number along the gradient's way (order of steps), used to break ties so that the same input gives the
    same picture.
    """

    widths: FloatArray
    heights: FloatArray
    tail: IntArray
    head: IntArray
    label_sizes: FloatArray
    group: IntArray = field(default_factory=lambda: np.empty(0, np.int32))  # (n,) innermost open group or -1
    group_parent: IntArray = field(default_factory=lambda: np.empty(0, np.int32))  # (g,) or -1
    rank_hint: IntArray | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Result:
    """Places and routes. The route of edge e is `points[offsets[e]:offsets[e + 1]]`, from the border of the tail's box
    to the border of the head's, at least two points; label centres are (m, 2), NaN where there is no label;
    `group_rects` (g, 4) is x, y, width, height of each open group's frame (x, y = top left)."""

    x: FloatArray
    y: FloatArray
    points: FloatArray
    offsets: IntArray
    labels: FloatArray
    group_rects: FloatArray
    width: float
    height: float
    engine: str
    note: str = ""  # one sentence for the person, e.g. that the simple layout took over


class Engine(Protocol):
    """One way to arrange. `limit` is the largest node count that it is asked for under "auto"."""

    name: str
    limit: int

    def available(self) -> bool: ...

    def arrange(self, request: Request) -> Result: ...
