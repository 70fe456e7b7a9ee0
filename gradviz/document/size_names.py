"""How the code calls the sizes that it gives: `batch` and `len(x)` in `torch.randn(batch, len(x))`. No Qt.

Only what stands in the call itself counts, so that a name is always true of the tensor that this call made.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from gradviz.trace.model import Shape
from gradviz.trace.syntax import parse_expression

Names = tuple[str, ...]  # one per dimension, "" unknown
LONGEST = 24

SIZED = (
    "rand",
    "randn",
    "zeros",
    "ones",
    "empty",
    "full",
    "randint",
    "view",
    "reshape",
    "expand",
    "new_zeros",
    "new_ones",
)
PARAMETERS: Mapping[str, tuple[Names, Mapping[str, Names]]] = {
    # class -> its constructor's first parameters, and which of them size each tensor of a module
    "Linear": (("in_features", "out_features"), {"weight": ("out_features", "in_features"), "bias": ("out_features",)}),
    "Embedding": (("num_embeddings", "embedding_dim"), {"weight": ("num_embeddings", "embedding_dim")}),
    "LayerNorm": (("normalized_shape",), {"weight": ("normalized_shape",), "bias": ("normalized_shape",)}),
    "RMSNorm": (("normalized_shape",), {"weight": ("normalized_shape",)}),
    "BatchNorm1d": (("num_features",), {"weight": ("num_features",), "bias": ("num_features",)}),
    "BatchNorm2d": (("num_features",), {"weight": ("num_features",), "bias": ("num_features",)}),
    "Conv1d": (("in_channels", "out_channels"), {"weight": ("out_channels", "", ""), "bias": ("out_channels",)}),
    "Conv2d": (("in_channels", "out_channels"), {"weight": ("out_channels", "", "", ""), "bias": ("out_channels",)}),
}


def sizes_in_call(op: str, piece: str, shape: Shape) -> Names:
    """Names of the dimensions of what `piece`, a call of `op`, made; () where it doesn't say."""
    call = _call(piece)
    if call is None or op not in SIZED or _called(call) != op:
        return ()
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    given: Sequence[ast.expr] = call.args
    if "size" in keywords:
        given = [keywords["size"]]
    listed = [argument for argument in given if isinstance(argument, (ast.Tuple, ast.List))]
    sizes = listed[-1].elts if listed else given
    if len(sizes) != len(shape) or any(isinstance(size, ast.Starred) for size in sizes):
        return ()
    if any(isinstance(one, ast.Constant) and one.value != size for one, size in zip(sizes, shape)):
        return ()  # another call than this one, whatever its name
    return tuple(_name(size) for size in sizes)


def sizes_in_constructor(class_name: str, tensor: str, piece: str, shape: Shape) -> Names:
    """Names of a parameter's dimensions from `nn.Linear(features, hidden)`; () where it doesn't say."""
    call, known = _call(piece), PARAMETERS.get(class_name)
    if call is None or known is None or _called(call) != class_name or tensor not in known[1]:
        return ()
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return ()
    given = dict(zip(known[0], call.args))
    given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    names = tuple(_name(given[size]) if size in given else "" for size in known[1][tensor])
    return names if len(names) == len(shape) else ()


def sizes_of_variable(name: str, shape: Shape) -> Names:
    """What is true of any tensor that a variable holds: `len(x)`, `x.shape[1]`."""
    return tuple(f"{name}.shape[{dim}]" if dim else f"len({name})" for dim in range(len(shape)))


def _call(piece: str) -> ast.Call | None:
    try:
        tree = parse_expression(piece.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if isinstance(tree, ast.Call) else None


def _called(call: ast.Call) -> str:
    """The last part of the function's name."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _name(size: ast.expr) -> str:
    """The expression as it stands; "" for a number, which names nothing, and for what is too long to be a name."""
    if not any(isinstance(part, ast.Name) for part in ast.walk(size)):
        return ""
    text = ast.unparse(size)
    return text if len(text) <= LONGEST else ""
