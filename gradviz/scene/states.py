"""The looks of all boxes and edges at one position of the pass. Vectorised: a step of a huge graph costs a moment."""

from __future__ import annotations

from dataclasses import dataclass

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
    draft = line.draft
    current = int(draft.box_of[line.step_node[position]]) if 0 <= position < len(line) else -1
    box = np.where(draft.step_last < position, State.DONE, State.PENDING).astype(np.int8)
    if draft.ended:
        box[draft.step_first < 0] = State.NEVER
    else:
        box[draft.step_first < 0] = State.PENDING
    if current >= 0:
        node = line.step_node[position]
        box[current] = State.CURRENT
        box[(draft.node == node) & (draft.kind == Kind.LEAF)] = State.CURRENT  # every appearance of a shared leaf
    known = line.fixed >= 0
    box[known] = line.fixed[known]
    reached = np.where(draft.step_first >= 0, draft.step_last < position, position >= len(line))
    box[draft.failed & ~reached & (box == State.NEVER)] = State.PENDING
    box[draft.failed & reached] = State.FAILED
    return States(position, box, _edges(line, position, box), current)


def _edges(line: Timeline, position: int, box: Bytes) -> Bytes:
    draft = line.draft
    look = np.full(draft.edges, Look.PENDING, np.int8)
    if draft.ended:
        look[(line.tail_step < 0) & (draft.edge >= 0)] = Look.NEVER
    ran = (line.tail_step >= 0) & (line.tail_step < position)
    look[ran] = Look.DONE
    seeds = (draft.edge < 0) & (draft.edge != NO_EDGE)
    look[seeds & (box[draft.tail] == State.DONE)] = Look.DONE
    never: NDArray[np.bool_] = (box[draft.head] == State.NEVER) & ((draft.edge >= 0) | (look == Look.DONE))
    look[never] = Look.NEVER
    now = (box[draft.tail] == State.CURRENT) | (box[draft.head] == State.CURRENT)
    look[now & (look != Look.NEVER)] = Look.CURRENT
    look[draft.edge == NO_EDGE] = Look.STILL
    arrived = (line.head_step <= position) & (line.head_step >= 0) | ran
    lasting = (line.special == Look.FAILED) | (line.special == Look.WARNED)
    shown = (line.special >= 0) & (arrived | lasting)
    look[shown] = line.special[shown]
    return look
