"""A sample of torch's own operators: recorded, each gives the same gradients bit for bit."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from tests.record.recorded import recorded


def operators() -> list[Any]:
    """Torch's table of its operators with samples, made for its own tests, whose base class isn't needed here."""
    if "expecttest" not in sys.modules:
        stand_in = ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]  # a module made by hand
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if op.supports_autograd and not op.name.startswith(("_", "jiterator", "signal"))]


CHOSEN = operators()[::9]
FLAKY = (
    "empty",
    "new_empty",
    "nn.functional.fractional",
    "svd_lowrank",
    "pca_lowrank",
)  # no two runs agree, bare or not


def gradients_of(op: Any) -> list[torch.Tensor]:
    """Of the op's first sample that has any."""
    torch.manual_seed(0)
    for sample in op.sample_inputs("cpu", torch.float64, requires_grad=True):
        leaves = [
            each for each in (sample.input, *sample.args) if isinstance(each, torch.Tensor) and each.requires_grad
        ]
        result = op(sample.input, *sample.args, **sample.kwargs)
        tensors = [
            each for each in (result if isinstance(result, (tuple, list)) else (result,)) if torch.is_tensor(each)
        ]
        roots = [each for each in tensors if each.requires_grad and each.grad_fn is not None]
        if roots and leaves:
            torch.autograd.backward([root.abs().sum() if root.is_complex() else root.sum() for root in roots])
            return [leaf.grad for leaf in leaves if leaf.grad is not None]
    return []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", CHOSEN, ids=lambda op: f"{op.name}-{op.variant_test_name}".strip("-"))
def test_operators_give_the_same_gradients(op: Any, tmp_path: Path) -> None:
    if op.name.startswith(FLAKY) or torch.float64 not in op.dtypes:
        return
    try:
        bare = gradients_of(op)
    except Exception:  # noqa: BLE001  # a sample that this build can't run says nothing about the recorder
        return
    found: list[list[torch.Tensor]] = []

    trace = recorded(tmp_path, lambda: found.append(gradients_of(op)))

    assert not [error for error in trace.exceptions() if error.phase == "backward"], trace.exceptions()
    assert len(found) == 1 and len(found[0]) == len(bare)
    for one, other in zip(bare, found[0]):
        assert torch.equal(torch.nan_to_num(one.to_dense()), torch.nan_to_num(other.to_dense()))
