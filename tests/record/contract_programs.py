"""The same small programs in each framework, for the contract that every frontend keeps.

A program is written once, against `Arrays`: what it needs of a framework. A further framework joins by an Arrays of its
own in FRAMEWORKS. Inputs are the same numbers everywhere, float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import autograd.numpy as anp
import numpy as np
import torch
from autograd import value_and_grad
from autograd.extend import defvjp, primitive

Inputs = tuple[np.ndarray, ...]
Body = Callable[["Arrays", Any], Any]
Wrong = Callable[[Any], Any]


class Arrays(Protocol):
    """What the programs need of a framework."""

    def constant(self, array: np.ndarray) -> Any: ...
    def matmul(self, a: Any, b: Any) -> Any: ...
    def exp(self, a: Any) -> Any: ...
    def tanh(self, a: Any) -> Any: ...
    def sqrt(self, a: Any) -> Any: ...
    def total(self, a: Any) -> Any: ...
    def reshape(self, a: Any, shape: tuple[int, ...]) -> Any: ...
    def misshapen(self, a: Any) -> Any: ...  # twice its argument; its gradient comes without the first dimension
    def differentiate(self, body: Body, inputs: Inputs) -> Inputs: ...


class TorchArrays:
    """PyTorch."""

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


class Misshapen(torch.autograd.Function):
    """See Arrays.misshapen."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2.0

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad[0, :-1] * 2.0


class HipsArrays:
    """HIPS autograd."""

    def constant(self, array: np.ndarray) -> Any:
        return array

    def matmul(self, a: Any, b: Any) -> Any:
        return anp.matmul(a, b)

    def exp(self, a: Any) -> Any:
        return anp.exp(a)

    def tanh(self, a: Any) -> Any:
        return anp.tanh(a)

    def sqrt(self, a: Any) -> Any:
        return anp.sqrt(a)

    def total(self, a: Any) -> Any:
        return anp.sum(a)

    def reshape(self, a: Any, shape: tuple[int, ...]) -> Any:
        return anp.reshape(a, shape)

    def misshapen(self, a: Any) -> Any:
        return hips_misshapen(a)

    def differentiate(self, body: Body, inputs: Inputs) -> Inputs:
        function = value_and_grad(lambda *given: body(self, given), argnum=tuple(range(len(inputs))))
        if len(inputs) == 1:  # several arguments are traced as one tuple, and each taken out of it is a node
            function = value_and_grad(lambda x: body(self, (x,)))
            return (function(inputs[0])[1],)
        return tuple(function(*inputs)[1])


def misshapen(a: Any) -> Any:
    """See Arrays.misshapen."""
    return a * 2.0


hips_misshapen: Any = primitive(misshapen)
defvjp(hips_misshapen, lambda ans, a: lambda g: g[0, :-1] * 2.0)
FRAMEWORKS: Mapping[str, Arrays] = {"torch": TorchArrays(), "hips": HipsArrays()}


@dataclass(frozen=True)
class Program:
    """One program: its inputs, and what every frontend must say of it."""

    body: Body
    inputs: Inputs
    kinds: tuple[str, ...]  # what the ops are, newest first, in words that name the same thing everywhere
    finding: str = ""  # rule of the one loud finding


def chain(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.tanh(arrays.exp(given[0])))


def reused(arrays: Arrays, given: Any) -> Any:
    x = given[0]
    return arrays.total(x * arrays.tanh(x))


def layer(arrays: Arrays, given: Any) -> Any:
    data = arrays.constant(np.linspace(-1.0, 1.0, 12).reshape(4, 3))
    return arrays.total(arrays.tanh(arrays.matmul(data, given[0])))


def reshaped(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.exp(arrays.reshape(given[0], (3, 2))))


def stretched(arrays: Arrays, given: Any) -> Any:
    column = arrays.exp(arrays.matmul(arrays.constant(np.ones((6, 2))), given[0]))
    difference = column - arrays.constant(np.arange(6.0))
    return arrays.total(difference * difference)


def born_infinite(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.sqrt(given[0]))


def misshapen_gradient(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.misshapen(arrays.exp(given[0])))


PROGRAMS = {
    "chain": Program(chain, (np.array([0.1, -0.2, 0.3]),), ("sum", "tanh", "exp")),
    "reused": Program(reused, (np.array([[0.5, -1.0], [2.0, 0.25]]),), ("sum", "mul", "tanh")),
    "layer": Program(layer, (np.linspace(0.1, 0.6, 6).reshape(3, 2),), ("sum", "tanh", "matmul")),
    "reshaped": Program(reshaped, (np.linspace(0.0, 1.0, 6),), ("sum", "exp", "reshape")),
    "stretched": Program(stretched, (np.zeros((2, 1)),), ("sum", "mul", "sub", "exp", "matmul"), "silent-broadcast"),
    "born_infinite": Program(born_infinite, (np.array([0.0, 1.0]),), ("sum", "sqrt"), "non-finite-gradient"),
    "misshapen": Program(
        misshapen_gradient, (np.ones((2, 3)),), ("sum", "misshapen", "exp"), "custom-backward-wrong-shape"
    ),
}
