"""Torch's own table of operators, made for its tests: every operator with autograd, and its samples as small programs.

A trial is one sample. Each run of it starts from the same random state and from fresh leaves, and tells every number
that came out, byte by byte, so that runs can be compared.
"""

from __future__ import annotations

import random
import sys
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Any

import torch
from torch.utils import _pytree as pytree

SEED = 1234


@dataclass(frozen=True)
class Outcome:
    """What one run of a trial gave: bytes of its outputs and gradients (None: no gradient), or the error it raised."""

    outputs: tuple[bytes, ...] = ()
    gradients: tuple[bytes | None, ...] = ()
    finite: bool = True  # every gradient is
    zero: bool = False  # some gradient is, throughout
    random_state: bytes = b""
    error: str = ""
    differentiable: bool = True


def operators() -> list[Any]:
    """All that have a gradient in float64 on the processor."""
    if "expecttest" not in sys.modules:  # a base class of torch's own tests, which isn't needed here
        stand_in = ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]  # a module made by hand
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if op.supports_autograd and torch.float64 in op.supported_backward_dtypes("cpu")]


def name_of(op: Any) -> str:
    """The operator with its variant, e.g. 'linalg.norm-subgradients_at_zero'."""
    return f"{op.name}-{op.variant_test_name}".strip("-")


def trials(op: Any, most: int | None = None) -> Iterator[Trial]:
    """The operator's samples, at most `most` of them. Raises what torch's own makers of samples raise."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    for number, sample in enumerate(islice(op.sample_inputs("cpu", torch.float64, requires_grad=True), most)):
        yield Trial(op, sample, weighted=number % 2 == 1)


class Trial:
    """One sample of an operator, forward and backward."""

    def __init__(self, op: Any, sample: Any, weighted: bool) -> None:
        self._op, self._sample, self._weighted = op, sample, weighted
        given = (sample.input, sample.args, sample.kwargs)
        tensors = [each for each in pytree.tree_leaves(given) if isinstance(each, torch.Tensor)]
        self._constants = [(each, each.clone()) for each in tensors if not each.requires_grad]

    def run(self) -> Outcome:
        """Forward and backward, once. Errors of torch are part of the outcome."""
        for constant, kept in self._constants:
            if as_bytes(constant) != as_bytes(kept):  # running statistics, which the operator updates
                constant.copy_(kept)
        torch.manual_seed(SEED)
        leaves: dict[int, torch.Tensor] = {}
        try:
            outputs = self._forward_and_backward(leaves)
        except Exception as error:  # noqa: BLE001  # of the operator under test: it is what is compared
            return Outcome(error=f"{type(error).__name__}: {error}"[:300])
        gradients = [leaf.grad for leaf in leaves.values()]
        return Outcome(
            outputs=tuple(map(as_bytes, outputs)),
            gradients=tuple(None if gradient is None else as_bytes(gradient) for gradient in gradients),
            finite=all(gradient is None or is_finite(gradient) for gradient in gradients),
            zero=any(gradient is not None and is_zero(gradient) for gradient in gradients),
            random_state=as_bytes(torch.get_rng_state()),
            differentiable=bool(outputs) and bool(leaves),
        )

    def _forward_and_backward(self, leaves: dict[int, torch.Tensor]) -> list[torch.Tensor]:
        def fresh(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not value.requires_grad:
                return value
            if id(value) not in leaves:
                leaves[id(value)] = value.detach().requires_grad_()
            return leaves[id(value)]

        sample = self._sample
        first, arguments, named = pytree.tree_map(fresh, (sample.input, sample.args, sample.kwargs))
        result = sample.output_process_fn_grad(self._op(first, *arguments, **named))
        found = [each for each in pytree.tree_leaves(result) if isinstance(each, torch.Tensor)]
        outputs = [each for each in found if each.requires_grad]
        losses = [self._loss(output) for output in outputs]
        if losses:
            torch.autograd.backward(losses)
        return outputs

    def _loss(self, output: torch.Tensor) -> torch.Tensor:
        """A sum hands on one number, expanded; a weighted sum a gradient that differs from entry to entry."""
        real = output.abs() if output.is_complex() else output
        dense = real if real.layout is torch.strided else real.to_dense()
        if not self._weighted:
            return dense.sum()
        return (dense * torch.linspace(0.5, 1.5, dense.numel(), dtype=dense.dtype).reshape(dense.shape)).sum()


def as_bytes(tensor: torch.Tensor) -> bytes:
    """Layout, dtype, shape and every number of a tensor."""
    plain = tensor.detach()
    if plain.layout is torch.sparse_coo:
        plain = plain.coalesce()
        return b"coo" + as_bytes(plain.indices()) + as_bytes(plain.values())
    if plain.layout is not torch.strided:
        return str(plain.layout).encode() + as_bytes(plain.to_dense())
    flat = plain.resolve_conj().resolve_neg().reshape(-1)
    whole = torch.empty(flat.shape, dtype=flat.dtype).copy_(flat)  # contiguous() leaves odd strides of a single entry
    head = f"{plain.dtype} {tuple(plain.shape)} ".encode()
    return head + (bytes(whole.view(torch.uint8).tolist()) if whole.numel() else b"")


def is_finite(tensor: torch.Tensor) -> bool:
    dense = tensor.detach() if tensor.layout is torch.strided else tensor.detach().to_dense()
    return bool(torch.isfinite(dense).all())


def is_zero(tensor: torch.Tensor) -> bool:
    dense = tensor.detach() if tensor.layout is torch.strided else tensor.detach().to_dense()
    return dense.numel() > 0 and not bool(dense.any())
