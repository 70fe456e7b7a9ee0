"""The same small programs for every framework: the contract that every frontend keeps.

A program is written once, against `Arrays`: what it needs of a framework. A further framework joins by an Arrays of its
own, and by a way to record it in contract_runs.py. Inputs are the same numbers everywhere, float64. This file needs
numpy only: it is read by each framework's own interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Inputs = tuple[np.ndarray, ...]
Body = Callable[["Arrays", Any], Any]


class Arrays(Protocol):
    """What the programs need of a framework."""

    def constant(self, array: np.ndarray) -> Any: ...
    def matmul(self, a: Any, b: Any) -> Any: ...
    def exp(self, a: Any) -> Any: ...
    def tanh(self, a: Any) -> Any: ...
    def sqrt(self, a: Any) -> Any: ...
    def log(self, a: Any) -> Any: ...
    def total(self, a: Any) -> Any: ...
    def reshape(self, a: Any, shape: tuple[int, ...]) -> Any: ...
    def misshapen(self, a: Any) -> Any: ...  # twice its argument; its gradient comes without the first dimension
    def differentiate(self, body: Body, inputs: Inputs) -> Inputs: ...
    def descend(self, bodies: Sequence[Body], start: np.ndarray) -> None: ...  # a step down each, one after the other


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


def weighted(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.constant(np.linspace(-1.0, 1.0, 6).reshape(2, 3)) * given[0])


def scaled(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.tanh(arrays.constant(np.array([3.0, -2.0, 0.5])) * given[0]))


def meeting(arrays: Arrays, given: Any) -> Any:
    h = arrays.exp(given[0])
    return arrays.total(h * h + h)


def born_infinite(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.sqrt(given[0]))


def logarithm(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.log(given[0]))


def square(arrays: Arrays, given: Any) -> Any:
    return arrays.total(given[0] * given[0])


def misshapen_gradient(arrays: Arrays, given: Any) -> Any:
    return arrays.total(arrays.misshapen(arrays.exp(given[0])))


PROGRAMS = {
    "chain": Program(chain, (np.array([0.1, -0.2, 0.3]),), ("sum", "tanh", "exp")),
    "reused": Program(reused, (np.array([[0.5, -1.0], [2.0, 0.25]]),), ("sum", "mul", "tanh")),
    "layer": Program(layer, (np.linspace(0.1, 0.6, 6).reshape(3, 2),), ("sum", "tanh", "matmul")),
    "reshaped": Program(reshaped, (np.linspace(0.0, 1.0, 6),), ("sum", "exp", "reshape")),
    "stretched": Program(stretched, (np.zeros((2, 1)),), ("sum", "mul", "sub", "exp", "matmul"), "silent-broadcast"),
    "weighted": Program(weighted, (np.linspace(-1.0, 1.0, 3),), ("sum", "mul")),
    "scaled": Program(scaled, (np.linspace(-1.0, 1.0, 3),), ("sum", "tanh", "mul")),
    "meeting": Program(meeting, (np.linspace(-1.0, 1.0, 3),), ("sum", "add", "mul", "exp")),
    "born_infinite": Program(born_infinite, (np.array([0.0, 1.0]),), ("sum", "sqrt"), "non-finite-gradient"),
    "misshapen": Program(
        misshapen_gradient, (np.ones((2, 3)),), ("sum", "misshapen", "exp"), "custom-backward-wrong-shape"
    ),
}


# Several passes in one script, and the calls that findings are told at.
def two_faults(arrays: Arrays) -> None:
    """The second has nothing to do with the first."""
    arrays.differentiate(born_infinite, (np.array([0.0, 1.0]),))
    arrays.differentiate(logarithm, (np.array([2.0, 0.0]),))


def one_fault_that_spreads(arrays: Arrays) -> None:
    """The second begins with what the first made."""
    arrays.descend((born_infinite, square), np.array([0.0, 1.0]))


SCRIPTS: dict[str, tuple[Callable[[Arrays], None], list[str]]] = {
    "two_faults": (two_faults, ["sqrt", "log"]),
    "one_fault_that_spreads": (one_fault_that_spreads, ["sqrt"]),
}
