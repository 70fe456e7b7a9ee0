"""A part of a scene as a scene of its own: the same places, so that it lies over the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.focus import Part
from gradviz.scene.model import Draft, Scene, States

Anything = TypeVar("Anything")
Numbers = NDArray[np.int64]


def scene_of_part(scene: Scene, part: Part) -> Scene:
    """Only these boxes and edges, numbered anew, with the frames that they lie in."""
    frames = _frames(scene.draft, part)
    starts = scene.offsets[part.edges].astype(np.int64)
    lengths = scene.offsets[part.edges + 1] - starts
    ends = np.cumsum(lengths)
    points = np.repeat(starts - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    x, y = scene.x[part.boxes], scene.y[part.boxes]
    draft = draft_of_part(scene.draft, part, frames)
    return replace(
        scene,
        draft=draft,
        x=x,
        y=y,
        points=scene.points[points],
        offsets=np.concatenate(([0], ends)).astype(np.int32),
        label_at=scene.label_at[part.edges],
        frames=scene.frames[frames],
        panels=tuple(replace(one, box=_place(part.boxes, one.box)) for one in scene.panels if one.box in part.boxes),
        bounds=_bounds(draft, x, y) if len(draft) else scene.bounds,
    )


def states_of_part(states: States, part: Part) -> States:
    """The looks of a part's boxes and edges."""
    current = _place(part.boxes, states.current) if states.current in part.boxes else -1
    return States(states.position, states.box[part.boxes], states.edge[part.edges], current)


def draft_of_part(draft: Draft, part: Part, frames: list[int]) -> Draft:
    """`frames`: positions among the open cards. Nodes that are in no box any more have -1."""
    boxes, edges = part.boxes, part.edges
    number, edge_number = _numbers(len(draft), boxes), _numbers(draft.edges, edges)

    def kept(told: dict[int, Anything]) -> dict[int, Anything]:
        return {int(number[box]): each for box, each in told.items() if number[box] >= 0}

    return replace(
        draft,
        kind=draft.kind[boxes],
        node=draft.node[boxes],
        card=draft.card[boxes],
        inside=draft.inside[boxes],
        width=draft.width[boxes],
        height=draft.height[boxes],
        name=draft.name[boxes],
        tail=number[draft.tail[edges]],
        head=number[draft.head[edges]],
        edge=draft.edge[edges],
        label=draft.label[edges],
        label_width=draft.label_width[edges],
        label_height=draft.label_height[edges],
        open_cards=tuple(draft.open_cards[at] for at in frames),
        box_of=number[draft.box_of],
        step_first=draft.step_first[boxes],
        step_last=draft.step_last[boxes],
        failed=draft.failed[boxes],
        chips=kept(draft.chips),
        seconds=kept(draft.seconds),
        constants=kept(draft.constants),
        framed=tuple(
            replace(one, edge=int(edge_number[one.edge])) for one in draft.framed if edge_number[one.edge] >= 0
        ),
        badges=tuple(replace(one, box=int(number[one.box])) for one in draft.badges if number[one.box] >= 0),
        ties=tuple(
            replace(tie, one=int(number[tie.one]), other=int(number[tie.other]))
            for tie in draft.ties
            if number[tie.one] >= 0 and number[tie.other] >= 0
        ),
        panels=(),
    )


def _numbers(count: int, kept: Numbers) -> NDArray[np.int32]:
    """The new number of each, -1 where it isn't kept; the last is for -1 itself."""
    number = np.full(count + 1, -1, np.int32)
    number[kept] = np.arange(len(kept))
    return number


def _frames(draft: Draft, part: Part) -> list[int]:
    """Positions among the open cards of those round a box of the part."""
    inside: set[int] = set()
    for card in np.unique(draft.inside[part.boxes]).tolist():
        while card >= 0 and card not in inside:
            inside.add(card)
            card = draft.cards[card].parent
    return [at for at, card in enumerate(draft.open_cards) if card in inside]


def _place(rising: Numbers, value: int) -> int:
    return int(np.searchsorted(rising, value))


def _bounds(draft: Draft, x: NDArray[np.float32], y: NDArray[np.float32]) -> tuple[float, float, float, float]:
    half_x, half_y = draft.width / 2, draft.height / 2
    return (
        float((x - half_x).min()),
        float((y - half_y).min()),
        float((x + half_x).max()),
        float((y + half_y).max()),
    )
