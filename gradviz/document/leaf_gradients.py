"""What each leaf's gradient was in one pass: its norm, or in one word why there is none. In columns, no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gradviz.document.pass_facts import PassFacts
from gradviz.scene.cards import entries_of
from gradviz.trace.model import Leaf

Longs = NDArray[np.int64]


class Fate(IntEnum):
    """What became of a leaf's gradient in the pass."""

    MEASURED = 0
    ZERO = 1  # every entry is exactly 0
    UNKNOWN = 2  # not measured at this level, or the pass hasn't come to it
    ELSEWHERE = 3  # the leaf is no part of this pass, but of another one
    FROZEN = 4  # requires_grad is False
    MISSING = 5  # the pass is over, and none came
    INFINITE = 6
    NAN = 7


@dataclass(frozen=True)
class LeafGradients:
    """Per leaf, by id."""

    fate: NDArray[np.int8]  # Fate
    norm: NDArray[np.float64]  # NaN where it wasn't measured
    entries: Longs  # of the leaf itself


def leaf_gradients(leaves: tuple[Leaf, ...], facts: PassFacts | None) -> LeafGradients:
    """`facts` None: no pass is shown, and nothing is known."""
    count = len(leaves)
    frozen = np.array([not leaf.requires_grad for leaf in leaves], bool)
    elsewhere = np.array([leaf.in_graph for leaf in leaves], bool)
    entries = np.array([entries_of(leaf.spec) for leaf in leaves], np.int64)
    fate = np.full(count, Fate.UNKNOWN, np.int8)
    norm = np.full(count, np.nan)
    if facts is not None and not facts.forward_only:
        fate[:] = np.where(elsewhere, Fate.ELSEWHERE, Fate.MISSING if facts.ended else Fate.UNKNOWN)
        _measure(facts, fate, norm)
    fate[frozen] = Fate.FROZEN
    return LeafGradients(fate, norm, entries)


def _measure(facts: PassFacts, fate: NDArray[np.int8], norm: NDArray[np.float64]) -> None:
    """The leaves of the pass: what arrived at their nodes."""
    graph, steps = facts.graph, facts.steps
    node = np.flatnonzero((graph.leaf >= 0) & (graph.leaf < len(fate)))
    leaf, step = graph.leaf[node], facts.step_of[node]
    fate[leaf] = Fate.MISSING if facts.ended else Fate.UNKNOWN
    if facts.backward.inputs:  # asked for by name: what is returned is recorded nowhere, and the others get nothing
        asked = np.isin(node, [port.node for port in facts.backward.inputs])
        fate[leaf[~asked]], fate[leaf[asked]] = Fate.ELSEWHERE, Fate.UNKNOWN
    ran = step >= 0
    leaf, step = leaf[ran], step[ran]
    row = steps.received_start[step]
    came = steps.received_end[step] > row
    leaf, row = leaf[came], row[came]
    came = steps.spec[row] >= 0
    leaf, row = leaf[came], row[came]
    nans, infs, size = steps.nans[row], steps.infs[row], steps.norm[row]
    found = np.select(
        (nans < 0, nans > 0, infs > 0, size == 0),
        (Fate.UNKNOWN, Fate.NAN, Fate.INFINITE, Fate.ZERO),
        Fate.MEASURED,
    )
    fate[leaf], norm[leaf] = found, np.where(nans == 0, size, np.nan)
    # Several nodes that bear one leaf: the norm of their sum isn't told by theirs.
    several = np.bincount(leaf, minlength=len(fate)) > 1
    unsure = several & (fate <= Fate.ZERO)
    fate[unsure], norm[unsure] = Fate.UNKNOWN, np.nan
