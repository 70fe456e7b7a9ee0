"""Runs backward through a tensor's graph for a look at it, leaving graph and `.grad` as they are."""

from __future__ import annotations

from typing import Any

from gradviz.errors import GradvizError


def run_backward_for_a_look(tensor: Any, seed: Any = None) -> None:
    """`torch.autograd.grad` towards all leaves, the graph retained. Raises GradvizError for what has no graph."""
    import torch

    if not isinstance(tensor, torch.Tensor) or tensor.grad_fn is None:
        raise GradvizError("gradviz.show wants a tensor with a grad_fn: one that was computed from what requires grad.")
    leaves = _leaves(tensor.grad_fn)
    if not leaves:
        raise GradvizError("No leaf of this tensor's graph takes a gradient.")
    seeds = torch.ones_like(tensor) if seed is None else seed
    torch.autograd.grad(tensor, leaves, grad_outputs=seeds, retain_graph=True, allow_unused=True)


def _leaves(root: Any) -> list[Any]:
    found, seen, waiting = [], {root}, [root]
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            found.append(variable)
        for below, _ in node.next_functions:
            if below is not None and below not in seen:
                seen.add(below)
                waiting.append(below)
    return found
