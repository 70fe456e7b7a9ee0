"""What the nodes of one pass can be found by, as columns: each name, module, line and shape once, and who has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Dim, Module, Source
from gradviz.trace.reader import Trace

Numbers = NDArray[np.int64]
Shape = tuple[Dim, ...]
Place = tuple[str, int]  # file, line; ("", 0) unknown
MOST_LINES = 40_000  # lines of all sources together that are searched


@dataclass(frozen=True)
class Columns:
    """n nodes. A node has one name, leaf, module and line, and as many shapes as it receives gradients."""

    names: tuple[str, ...]
    leaves: tuple[str, ...]  # the first is "": no leaf
    modules: tuple[str, ...]  # paths; the first is "": in none
    places: tuple[Place, ...]
    shapes: tuple[Shape, ...]
    name: Numbers  # (n,) into names
    leaf: Numbers
    module: Numbers
    place: Numbers
    shape: Numbers  # (p,) into shapes: one for each gradient that a node receives
    shaped: Numbers  # (p,) the node that it belongs to, rising
    classes: tuple[str, ...] = ()  # of the modules, at the same places
    sources: tuple[Source, ...] = ()

    def __len__(self) -> int:
        return len(self.name)

    def shapes_of(self, node: int) -> list[int]:
        first, end = np.searchsorted(self.shaped, (node, node + 1)).tolist()
        found: list[int] = self.shape[first:end].tolist()
        return found


def nothing() -> Columns:
    none = np.empty(0, np.int64)
    return Columns((), ("",), ("",), (("", 0),), (), none, none, none, none, none, none, ("",))


def read_columns(trace: Trace, pass_id: int) -> Columns:
    """All that can be searched for in a pass. Raises TraceError."""
    graph = trace.graph(pass_id)
    if not len(graph):
        return nothing()
    ids, name = np.unique(graph.name, return_inverse=True)
    leaves = trace.leaves()
    known = np.where((graph.leaf >= 0) & (graph.leaf < len(leaves)), graph.leaf, -1)
    module, paths, classes = _modules(trace, graph)
    place, places = _places(trace, graph, known)
    shape, shaped, shapes = _shapes(trace, graph)
    return Columns(
        names=tuple(trace.string(number) for number in ids.tolist()),
        leaves=("", *(leaf.name for leaf in leaves)),
        modules=paths,
        places=places,
        shapes=shapes,
        name=name.reshape(-1).astype(np.int64),
        leaf=known.astype(np.int64) + 1,
        module=module,
        place=place,
        shape=shape,
        shaped=shaped,
        classes=classes,
        sources=trace.sources(),
    )


def _modules(trace: Trace, graph: PassGraph) -> tuple[Numbers, tuple[str, ...], tuple[str, ...]]:
    """Of all modules, those without a node of this pass too: their children may have some."""
    modules: tuple[Module, ...] = trace.modules()
    calls, which = np.unique(graph.call, return_inverse=True)
    number_of = []
    for number in calls.tolist():
        call = trace.call(number) if number >= 0 else None
        number_of.append(call.module + 1 if call is not None and call.module < len(modules) else 0)
    paths = tuple(one.path or one.root_name or "" for one in modules)
    return (
        np.array(number_of, np.int64)[which.reshape(-1)],
        ("", *paths),
        ("", *(one.class_name for one in modules)),
    )


def _places(trace: Trace, graph: PassGraph, leaf: NDArray[np.int32]) -> tuple[Numbers, tuple[Place, ...]]:
    """The line of each node's forward call; of a leaf that none made, where the leaf was."""
    numbers, stacks = trace.op_stacks()
    stack = np.full(len(graph), -1, np.int64)
    if len(numbers):
        row = np.searchsorted(numbers, graph.op).clip(0, len(numbers) - 1)
        known = (graph.op >= 0) & (numbers[row] == graph.op)
        stack[known] = stacks[row[known]]
    key = np.where((stack < 0) & (leaf >= 0), -2 - leaf.astype(np.int64), stack)
    keys, which = np.unique(key, return_inverse=True)
    leaves = trace.leaves()
    number: dict[Place, int] = {("", 0): 0}
    numbered = []
    for each in keys.tolist():
        frames = trace.stack(each) if each >= -1 else leaves[-2 - each].stack
        place = (frames[0].file, frames[0].line) if frames else ("", 0)
        numbered.append(number.setdefault(place, len(number)))
    return np.array(numbered, np.int64)[which.reshape(-1)], tuple(number)


def _shapes(trace: Trace, graph: PassGraph) -> tuple[Numbers, Numbers, tuple[Shape, ...]]:
    counts = (graph.expected_end - graph.expected_start).astype(np.int64)
    shaped = np.repeat(np.arange(len(graph), dtype=np.int64), counts)
    within = np.arange(len(shaped)) - np.repeat(np.cumsum(counts) - counts, counts)
    spec = graph.expected_spec[np.repeat(graph.expected_start, counts) + within] if len(shaped) else shaped
    specs, which = np.unique(spec, return_inverse=True)
    number: dict[Shape, int] = {}
    numbered = []
    for each in specs.tolist():
        one = trace.spec(each)
        numbered.append(number.setdefault(one.shape, len(number)) if one is not None else -1)
    shape = np.array(numbered, np.int64)[which.reshape(-1)] if numbered else np.empty(0, np.int64)
    there = shape >= 0
    return shape[there], shaped[there], tuple(number)
