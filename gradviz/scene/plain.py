"""Nodes that can be left out of the picture without losing its sense: views, transposes, expands, and leaves.

Each is drawn in the box of another node, its host: a view in that of what it hands its gradient to, a leaf in its
consumer's. The edge over it then carries the net change of shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.atoms import Atoms
from gradviz.scene.model import Ints
from gradviz.trace.graph import PassGraph
from gradviz.trace.packing import NODE_CPP, NODE_CUSTOM, NODE_ROOT
from gradviz.trace.reader import Trace

# The kinds as all three frameworks write them, in small letters and without underscores.
TRIVIAL = frozenset(
    (
        "alias",
        "asview",
        "broadcastto",
        "clone",
        "contiguous",
        "expand",
        "expandas",
        "expanddims",
        "flatten",
        "identity",
        "moveaxis",
        "movedim",
        "mt",
        "numpyt",
        "permute",
        "ravel",
        "reshape",
        "reshapealias",
        "squeeze",
        "swapaxes",
        "swapdims",
        "t",
        "tocopy",
        "transpose",
        "unflatten",
        "unsafeview",
        "unsqueeze",
        "view",
        "viewas",
    )
)
ENDING = re.compile(r"Backward\d*$")


@dataclass(frozen=True)
class Plain:
    """Who is drawn where. `shown` says that nothing is left out."""

    host: Ints  # (a,) the atom in whose box each atom is drawn: itself where it has one
    dropped: NDArray[np.bool_]  # (a,) no edge leads there: nothing that is drawn lies behind it
    spec: Ints  # (a,) of a hidden node: what the host expects at the end of its way; -1 elsewhere

    @property
    def hidden(self) -> NDArray[np.bool_]:
        away: NDArray[np.bool_] = self.host != np.arange(len(self.host))
        return away


def nothing_hidden(atoms: Atoms) -> Plain:
    count = len(atoms)
    return Plain(np.arange(count, dtype=np.int32), np.zeros(count, bool), np.full(count, -1, np.int32))


def hide_trivial(trace: Trace, graph: PassGraph, atoms: Atoms, kept: Iterable[int]) -> Plain:
    """Hide what is trivial, the nodes in `kept` excepted (a finding speaks of them), custom functions and roots too."""
    plain = nothing_hidden(atoms)
    hidden = _candidates(trace, graph, atoms)
    hidden[np.isin(atoms.node, list(kept))] = False
    out = np.bincount(atoms.tail, minlength=len(atoms))
    hidden &= atoms.leaf | (out == 1)
    if not hidden.any():
        return plain
    way = np.full(len(atoms), -1, np.int64)  # the edge out of each hidden node
    inner = np.flatnonzero(hidden[atoms.tail])
    way[atoms.tail[inner]] = inner
    above = np.full(len(atoms), -1, np.int64)  # the first consumer of each atom
    above[atoms.head[::-1]] = atoms.tail[::-1]
    slot_spec = slot_specs(graph)
    for atom in np.flatnonzero(hidden).tolist():
        _find(atom, hidden, way, above, atoms, plain, slot_spec)
    return plain


def _find(
    atom: int,
    hidden: NDArray[np.bool_],
    way: NDArray[np.int64],
    above: NDArray[np.int64],
    atoms: Atoms,
    plain: Plain,
    slot_spec: Ints,
) -> None:
    """Walk down to a box that is drawn; where there is none, up to the first consumer that is."""
    at, edge, seen = atom, -1, {atom}
    while hidden[at] and not atoms.leaf[at] and way[at] >= 0:
        edge = int(way[at])
        at = int(atoms.head[edge])
        if at in seen:  # a circle, which a damaged recording may hold
            return
        seen.add(at)
    if not hidden[at]:
        plain.host[atom], plain.spec[atom] = at, slot_spec[edge]
        return
    at, seen = atom, {atom}
    while hidden[at]:
        at = int(above[at])
        if at < 0 or at in seen:
            return
        seen.add(at)
    plain.host[atom], plain.dropped[atom] = at, True


def _candidates(trace: Trace, graph: PassGraph, atoms: Atoms) -> NDArray[np.bool_]:
    names = np.unique(graph.name)
    trivial = [number for number in names.tolist() if _base(trace.string(number)) in TRIVIAL]
    flags = graph.flags[atoms.node]
    by_name = np.isin(graph.name[atoms.node], trivial) & ((flags & (NODE_CUSTOM | NODE_CPP)) == 0)
    found: NDArray[np.bool_] = (by_name | atoms.leaf) & ((flags & NODE_ROOT) == 0)
    return found


def _base(name: str) -> str:
    return ENDING.sub("", name).replace("_", "").lower()


def slot_specs(graph: PassGraph) -> Ints:
    """(m,) what each edge's head expects in its slot, -1 unknown."""
    if not len(graph.head):
        return np.empty(0, np.int32)
    at = graph.expected_start[graph.head] + graph.slot
    inside = at < graph.expected_end[graph.head]
    return np.where(inside, np.append(graph.expected_spec, -1)[np.where(inside, at, -1)], -1).astype(np.int32)
