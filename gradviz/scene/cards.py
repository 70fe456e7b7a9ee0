"""What the box of a folded group and the frame of an open one say: class, parameters, shapes, gradient norms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gradviz.scene.atoms import Atoms
from gradviz.scene.groups import Group, Tree
from gradviz.scene.model import Card, Floats, Ints
from gradviz.scene.wording import Wording
from gradviz.scene.words import number_text, shape_text
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.model import Spec
from gradviz.trace.reader import Trace

MOST_BARS = 12
MISSING = -1.0  # in place of a norm: no gradient came


@dataclass(frozen=True)
class Inside:
    """Per group, over its whole subtree: nodes (a shared leaf once), first and last step (-1 none), leaves' norms."""

    nodes: Ints
    step_first: Ints
    step_last: Ints
    leaf_norms: tuple[dict[int, float | None], ...]  # leaf node -> norm, MISSING, NaN, None: not measured

    def norm(self, group: int) -> float | None:
        """Norm of all gradients in the group together: NaN where one of them holds NaN, MISSING where none came, None
        where one wasn't measured or the group has no leaves.
        """
        norms = list(self.leaf_norms[group].values())
        came = [norm for norm in norms if norm is not None and norm != MISSING]
        if not norms or None in norms:
            return None
        return math.sqrt(sum(norm * norm for norm in came)) if came else MISSING


def look_inside(
    graph: PassGraph, steps: PassSteps, atoms: Atoms, tree: Tree, step_of: Ints, all_leaves: bool = True
) -> Inside:
    """Gather per group from the innermost outwards. `all_leaves`: the pass was to reach them all, not some inputs."""
    count = len(tree.groups)
    nodes = np.zeros(count, np.int32)
    first = np.full(count, np.iinfo(np.int32).max, np.int32)
    last = np.full(count, -1, np.int32)
    grouped = np.flatnonzero(tree.of_atom >= 0)
    group, step = tree.of_atom[grouped], step_of[atoms.node[grouped]]
    np.add.at(nodes, group[~atoms.leaf[grouped]], 1)
    ran = step >= 0
    np.minimum.at(first, group[ran], step[ran])
    np.maximum.at(last, group[ran], step[ran])
    norms: list[dict[int, float | None]] = [{} for _ in range(count)]
    for atom in grouped[atoms.leaf[grouped]].tolist():
        node = int(atoms.node[atom])
        norms[int(tree.of_atom[atom])][node] = _norm(steps, int(step_of[node]), all_leaves)
    for at in range(count - 1, -1, -1):
        up = tree.groups[at].parent
        if up >= 0:
            nodes[up] += nodes[at]
            first[up] = min(first[up], first[at])
            last[up] = max(last[up], last[at])
            norms[up].update(norms[at])
    nodes += np.array([len(each) for each in norms], np.int32)
    first[last < 0] = -1
    return Inside(nodes, first, last, tuple(norms))


def make_cards(tree: Tree, inside: Inside, trace: Trace, graph: PassGraph, wording: Wording) -> tuple[Card, ...]:
    entries = parameter_entries(trace, graph) if any(group.is_code for group in tree.groups) else {}
    children: dict[int, list[int]] = {}
    for at, group in enumerate(tree.groups):
        children.setdefault(group.parent, []).append(at)
    norms = [inside.norm(at) for at in range(len(tree.groups))]
    frozen = frozen_modules(trace)
    return tuple(
        Card(
            key=group.key,
            path=group.path,
            title=group.title,
            class_name=group.class_name,
            nodes=int(inside.nodes[at]),
            parameters=_parameters(tree, at, inside, entries),
            shapes=_shapes(tree, group),
            copies=group.copies,
            bars=_bars(inside, at, children.get(at, []), norms),
            parent=group.parent,
            is_code=group.is_code,
            module=group.module.id if group.module is not None else -1,
            norm=norms[at],
            norm_words=wording.frozen if _is_frozen(tree, group, frozen) else norm_words(norms[at], wording),
        )
        for at, group in enumerate(tree.groups)
    )


def frozen_modules(trace: Trace) -> set[int]:
    """Modules with parameters, all of which, inside them too, ask for no gradient."""
    modules = trace.modules()
    live: set[int] = set()
    still: set[int] = set()
    for leaf in trace.leaves():
        found = live if leaf.requires_grad else still
        at = leaf.module
        while at is not None and at < len(modules) and at not in found:
            found.add(at)
            at = modules[at].parent
    return still - live


def _is_frozen(tree: Tree, group: Group, frozen: set[int]) -> bool:
    groups = [tree.groups[child] for child in group.children] if not group.is_code and group.children else [group]
    return bool(frozen) and all(one.module is not None and one.module.id in frozen for one in groups)


def norm_words(norm: float | None, wording: Wording) -> str:
    """'norm 0.83'; "" where nothing is known."""
    if norm is None:
        return ""
    return wording.no_gradient if norm == MISSING else wording.norm.format(norm=number_text(norm))


def _bars(inside: Inside, at: int, children: list[int], whole: list[float | None]) -> tuple[float, ...]:
    own = inside.leaf_norms[at]
    if not own:
        return ()
    with_leaves = [child for child in children if inside.leaf_norms[child]]
    if with_leaves and (len(own) > 8 or len(with_leaves) >= 3):
        norms = [whole[child] for child in with_leaves]
    else:
        norms = list(own.values())
    known = [math.nan if norm == MISSING else norm for norm in norms if norm is not None]
    return tuple(known) if len(known) == len(norms) <= MOST_BARS else ()


def _norm(steps: PassSteps, step: int, all_leaves: bool) -> float | None:
    if step < 0 and not all_leaves:
        return None  # what `grad` returns is recorded nowhere
    if step < 0 or steps.received_end[step] <= steps.received_start[step]:
        return MISSING
    row = int(steps.received_start[step])
    if steps.spec[row] < 0:
        return MISSING
    return None if steps.nans[row] < 0 else float(steps.norm[row])


def _parameters(tree: Tree, at: int, inside: Inside, entries: dict[int, int]) -> int:
    """Of modules all that they hold; of a loop and its rounds those that are used there, each counted once."""
    group = tree.groups[at]
    if group.is_code:
        return sum(entries.get(node, 0) for node in inside.leaf_norms[at])
    if group.children:
        modules = [tree.groups[child].module for child in group.children]
        return sum({module.id: module.parameters for module in modules if module is not None}.values())
    return group.module.parameters if group.module is not None else 0


def parameter_entries(trace: Trace, graph: PassGraph) -> dict[int, int]:
    """The leaf nodes of a pass that are parameters, and how many numbers each is."""
    leaves = trace.leaves()
    nodes = np.flatnonzero((graph.leaf >= 0) & (graph.leaf < len(leaves)))
    found = zip(nodes.tolist(), graph.leaf[nodes].tolist())
    return {node: entries_of(leaves[leaf].spec) for node, leaf in found if leaves[leaf].kind == "parameter"}


def entries_of(spec: Spec) -> int:
    """How many numbers a tensor holds; sizes that are no numbers are left out."""
    return math.prod(size for size in spec.shape if isinstance(size, int))


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
