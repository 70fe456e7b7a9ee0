"""Shapes of the tensors that nodes saved for backward, only where looking at them has no effect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.walk import Graph

PREFIX = "_raw_saved_"
MOST_NODES = 600  # of a graph whose saved tensors are looked at; of a bigger one only the failing node's are


def saved_tensors(
    recorder: Recorder, graph: Graph, nodes: Iterable[int] | None = None
) -> list[tuple[int, str, int | None, int | None]]:
    """Node, name, spec (None = freed) and present version of each saved tensor.

    Never `_saved_*`: unpacking runs the user's code (checkpoint computes its forward again) and raises where a tensor
    was freed or written to. `_raw_saved_*` only where no pack hook stands between.
    """
    if nodes is None:
        nodes = range(len(graph.nodes)) if len(graph.nodes) <= MOST_NODES else ()
    found: list[tuple[int, str, int | None, int | None]] = []
    for node in nodes:
        wrapper = graph.nodes[node]
        for attribute in _attributes(recorder, type(wrapper)):
            raw = getattr(wrapper, attribute, None)
            for each in raw if isinstance(raw, (list, tuple)) else (raw,):
                _look(recorder, node, attribute, each, found)
    return found


def _attributes(recorder: Recorder, kind: type) -> tuple[str, ...]:
    known = recorder.saved_names.get(kind)
    if known is None:
        known = tuple(name for name in dir(kind) if name.startswith(PREFIX))
        recorder.saved_names[kind] = known
    return known


def _look(recorder: Recorder, node: int, attribute: str, raw: Any, found: list[Any]) -> None:
    if raw is None or getattr(raw, "unpack_hook", raw) is not None:  # an older torch can't tell: leave it alone
        return
    try:
        data = raw.data
    except RuntimeError:  # freed
        return
    if data is None:
        return
    entry = recorder.values.known.get(id(data))
    spec = entry.spec if entry is not None and entry() is data else recorder.values.spec(data)
    version = None if data.is_inference() else int(data._version)
    found.append((node, attribute[len(PREFIX) :], spec, version))
