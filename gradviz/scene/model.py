"""What is to be drawn, as plain data: boxes, edges, frames, marks. No Qt, no trace behind it.

Boxes and edges are numpy columns, for graphs of tens of thousands; what is special (findings, groups, constants) is a
small object each. Coordinates are px at 100 %, x to the right, y down; places are centres.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gradviz.diagnose.finding import Finding

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bytes = NDArray[np.int8]


class Kind(IntEnum):
    """What a box stands for: its outline's form."""

    BUILTIN = 0
    LEAF = 1
    CUSTOM = 2
    GROUP = 3
    SEED = 4
    CONSTANT = 5


class State(IntEnum):
    """Where a box is in the pass, at the present position: its fill, stroke and icon."""

    PENDING = 0
    DONE = 1
    CURRENT = 2
    FAILED = 3
    NEVER = 4
    STILL = 5  # a constant: has no state


class Look(IntEnum):
    """How an edge is drawn, at the present position."""

    PENDING = 0
    DONE = 1
    CURRENT = 2
    FAILED = 3  # a finding's colour wins over all
    NEVER = 4  # never reached, or a None gradient
    CHANGED = 5  # summed or cast by the engine
    NAN = 6
    STILL = 7  # to a constant
    WARNED = 8  # a warning's


@dataclass(frozen=True)
class Card:
    """What a folded group's box says, and the frame of an open one."""

    key: str  # module path and the number of its call: "encoder.layers.0#0"
    path: str
    title: str
    class_name: str
    nodes: int
    parameters: int
    shapes: str  # "[32, 64] → [32, 10]", "" unknown
    copies: int  # more than 1: a stack of equal blocks
    bars: tuple[float, ...]  # gradient norms of its parameters; NaN = no gradient, or not a number in it
    parent: int  # position of the surrounding card, -1
    severity: str = ""  # worst finding inside
    findings: int = 0
    is_code: bool = False  # a loop of the script's, a round of it, a call, a section: `path` is no module's
    module: int = -1  # its id; -1 of a stack or a loop
    norm: float | None = None  # of all gradients of its parameters that came; None: not measured, or it has none
    norm_words: str = ""


@dataclass(frozen=True)
class EdgeLabel:
    """A label with a frame round it. The quiet shapes beside edges are columns of the scene."""

    edge: int
    text: str  # for a mismatch: what was received
    expected: str = ""  # told first, on the left half
    look: Look = Look.FAILED
    icon: str = ""  # "error" | "nan" | ""


@dataclass(frozen=True)
class Badge:
    """A severity icon on the top left corner of a box."""

    box: int
    severity: str
    finding: int  # position among the findings
    count: int = 1


@dataclass(frozen=True)
class Tie:
    """A dotted line between two boxes that are the same tensor."""

    one: int
    other: int
    text: str


@dataclass(frozen=True)
class Panel:
    """How a finding's operands were stretched, beside the node that did it."""

    box: int
    finding: Finding
    at: int  # position among the findings
    x: float = 0.0  # top left, given by place()
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True)
class Draft:
    """A scene without places: n boxes, m edges, the cards of all groups, open or folded."""

    kind: Bytes
    node: Ints  # index of the pass's node, -1 for groups, seeds and constants; the root's slot order for seeds
    card: Ints  # of a folded group's box, -1
    inside: Ints  # the innermost open group (a card), -1
    width: Floats
    height: Floats
    name: Ints  # into names
    names: tuple[str, ...]
    tail: Ints  # boxes
    head: Ints
    edge: Ints  # edge of the pass's graph, -1 - seed number for a seed, NO_EDGE for constants
    label: Ints  # into labels
    labels: tuple[str, ...]
    label_width: Floats  # (m,) px of the quiet label or the framed one
    label_height: Floats
    cards: tuple[Card, ...]
    open_cards: tuple[int, ...]  # those drawn as frames, outermost first
    box_of: Ints  # (nodes,) the box that a node of the pass is in
    card_of: Ints  # (nodes,) the innermost group round it, open or folded, -1
    step_first: Ints  # (n,) lowest and highest step of what is in a box, -1 none
    step_last: Ints
    failed: NDArray[np.bool_]  # (n,)
    chips: dict[int, str] = field(default_factory=dict)  # a tensor's name on a seed or a leaf
    seconds: dict[int, str] = field(default_factory=dict)  # second lines known beforehand (constants, groups, leaves)
    constants: dict[int, int] = field(default_factory=dict)  # box -> line where it was made
    framed: tuple[EdgeLabel, ...] = ()
    badges: tuple[Badge, ...] = ()
    ties: tuple[Tie, ...] = ()
    panels: tuple[Panel, ...] = ()
    hidden_seeds: int = 0  # roots that got no box of their own
    ended: bool = True  # no more steps will come: a node without one was never reached
    direction: str = "down"  # the gradient's way: "down", or "right"

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def edges(self) -> int:
        return len(self.tail)

    @property
    def across(self) -> bool:
        """Drawn from left to right."""
        return self.direction == "right"


NO_EDGE = -(2**30)


@dataclass(frozen=True)
class Scene:
    """A draft with its places."""

    draft: Draft
    x: Floats
    y: Floats
    points: Floats  # (p, 2) routes of all edges
    offsets: Ints  # (m + 1,)
    label_at: Floats  # (m, 2) centres, NaN where there is none
    frames: Floats  # (open cards, 4) x, y, width, height
    panels: tuple[Panel, ...]
    bounds: tuple[float, float, float, float]  # left, top, right, bottom of all that is drawn
    note: str = ""
    norms: tuple[float, float] = (1e-6, 1.0)  # lowest and highest gradient norm of all bars

    def rect(self, box: int) -> tuple[float, float, float, float]:
        """x, y, width, height of a box."""
        width, height = float(self.draft.width[box]), float(self.draft.height[box])
        return float(self.x[box]) - width / 2, float(self.y[box]) - height / 2, width, height

    def route(self, edge: int) -> Floats:
        """The points of an edge's way, (k, 2)."""
        return self.points[self.offsets[edge] : self.offsets[edge + 1]]


@dataclass(frozen=True)
class States:
    """The scene's looks at one position."""

    position: int
    box: Bytes  # State
    edge: Bytes  # Look
    current: int  # box, -1
