"""What a function comes to, read from its names: whether it computes with autograd, and whether it differentiates."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad, value_and_grad
from autograd.numpy import exp

from gradviz.record.hips.reach import Reach

gradient = grad(lambda x: anp.sum(x**2))


def loss(x: Any) -> Any:
    return anp.sum(x**2)


def by_name(x: Any) -> Any:
    return exp(x)


def by_helper(x: Any) -> Any:
    return loss(x) * 2.0


def inner(x: Any) -> Any:
    def square(a: Any) -> Any:
        return anp.square(a)

    return square(x)


def calls_grad(x: Any) -> Any:
    return grad(loss)(x)


def calls_by_module(x: Any) -> Any:
    return autograd.jacobian(loss)(x)


def calls_what_was_made(x: Any) -> Any:
    return gradient(x) + anp.ones(2)


def calls_it_deep(x: Any) -> Any:
    return [value_and_grad(loss)(each) for each in x]


def by_a_helper_that_does(x: Any) -> Any:
    return calls_it_deep([x])


class Model:
    def __init__(self) -> None:
        self.w = np.ones(2)

    def __call__(self, x: Any) -> Any:
        return anp.dot(self.w, x)

    def slope(self, x: Any) -> Any:
        return grad(self)(x)


class Net:
    def forward(self, x: Any) -> Any:
        return anp.tanh(x)


net = Net()


def by_object(x: Any) -> Any:
    return net.forward(x)


def reach(*functions: Callable[..., Any]) -> tuple[bool, bool]:
    found = Reach(lambda code: code.co_filename == __file__).of(functions)
    return found.computes, found.differentiates


@pytest.mark.parametrize(
    "function", [loss, by_name, by_helper, inner, by_object, functools.partial(loss, x=1), Net().forward]
)
def test_what_computes_with_autograd_can_be_traced(function: Callable[..., Any]) -> None:
    assert reach(function) == (True, False)


@pytest.mark.parametrize(
    "function",
    [calls_grad, calls_by_module, calls_what_was_made, calls_it_deep, by_a_helper_that_does, Model().slope],
)
def test_what_differentiates_is_left_alone(function: Callable[..., Any]) -> None:
    assert reach(function)[1]


def test_plain_numpy_has_nothing_to_trace() -> None:
    alone: dict[str, Any] = {"np": np}
    exec("def plain(x):\n    return np.sum(x)\n", alone)

    assert reach(alone["plain"]) == (False, False)


def test_operators_on_arrays_name_nothing_but_their_file_tells() -> None:
    alone: dict[str, Any] = {"np": anp}
    exec("def cube(x):\n    return x ** 3\n", alone)

    assert reach(alone["cube"]) == (True, False)


def test_a_function_that_is_given_counts_too() -> None:
    assert reach(by_name, calls_grad)[1]
