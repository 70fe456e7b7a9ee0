"""What the box of a folded group and the frame of an open one say: class, parameters, shapes, gradient norms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gradviz.scene.atoms import Atoms
from gradviz.scene.groups import Group, Tree
from gradviz.scene.model import Card, Floats, Ints
from gradviz.scene.words import shape_text
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.model import Spec

MOST_BARS = 12


@dataclass(frozen=True)
class Inside:
    """Per group, over its whole subtree: atoms, lowest and highest step (-1 none), and its leaves' norms."""

    nodes: Ints
    step_first: Ints
    step_last: Ints
    leaf_norms: tuple[dict[int, float | None], ...]  # leaf node -> norm, NaN: no gradient, None: not measured

    def norm(self, group: int) -> float | None:
        """Norm of all gradients in the group together; NaN where one of them is missing or no number."""
        total = 0.0
        for value in self.leaf_norms[group].values():
            if value is None:
                return None
            total += value * value
        return math.sqrt(total)


def look_inside(graph: PassGraph, steps: PassSteps, atoms: Atoms, tree: Tree, step_of: Ints) -> Inside:
    """Gather per group from the innermost outwards."""
    count = len(tree.groups)
    nodes = np.zeros(count, np.int32)
    first = np.full(count, np.iinfo(np.int32).max, np.int32)
    last = np.full(count, -1, np.int32)
    grouped = np.flatnonzero(tree.of_atom >= 0)
    group, step = tree.of_atom[grouped], step_of[atoms.node[grouped]]
    np.add.at(nodes, group, 1)
    ran = step >= 0
    np.minimum.at(first, group[ran], step[ran])
    np.maximum.at(last, group[ran], step[ran])
    norms: list[dict[int, float | None]] = [{} for _ in range(count)]
    for atom in grouped[atoms.leaf[grouped]].tolist():
        node = int(atoms.node[atom])
        norms[int(tree.of_atom[atom])][node] = _norm(steps, int(step_of[node]))
    for at in range(count - 1, -1, -1):
        up = tree.groups[at].parent
        if up >= 0:
            nodes[up] += nodes[at]
            first[up] = min(first[up], first[at])
            last[up] = max(last[up], last[at])
            norms[up].update(norms[at])
    first[last < 0] = -1
    return Inside(nodes, first, last, tuple(norms))


def make_cards(tree: Tree, inside: Inside) -> tuple[Card, ...]:
    children: dict[int, list[int]] = {}
    for at, group in enumerate(tree.groups):
        children.setdefault(group.parent, []).append(at)
    return tuple(
        Card(
            key=group.key,
            path=group.path,
            title=group.title,
            class_name=group.class_name,
            nodes=int(inside.nodes[at]),
            parameters=_parameters(tree, group),
            shapes=_shapes(tree, group),
            copies=len(group.children),
            bars=_bars(inside, at, children.get(at, [])),
            parent=group.parent,
            is_loop=group.is_loop,
        )
        for at, group in enumerate(tree.groups)
    )


def _bars(inside: Inside, at: int, children: list[int]) -> tuple[float, ...]:
    own = inside.leaf_norms[at]
    if not own:
        return ()
    with_leaves = [child for child in children if inside.leaf_norms[child]]
    if with_leaves and (len(own) > 8 or len(with_leaves) >= 3):
        norms = [inside.norm(child) for child in with_leaves]
    else:
        norms = list(own.values())
    known = [norm for norm in norms if norm is not None]
    return tuple(known) if len(known) == len(norms) <= MOST_BARS else ()


def _norm(steps: PassSteps, step: int) -> float | None:
    if step < 0 or steps.received_end[step] <= steps.received_start[step]:
        return math.nan
    row = int(steps.received_start[step])
    if steps.spec[row] < 0:
        return math.nan
    return None if steps.nans[row] < 0 else float(steps.norm[row])


def _parameters(tree: Tree, group: Group) -> int:
    if group.children:
        return sum(_parameters(tree, tree.groups[child]) for child in group.children)
    return group.module.parameters if group.module is not None else 0


def _shapes(tree: Tree, group: Group) -> str:
    first = last = group
    if group.children:
        first, last = tree.groups[group.children[0]], tree.groups[group.children[-1]]
    if first.shapes and first.call is None:
        return (
            first.shapes
            if first is last
            else f"{first.shapes.partition(' → ')[0]} → {last.shapes.rpartition(' → ')[2]}"
        )
    ends: list[Spec | None] = [
        first.call.in_spec if first.call is not None else None,
        last.call.out_spec if last.call is not None else None,
    ]
    return " → ".join(shape_text(spec.shape) for spec in ends if spec is not None)


def bar_heights(bars: tuple[float, ...], low: float, high: float) -> Floats:
    """0..1 on one log scale for the whole window; NaN where there is no gradient. An exact zero is an empty bar."""
    values = np.array(bars, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = (np.log10(values) - math.log10(low)) / max(math.log10(high) - math.log10(low), 1e-6)
    return np.where(np.isnan(values), np.nan, np.clip(scaled, 0.0, 1.0) * 0.85 + 0.15).astype(np.float32)


def norm_range(cards: tuple[Card, ...]) -> tuple[float, float]:
    """Lowest and highest norm above zero of all bars."""
    values = [bar for card in cards for bar in card.bars if bar > 0 and math.isfinite(bar)]
    return (min(values), max(values)) if values else (1e-6, 1.0)
