"""The contract's programs in PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from tests.record.contract_programs import Body, Inputs


class TorchArrays:
    """See contract_programs.Arrays for what each method is for."""

    def constant(self, array: np.ndarray) -> Any:
        return torch.tensor(array)

    def matmul(self, a: Any, b: Any) -> Any:
        return torch.matmul(a, b)

    def exp(self, a: Any) -> Any:
        return torch.exp(a)

    def tanh(self, a: Any) -> Any:
        return torch.tanh(a)

    def sqrt(self, a: Any) -> Any:
        return torch.sqrt(a)

    def log(self, a: Any) -> Any:
        return torch.log(a)

    def total(self, a: Any) -> Any:
        return torch.sum(a)

    def reshape(self, a: Any, shape: tuple[int, ...]) -> Any:
        return torch.reshape(a, shape)

    def misshapen(self, a: Any) -> Any:
        function: Any = Misshapen
        return function.apply(a)

    def differentiate(self, body: Body, inputs: Inputs) -> Inputs:
        leaves = [torch.tensor(each, requires_grad=True) for each in inputs]
        body(self, leaves).backward()
        return tuple(leaf.grad.numpy() for leaf in leaves if leaf.grad is not None)

    def descend(self, bodies: Sequence[Body], start: np.ndarray) -> None:
        x = torch.tensor(start, requires_grad=True)
        for body in bodies:
            x.grad = None
            body(self, [x]).backward()
            assert x.grad is not None
            with torch.no_grad():
                x -= 0.1 * x.grad


class Misshapen(torch.autograd.Function):
    """See contract_programs.Arrays.misshapen."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2.0

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad[0, :-1] * 2.0
