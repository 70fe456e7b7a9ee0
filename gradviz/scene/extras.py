"""Boxes that are no nodes: the seed gradients at the top, and the constants that a finding speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gradviz.diagnose.finding import Finding
from gradviz.scene.model import NO_EDGE, Draft, EdgeLabel, Kind, Look, Tie
from gradviz.scene.sizes import (
    LABEL_HEIGHT,
    LABEL_PAD,
    NODE_HEIGHT,
    NODE_MAX_WIDTH,
    NODE_MIN_WIDTH,
    SEED_HEIGHT,
    TEXT_RIGHT,
    Measure,
)
from gradviz.scene.snippets import first_argument, source_piece
from gradviz.scene.wording import Wording
from gradviz.scene.words import shape_text
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Backward, Spec
from gradviz.trace.reader import Trace

Number = TypeVar("Number", bound=np.generic)

MOST_SEEDS = 6
CONSTANT_MIN_WIDTH = 120.0


@dataclass(frozen=True)
class Extras:
    """What the special parts of a scene are made from. `findings` are this pass's own, `all_findings` the window's."""

    trace: Trace
    backward: Backward
    findings: tuple[Finding, ...]
    all_findings: tuple[Finding, ...]
    graph: PassGraph
    measure: Measure
    wording: Wording
    constants: bool
    shapes: bool = True

    def position(self, finding: Finding) -> int:
        return next((at for at, each in enumerate(self.all_findings) if each is finding), -1)


@dataclass(frozen=True)
class NewBox:
    kind: Kind
    name: str
    width: float
    height: float
    node: int = -1
    inside: int = -1


@dataclass(frozen=True)
class NewEdge:
    tail: int
    head: int
    edge: int
    label: str
    width: float


def grown(draft: Draft, boxes: list[NewBox], edges: list[NewEdge]) -> Draft:
    """The draft with these added at the end."""
    if not boxes:
        return draft
    names = draft.names + tuple(box.name for box in boxes)
    labels = draft.labels + tuple(edge.label for edge in edges)

    def more(old: NDArray[Number], new: Sequence[float]) -> NDArray[Number]:
        return np.concatenate((old, np.array(new, old.dtype))) if new else old

    nothing = [-1] * len(boxes)
    return replace(
        draft,
        kind=more(draft.kind, [int(box.kind) for box in boxes]),
        node=more(draft.node, [box.node for box in boxes]),
        card=more(draft.card, nothing),
        inside=more(draft.inside, [box.inside for box in boxes]),
        width=more(draft.width, [box.width for box in boxes]),
        height=more(draft.height, [box.height for box in boxes]),
        name=more(draft.name, list(range(len(draft.names), len(names)))),
        names=names,
        tail=more(draft.tail, [edge.tail for edge in edges]),
        head=more(draft.head, [edge.head for edge in edges]),
        edge=more(draft.edge, [edge.edge for edge in edges]),
        label=more(draft.label, list(range(len(draft.labels), len(labels)))),
        labels=labels,
        label_width=more(draft.label_width, [edge.width for edge in edges]),
        label_height=more(draft.label_height, [LABEL_HEIGHT if edge.width else 0.0 for edge in edges]),
        step_first=more(draft.step_first, nothing),
        step_last=more(draft.step_last, nothing),
        failed=np.concatenate((draft.failed, np.zeros(len(boxes), bool))),
    )


def add_seeds(draft: Draft, extras: Extras) -> Draft:
    """A pentagon for each tensor that backward was called from, above the node that its gradient enters."""
    roots = [(at, root) for at, root in enumerate(extras.backward.roots) if 0 <= root.node < len(draft.box_of)]
    marked = {mark.node for finding in extras.findings for mark in finding.marks if mark.kind == "seed"}
    chosen = [pair for pair in roots if pair[1].node in marked][:MOST_SEEDS]
    chosen = roots if len(roots) <= MOST_SEEDS else chosen or roots[:MOST_SEEDS]
    boxes: list[NewBox] = []
    edges: list[NewEdge] = []
    chips: dict[int, str] = dict(draft.chips)
    ties: list[Tie] = list(draft.ties)
    renamed: dict[int, str] = {}
    for at, root in chosen:
        box = len(draft) + len(boxes)
        chip, leaf = _seed_name(extras, at)
        name = extras.measure(extras.wording.seed, "name") + 34 + 20
        width = max(NODE_MIN_WIDTH, name + (extras.measure(chip, "shape") + 24 if chip else 0.0))
        boxes.append(NewBox(Kind.SEED, extras.wording.seed, width, SEED_HEIGHT, root.node))
        spec = _seed_spec(extras, at) or root.spec
        label = shape_text(spec.shape)
        edges.append(new_edge(extras, box, int(draft.box_of[root.node]), -1 - at, label))
        if chip:
            chips[box] = chip
        ends = np.flatnonzero((draft.kind == Kind.LEAF) & (draft.node >= 0))
        same = [end for end in ends.tolist() if leaf >= 0 and int(extras.graph.leaf[draft.node[end]]) == leaf]
        if same:
            ties.append(Tie(box, same[0], extras.wording.same_tensor))
            chips[same[0]] = chip
            renamed[same[0]] = extras.wording.accumulate  # the chip already says its name
    hidden = len(roots) - len(chosen)
    draft = _renamed(draft, renamed)
    return replace(grown(draft, boxes, edges), chips=chips, ties=tuple(ties), hidden_seeds=hidden)


def _renamed(draft: Draft, names: dict[int, str]) -> Draft:
    if not names:
        return draft
    name = draft.name.copy()
    for at, box in enumerate(names):
        name[box] = len(draft.names) + at
    return replace(draft, name=name, names=(*draft.names, *names.values()))


def _seed_spec(extras: Extras, at: int) -> Spec | None:
    seeds = extras.backward.seeds
    seed = seeds[at] if at < len(seeds) else None
    return seed.spec if seed is not None else None


def _seed_name(extras: Extras, at: int) -> tuple[str, int]:
    """What the seed is called, and the leaf that it is (-1)."""
    seeds = extras.backward.seeds
    seed = seeds[at] if at < len(seeds) else None
    if seed is None:
        return ("1.0", -1) if extras.backward.outcome != "refused" else ("", -1)
    for leaf in extras.trace.leaves():
        if leaf.value == seed.value and seed.value >= 0:
            return leaf.name, leaf.id
    stack = extras.backward.stack
    if len(seeds) == 1 and stack:
        source = extras.trace.source(stack[0].file)
        if source is not None:
            return first_argument(source_piece(source.text, stack[0])), -1
    return "", -1


def constant_box(extras: Extras, name: str, line: int, inside: int = -1) -> tuple[NewBox, str]:
    """A dotted box for an operand without gradient, and its second line."""
    words = extras.wording
    second = f"{words.constant} · {words.at_line(line)}" if line else words.constant
    title = name or words.constant
    need = max(extras.measure(title, "name"), extras.measure(second, "second")) + 2 * TEXT_RIGHT
    width = min(max(need, CONSTANT_MIN_WIDTH), NODE_MAX_WIDTH)
    return NewBox(Kind.CONSTANT, title, width, NODE_HEIGHT, inside=inside), second


def new_edge(extras: Extras, tail: int, head: int, edge: int, text: str) -> NewEdge:
    """An edge with room for its shape."""
    width = extras.measure(text, "shape") + 2 * LABEL_PAD if extras.shapes else 0.0
    return NewEdge(tail, head, edge, text, width)


def add_constants(draft: Draft, extras: Extras) -> Draft:
    """Operands that need no gradient, dotted, under the node of the finding that names them."""
    boxes: list[NewBox] = []
    edges: list[NewEdge] = []
    framed: list[EdgeLabel] = []
    seconds, constants = dict(draft.seconds), dict(draft.constants)
    for finding in extras.findings if extras.constants else ():
        node = next((mark.node for mark in finding.marks if 0 <= mark.node < len(draft.box_of)), -1)
        if node < 0 or draft.kind[draft.box_of[node]] == Kind.GROUP:
            continue
        for operand in (*finding.operands, *finding.bystanders):
            if operand.node >= 0 or operand.user >= len(draft.box_of):
                continue
            box, edge = len(draft) + len(boxes), draft.edges + len(edges)
            host = int(draft.box_of[node if operand.user < 0 else operand.user])
            made, second = constant_box(extras, operand.name, operand.line, int(draft.inside[host]))
            text = shape_text(operand.shape)
            boxes.append(made)
            edges.append(new_edge(extras, host, box, NO_EDGE, text))
            look = Look.WARNED if finding.severity == "warning" else Look.FAILED
            if finding.severity != "note" and operand.user < 0:
                framed.append(EdgeLabel(edge, text, look=look))
            seconds[box], constants[box] = second, operand.line
    return replace(grown(draft, boxes, edges), seconds=seconds, constants=constants, framed=(*draft.framed, *framed))
