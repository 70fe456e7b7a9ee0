"""Backward from what a function returned, when the function didn't run it itself."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from gradviz.record.pytorch.state import Recorder
from gradviz.record.seedexpression import evaluated_seed

NO_GRAPH = "offered-without-graph"  # kind of note; gradviz/diagnose/rules/offered.py explains it
MOST = 20  # tensors of a result that a note names


def run_offered(
    recorder: Recorder,
    result: Any,
    seed_expression: str | None,
    namespace: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> None:
    """Run backward from the first tensor with a graph in `result`, unless one ran from it already.

    A function that ran one from another tensor is left alone as well: that one may have freed what they share. A
    gradient that is part of a graph (`create_graph=True`: a penalty on it) frees nothing.
    """
    if recorder.differentiated:
        return
    requiring = [each for each in tensors_in(result) if each.requires_grad]
    if not requiring:
        _tell_of_no_graph(recorder, result, arguments)
        return
    tensor = next((each for each in requiring if not each.is_leaf), None)  # from a leaf there is nowhere to go
    if tensor is None or recorder.values.lookup(tensor).number in recorder.roots_seen:
        return
    seed = None
    if seed_expression:
        seed = evaluated_seed(seed_expression, namespace, tensor, functools.partial(_as_seed, tensor))
    elif tensor.dim() or tensor.is_complex():
        seed = torch.ones_like(tensor)
    tensor.backward(seed)


def _as_seed(output: Any, seed: Any) -> Any:
    """As a tensor, if it isn't one."""
    if isinstance(seed, torch.Tensor):
        return seed
    return torch.as_tensor(seed, dtype=output.dtype, device=output.device)


def _tell_of_no_graph(recorder: Recorder, result: Any, arguments: Mapping[str, Any]) -> None:
    """What went in and came out, for diagnosis to say why there is nothing to run backward from."""
    recorder.session.note(
        NO_GRAPH,
        "",
        returned=type(result).__name__,
        results=[_number(recorder, each) for each in itertools.islice(tensors_in(result), MOST)],
        arguments=[[name, kind_given(value), _number(recorder, value)] for name, value in arguments.items()],
    )


def _number(recorder: Recorder, value: Any) -> int:
    """The value's number in the trace, -1 for what is no tensor."""
    return int(recorder.values.lookup(value).number) if isinstance(value, torch.Tensor) else -1


def kind_given(value: Any) -> str:
    """asks: for a gradient | could: ask for one | whole: numbers that can't | number: a Python float | "" other."""
    if any(each.requires_grad for each in tensors_in([value])):
        return "asks"
    if isinstance(value, torch.Tensor):
        return "could" if _has_slope(value) else "whole"
    return "number" if isinstance(value, (float, complex)) else ""


def _has_slope(tensor: Any) -> bool:
    return bool(tensor.is_floating_point() or tensor.is_complex())


def tensors_in(result: Any, depth: int = 3) -> Iterator[Any]:
    """The tensors in a result: itself, or inside tuples, lists and dicts."""
    if isinstance(result, torch.Tensor):
        yield result
    elif depth and isinstance(result, (tuple, list)):
        for each in result:
            yield from tensors_in(each, depth - 1)
    elif depth and isinstance(result, dict):
        for each in result.values():
            yield from tensors_in(each, depth - 1)
