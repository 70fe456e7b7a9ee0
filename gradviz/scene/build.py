"""Trace, findings and folding -> a draft of the scene: all that is to be drawn but its places."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradviz.diagnose.finding import Finding
from gradviz.scene.atoms import Atoms, split_leaves
from gradviz.scene.boxes import Boxes, make_boxes, make_edges
from gradviz.scene.cards import look_inside, make_cards
from gradviz.scene.code_groups import with_code_groups
from gradviz.scene.ends import with_ends
from gradviz.scene.extras import Extras, add_constants, add_seeds
from gradviz.scene.failed_call import add_failed_call
from gradviz.scene.groups import Group, Tree, auto_open, build_tree, no_groups
from gradviz.scene.loops import with_loops
from gradviz.scene.marks import mark_cards, mark_edges, mark_engine_changes, mark_findings
from gradviz.scene.model import Bytes, Card, Draft, Ints, Kind, Look, State
from gradviz.scene.plain import hide_trivial, nothing_hidden
from gradviz.scene.sizes import (
    BAR,
    BAR_GAP,
    CARD_TEXT_X,
    GROUP_MAX_WIDTH,
    LABEL_HEIGHT,
    LABEL_PAD,
    NODE_MAX_WIDTH,
    STACK_ROOM,
    TEXT_RIGHT,
    TEXT_X,
    Measure,
)
from gradviz.scene.states import Timeline, timeline
from gradviz.scene.texts import Texts
from gradviz.scene.wording import ENGLISH, Wording
from gradviz.scene.words import count_text, shape_text
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Backward
from gradviz.trace.reader import Trace
from gradviz.trace.replay import first_steps

SMALL = 400  # boxes up to which second lines take part in the widths


@dataclass(frozen=True)
class Shown:
    """What a person has switched on. `opened` None: the groups that a fresh graph opens."""

    shapes: bool = True
    modules: bool = True
    constants: bool = True
    trivial: bool = True  # views, transposes, expands, leaves
    direction: str = "down"  # or "right"
    opened: frozenset[str] | None = None


@dataclass(frozen=True)
class Build:
    """A draft with what belongs to it."""

    draft: Draft
    timeline: Timeline
    texts: Texts
    opened: frozenset[str]
    shown: Shown
    graph: PassGraph
    backward: Backward


def find_pass(trace: Trace, pass_id: int) -> Backward:
    """The pass of this id. Raises KeyError."""
    for each in trace.passes():
        if each.id == pass_id:
            return each
    raise KeyError(pass_id)


def build(
    trace: Trace,
    pass_id: int,
    findings: tuple[Finding, ...],
    measure: Measure,
    shown: Shown = Shown(),
    wording: Wording = ENGLISH,
) -> Build:
    """All of one pass as a draft. `findings` of other passes are left out. Raises TraceError."""
    backward = find_pass(trace, pass_id)
    graph, steps = trace.graph(pass_id), trace.steps(pass_id)
    atoms = split_leaves(graph)
    tree = _groups(trace, graph, atoms, wording) if shown.modules else no_groups(atoms)
    opened = auto_open(tree) if shown.opened is None else shown.opened
    own = tuple(finding for finding in findings if finding.pass_id in (None, pass_id))
    drawn = nothing_hidden(atoms) if shown.trivial else hide_trivial(trace, graph, atoms, _kept(own, backward))
    boxes = make_boxes(trace, graph, atoms, drawn, tree, opened, wording, measure)
    edges = make_edges(graph, atoms, drawn, boxes)
    step_of: Ints = first_steps(len(graph), steps.node).astype(np.int32)
    inside = look_inside(graph, steps, atoms, tree, step_of, not backward.inputs)
    first, last = _box_steps(boxes, step_of, inside.step_first, inside.step_last)
    specs, label = np.unique(np.stack((edges.spec, edges.net), axis=1), axis=0, return_inverse=True)
    labels = tuple(_change_text(trace, *pair) for pair in specs.tolist())
    plain = np.array([measure(each, "shape") + 2 * LABEL_PAD if each else 0.0 for each in labels] or [0.0], np.float32)
    label_of: Ints = label.reshape(-1).astype(np.int32)
    label_width = plain[label_of] if len(label_of) and shown.shapes else np.zeros(len(label_of), np.float32)
    draft = Draft(
        kind=boxes.kind,
        node=boxes.node,
        card=boxes.card,
        inside=boxes.inside,
        width=boxes.width,
        height=boxes.height,
        name=boxes.name,
        names=boxes.names,
        tail=edges.tail,
        head=edges.head,
        edge=edges.edge,
        label=label_of,
        labels=labels,
        label_width=label_width,
        label_height=np.where(label_width > 0, LABEL_HEIGHT, 0).astype(np.float32),
        cards=make_cards(tree, inside, trace, graph, wording),
        open_cards=tuple(
            at for at, group in enumerate(tree.groups) if group.key in opened and _all_open(tree.groups, at, opened)
        ),
        box_of=boxes.of_node,
        card_of=tree.of_atom[: len(graph)].astype(np.int32),
        step_first=first,
        step_last=last,
        failed=_failed(backward, boxes),
        ended=backward.outcome != "running" and backward.phase != "forward",
        direction=shown.direction,
    )
    texts = Texts(trace, graph, wording)
    extras = Extras(trace, backward, own, findings, graph, measure, wording, shown.constants, shown.shapes)
    if backward.phase == "forward":
        draft = add_failed_call(draft, extras)
    else:
        draft = add_constants(add_seeds(draft, extras), extras)
    special = np.full(draft.edges, -1, np.int8)
    draft = _widen(draft, texts, measure)
    draft, special = mark_engine_changes(draft, special, trace, graph, steps, extras)
    draft, special = mark_edges(draft, special, extras)
    draft = mark_cards(mark_findings(draft, extras), extras)
    fixed = _fixed(draft, backward, extras)
    return Build(draft, timeline(draft, graph, steps, fixed, special), texts, opened, shown, graph, backward)


def _groups(trace: Trace, graph: PassGraph, atoms: Atoms, wording: Wording) -> Tree:
    """Modules, loops in them and round them, and what calls of functions and sections of code make of the rest."""
    tree = with_loops(trace, graph, atoms, build_tree(trace, graph, atoms), wording)
    return with_ends(trace, graph, with_code_groups(trace, graph, atoms, tree, wording))


def _spec_text(trace: Trace, number: int) -> str:
    spec = trace.spec(number) if number >= 0 else None
    return shape_text(spec.shape) if spec is not None else ""


def _change_text(trace: Trace, spec: int, net: int) -> str:
    """The shape on an edge; where hidden nodes lie on its way, what they make of it."""
    before, after = _spec_text(trace, spec), _spec_text(trace, net)
    return f"{before} → {after}" if after and after != before else before


def _kept(findings: tuple[Finding, ...], backward: Backward) -> set[int]:
    """Nodes that are never hidden: a finding marks them, or the pass ended there."""
    marked = {number for finding in findings for mark in finding.marks for number in (mark.node, mark.tail)}
    return marked | {number for number in (backward.failed_node, backward.running_node) if number is not None}


def _all_open(groups: tuple[Group, ...], at: int, opened: frozenset[str]) -> bool:
    while at >= 0:
        group = groups[at]
        if group.key not in opened:
            return False
        at = int(group.parent)
    return True


def _box_steps(boxes: Boxes, step_of: Ints, group_first: Ints, group_last: Ints) -> tuple[Ints, Ints]:
    own = np.append(step_of, -1)[boxes.node]
    grouped = boxes.kind == Kind.GROUP
    first = np.where(grouped, np.append(group_first, -1)[boxes.card], own).astype(np.int32)
    last = np.where(grouped, np.append(group_last, -1)[boxes.card], own).astype(np.int32)
    return first, last


def _failed(backward: Backward, boxes: Boxes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    failed = np.zeros(len(boxes), bool)
    node = backward.failed_node if backward.failed_node is not None else backward.running_node
    if node is not None and 0 <= node < len(boxes.of_node) and backward.outcome not in ("completed", "running"):
        failed[boxes.of_node[node]] = True
    return failed


def _widen(draft: Draft, texts: Texts, measure: Measure) -> Draft:
    """Give the second lines of a small graph room, as far as the widest node allows."""
    if len(draft) > SMALL:
        return draft
    width = draft.width.copy()
    for box in np.flatnonzero(draft.kind <= Kind.CUSTOM).tolist():
        chip = draft.chips.get(box, "")
        need = measure(texts.second(draft, box), "second") + TEXT_X + TEXT_RIGHT
        name = measure(draft.names[draft.name[box]], "name") + TEXT_X + TEXT_RIGHT
        extra = measure(chip, "shape") + 24 if chip else 0.0
        width[box] = max(width[box], min(max(need, name) + extra, NODE_MAX_WIDTH + extra))
    for box in np.flatnonzero(draft.kind == Kind.GROUP).tolist():
        width[box] = max(width[box], min(_card_width(draft.cards[int(draft.card[box])], measure), GROUP_MAX_WIDTH))
    return replace(draft, width=np.ceil(width / 2).astype(np.float32) * 2)


def _card_width(card: Card, measure: Measure) -> float:
    """What a folded group has to say, on its two lines."""
    bars = len(card.bars) * (BAR + BAR_GAP) + 12
    count = measure(count_text(card.parameters), "second") + 16 if card.parameters else 0.0
    norm = measure(card.norm_words, "second") * 1.1 + 16 if card.norm_words else 0.0
    upper = measure(card.title, "name") + measure(card.class_name, "second") * 1.15 + 24 + count
    return CARD_TEXT_X + max(upper, measure(card.shapes, "shape") + 12 + norm) + bars + STACK_ROOM * (card.copies > 1)


def _fixed(draft: Draft, backward: Backward, extras: Extras) -> Bytes:
    """States that hold at every position: those of seeds and constants."""
    fixed = np.full(len(draft), -1, np.int8)
    fixed[draft.kind == Kind.CONSTANT] = State.STILL
    if backward.phase == "forward":
        calls = np.flatnonzero((draft.kind == Kind.BUILTIN) & (draft.node < 0))
        fixed[draft.kind <= Kind.GROUP] = State.PENDING
        fixed[calls] = State.FAILED
        return fixed
    seeds = np.flatnonzero(draft.kind == Kind.SEED)
    fixed[seeds] = State.NEVER if backward.outcome == "refused" else State.DONE
    marked = {label.edge for label in draft.framed if label.look == Look.FAILED}
    for edge in np.flatnonzero(np.isin(draft.tail, seeds)).tolist():
        if edge in marked:
            fixed[draft.tail[edge]] = State.FAILED
            if backward.outcome == "refused":
                fixed[draft.head[edge]] = State.FAILED
    return fixed
