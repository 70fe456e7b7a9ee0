"""The tensor functions that can be worked out on paper, in numpy."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # a numpy array, or a number where torch takes one too


class NotOnPaper(Exception):
    """Something in the text that isn't plainly understood."""


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _softmax(x: Array, dim: int = -1) -> Array:
    e = np.exp(x - x.max(axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)


def _reduced(function: Callable[..., Array]) -> Callable[..., Array]:
    def reduced(x: Array, dim: Any = None, keepdim: bool = False, axis: Any = None) -> Array:
        return np.asarray(function(np.asarray(x), axis=dim if axis is None else axis, keepdims=keepdim))

    return reduced


def _sizes(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    flat = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple) else sizes
    return tuple(int(size) for size in flat)


def _reshape(x: Array, *sizes: Any) -> Array:
    return np.reshape(x, _sizes(sizes))


def _expand(x: Array, *sizes: Any) -> Array:
    wanted = list(_sizes(sizes))
    for at in range(1, np.ndim(x) + 1):
        if wanted[-at] == -1:
            wanted[-at] = np.shape(x)[-at]
    return np.broadcast_to(x, wanted)


def _clamp(x: Array, min: Array = None, max: Array = None) -> Array:  # torch's own names, given as keywords
    return np.clip(x, min, max)


def _transpose(x: Array, first: int, second: int) -> Array:
    return np.swapaxes(x, first, second)


def _same(x: Array, *_: Any, **__: Any) -> Array:
    return x


def _size(x: Array, dim: int | None = None) -> Any:
    return tuple(np.shape(x)) if dim is None else np.shape(x)[dim]


def _squeeze(x: Array, dim: int | None = None) -> Array:
    return np.squeeze(x, axis=dim) if dim is None or np.shape(x)[dim] == 1 else x


BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.MatMult: np.matmul,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "square": np.square,
    "abs": np.abs,
    "sign": np.sign,
    "neg": np.negative,
    "reciprocal": np.reciprocal,
    "round": np.round,
    "floor": np.floor,
    "ceil": np.ceil,
    "sigmoid": _sigmoid,
    "relu": lambda x: np.maximum(x, 0),
    "softmax": _softmax,
    "pow": np.power,
    "mul": np.multiply,
    "add": np.add,
    "sub": np.subtract,
    "div": np.divide,
    "matmul": np.matmul,
    "mm": np.matmul,
    "bmm": np.matmul,
    "dot": np.dot,
    "outer": np.outer,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "where": np.where,
    "sum": _reduced(np.sum),
    "mean": _reduced(np.mean),
    "t": np.transpose,
    "transpose": _transpose,
    "view": _reshape,
    "reshape": _reshape,
    "view_as": lambda x, other: np.reshape(x, np.shape(other)),
    "reshape_as": lambda x, other: np.reshape(x, np.shape(other)),
    "expand": _expand,
    "expand_as": lambda x, other: np.broadcast_to(x, np.shape(other)),
    "unsqueeze": lambda x, dim: np.expand_dims(x, dim),
    "squeeze": _squeeze,
    "clamp": _clamp,
    "clamp_min": lambda x, low: np.maximum(x, low),
    "clamp_max": lambda x, high: np.minimum(x, high),
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
    "size": _size,
    "numel": np.size,
    **dict.fromkeys(("clone", "detach", "contiguous", "to", "float", "double", "type_as", "data"), _same),
}
# Jumps, is flat somewhere, or is cut off by hand: whoever writes a backward for it means a stand-in for its slope.
UNSMOOTH = frozenset({"sign", "round", "floor", "ceil", "where", "detach", "data"})
