"""The looks of all boxes and edges at one position of the pass. Vectorised: a step of a huge graph costs a moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.model import NO_EDGE, Bytes, Draft, Ints, Kind, Look, State, States
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.replay import first_steps


@dataclass(frozen=True)
class Timeline:
    """What of a draft depends on the position, prepared once."""

    draft: Draft
    step_node: Ints  # (steps,) node of each step
    tail_step: Ints  # (m,) step of the node that an edge comes from; -1 never
    head_step: Ints
    fixed: Bytes  # (n,) a state that doesn't depend on the position, -1 where it does
    special: Bytes  # (m,) a finding's, the engine's or NaN's look once the gradient has arrived, -1 none

    def __len__(self) -> int:
        return len(self.step_node)

    @cached_property
    def apart(self) -> Apart:
        return Apart(self)


class Apart:
    """Places of the few boxes and edges that need a look of their own: looking for them at every step would cost."""

    def __init__(self, line: Timeline) -> None:
        draft = line.draft
        self.without_step = np.flatnonzero(draft.step_first < 0)
        self.leaves = np.flatnonzero(draft.kind == Kind.LEAF)
        self.fixed = np.flatnonzero(line.fixed >= 0)
        self.failed = np.flatnonzero(draft.failed)
        self.never_ran = np.flatnonzero((line.tail_step < 0) & (draft.edge >= 0))  # edges, as all below
        self.of_seeds = np.flatnonzero((draft.edge < 0) & (draft.edge != NO_EDGE))
        self.of_constants = np.flatnonzero(draft.edge == NO_EDGE)
        self.special = np.flatnonzero(line.special >= 0)
        maybe_never = (draft.step_first < 0) | (line.fixed >= 0)
        self.to_never = np.flatnonzero(maybe_never[draft.head])
        self._sides = (_by_end(draft.tail, len(draft)), _by_end(draft.head, len(draft)))
        never = np.iinfo(np.int32).max
        self.tail_step = np.where(line.tail_step >= 0, line.tail_step, np.int32(never))  # (m,)

    def around(self, boxes: NDArray[np.intp]) -> NDArray[np.intp]:
        """The edges that these boxes have."""
        found = [edges[start[box] : start[box + 1]] for edges, start in self._sides for box in boxes.tolist()]
        return np.concatenate(found) if found else np.empty(0, np.intp)


def _by_end(ends: Ints, boxes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Edges in the order of the box at one of their ends, and where each box's begin."""
    edges = np.argsort(ends, kind="stable")
    return edges, np.searchsorted(ends[edges], np.arange(boxes + 1))


def timeline(draft: Draft, graph: PassGraph, steps: PassSteps, fixed: Bytes, special: Bytes) -> Timeline:
    """Prepare `states_at`."""
    step_of = first_steps(len(graph), steps.node)
    real = draft.edge >= 0
    edge = np.where(real, draft.edge, 0)
    tail_step = np.full(draft.edges, -1, np.int32)
    head_step = np.full(draft.edges, -1, np.int32)
    if len(graph.tail):
        tail_step[real] = step_of[graph.tail[edge[real]]]
        head_step[real] = step_of[graph.head[edge[real]]]
    seeds = ~real & (draft.edge != NO_EDGE)
    head_step[seeds] = draft.step_first[draft.head[seeds]]
    return Timeline(draft, steps.node.astype(np.int32), tail_step, head_step, fixed, special)


def states_at(line: Timeline, position: int) -> States:
    """Position k: k steps have run, the node of step k is current; at the end none is."""
    draft, apart = line.draft, line.apart
    current = int(draft.box_of[line.step_node[position]]) if 0 <= position < len(line) else -1
    box: Bytes = np.where(draft.step_last < position, np.int8(State.DONE), np.int8(State.PENDING))
    box[apart.without_step] = State.NEVER if draft.ended else State.PENDING
    if current >= 0:
        box[current] = State.CURRENT
        # Every appearance of a shared leaf.
        box[apart.leaves[draft.node[apart.leaves] == line.step_node[position]]] = State.CURRENT
    box[apart.fixed] = line.fixed[apart.fixed]
    ran = np.where(draft.step_first[apart.failed] >= 0, draft.step_last[apart.failed] < position, position >= len(line))
    waiting = apart.failed[~ran]
    box[waiting[box[waiting] == State.NEVER]] = State.PENDING
    box[apart.failed[ran]] = State.FAILED
    return States(position, box, _edges(line, position, box), current)


def _edges(line: Timeline, position: int, box: Bytes) -> Bytes:
    draft, apart = line.draft, line.apart
    ran: NDArray[np.bool_] = apart.tail_step < position
    look: Bytes = np.where(ran, np.int8(Look.DONE), np.int8(Look.PENDING))
    if draft.ended:
        look[apart.never_ran] = Look.NEVER
    look[apart.of_seeds[box[draft.tail[apart.of_seeds]] == State.DONE]] = Look.DONE
    late = apart.to_never
    never = (box[draft.head[late]] == State.NEVER) & ((draft.edge[late] >= 0) | (look[late] == Look.DONE))
    look[late[never]] = Look.NEVER
    now = apart.around(np.flatnonzero(box == State.CURRENT))
    look[now[look[now] != Look.NEVER]] = Look.CURRENT
    look[apart.of_constants] = Look.STILL
    marked = line.special[apart.special]
    head_step = line.head_step[apart.special]
    arrived = (head_step <= position) & (head_step >= 0) | ran[apart.special]
    shown = arrived | (marked == Look.FAILED) | (marked == Look.WARNED)
    look[apart.special[shown]] = marked[shown]
    return look
