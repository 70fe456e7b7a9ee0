"""Where gradients enter and leave a pass: roots with their seeds, and the tensors named in `inputs=`."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Any

import torch

from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.walk import Graph

GradientEdge: Any = torch.autograd.graph.GradientEdge


class Given:
    """Outputs and seeds as the user gave them: numbers only, no tensor is kept."""

    def __init__(self, recorder: Recorder, outputs: Sequence[Any], seeds: Sequence[Any] | None) -> None:
        self.output_ids = [id(output) for output in outputs]
        self.none_given = seeds is None or all(seed is None for seed in seeds)
        self.seeds = [] if self.none_given else [seed_row(recorder, seed) for seed in seeds or ()]


def seed_row(recorder: Recorder, seed: Any) -> dict[str, Any] | None:
    """A seed's entry in `backward.seeds`."""
    if not isinstance(seed, torch.Tensor):
        return None
    entry = recorder.values.lookup(seed)
    return {"value": entry.number, "spec": entry.spec}


def root_nodes(outputs: Sequence[Any]) -> list[Any]:
    """The nodes that gradients enter by. A leaf as output has none that could be had without making one."""
    nodes = []
    for output in outputs:
        node = output.node if isinstance(output, GradientEdge) else getattr(output, "grad_fn", None)
        if node is not None:
            nodes.append(node)
    return nodes


def port_rows(recorder: Recorder, outputs: Sequence[Any], graph: Graph) -> list[dict[str, Any]]:
    """Entries for `backward.roots` or `backward.inputs`."""
    leaves = {value: node for node, value in graph.leaves.items()}
    rows = []
    for output in outputs:
        if isinstance(output, GradientEdge):
            node = graph.index.get(id(output.node), -1)
            first = graph.expected_end[node - 1] if node > 0 else 0
            known = node >= 0 and first + output.output_nr < len(graph.expected)
            spec = graph.expected[first + output.output_nr] if known else -1
            rows.append({"node": node, "slot": output.output_nr, "value": -1, "spec": spec, "requires_grad": True})
        elif isinstance(output, torch.Tensor):
            rows.append(_tensor_row(recorder, output, graph, leaves))
    return rows


def _tensor_row(recorder: Recorder, tensor: Any, graph: Graph, leaves: dict[int, int]) -> dict[str, Any]:
    entry = recorder.values.lookup(tensor)
    function = tensor.grad_fn
    if function is not None:
        node, slot = graph.index.get(id(function), -1), tensor.output_nr
    else:
        node, slot = leaves.get(entry.number, -1), 0
    needs = bool(tensor.requires_grad)
    return {"node": node, "slot": slot, "value": entry.number, "spec": entry.spec, "requires_grad": needs}


def as_json(rows: Sequence[Any]) -> str:
    """For the columns."""
    return dumps(list(rows)) if rows else "[]"
