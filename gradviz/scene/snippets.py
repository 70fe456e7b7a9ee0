"""The piece of the user's source that made a node, short enough for its second line."""

from __future__ import annotations

import ast
from functools import lru_cache

from gradviz.trace.model import Frame
from gradviz.trace.syntax import parse_expression

_LONG = 14  # characters of an operand that is still written out
_LIBRARIES = {"torch", "F", "nn", "np", "anp", "numpy", "tf", "functional", "math", "linalg"}


def source_piece(text: str | None, frame: Frame) -> str:
    """The source that a frame's span covers, on one line; "" where the span isn't known. Columns are UTF-8 bytes."""
    if text is None or frame.column < 0 or frame.end_column < 0 or frame.end_line - frame.line > 20:
        return ""
    lines = text.splitlines()[frame.line - 1 : frame.end_line]
    if len(lines) != frame.end_line - frame.line + 1 or not lines:
        return ""
    raw = [line.encode() for line in lines]
    raw[-1] = raw[-1][: frame.end_column]
    raw[0] = raw[0][frame.column :]
    return " ".join(piece.decode(errors="replace").strip() for piece in raw)


@lru_cache(maxsize=4096)
def short_piece(piece: str) -> str:
    """`top.pow(2).sum(1)` -> `.sum(1)`, `torch.linalg.eigh(a)` -> `eigh`, `a.b.c.d + w` -> `… + w`."""
    if not piece:
        return ""
    try:
        tree = parse_expression(piece.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a statement, or a piece cut from one
        return piece
    if isinstance(tree, ast.BinOp):
        return _operation(piece, tree)
    if isinstance(tree, ast.Call):
        return _call(piece, tree)
    return piece


def first_argument(piece: str) -> str:
    """The name of the tensor given to `out.backward(z)` or `gradient=z`; "" where it isn't a name."""
    try:
        tree = parse_expression(piece.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if not isinstance(tree, ast.Call):
        return ""
    named = {keyword.arg: keyword.value for keyword in tree.keywords}
    given = named.get("gradient") or named.get("grad_outputs") or (tree.args[0] if tree.args else None)
    return given.id if isinstance(given, ast.Name) else ""


def _operation(piece: str, tree: ast.BinOp) -> str:
    left, right = (ast.get_source_segment(piece, side) or "" for side in (tree.left, tree.right))
    between = piece[len(left) : len(piece) - len(right)].strip("() ") if piece.startswith(left) else ""
    sides = [side if len(side) <= _LONG else "…" for side in (left, right)]
    if not between or len(between) > 3:
        return piece
    return f"{sides[0]} {between} {sides[1]}"


def _call(piece: str, tree: ast.Call) -> str:
    if not isinstance(tree.func, ast.Attribute):
        return piece
    root: ast.expr = tree.func.value
    while isinstance(root, ast.Attribute):
        root = root.value
    arguments = ", ".join(ast.get_source_segment(piece, each) or "" for each in tree.args)
    if isinstance(root, ast.Name) and root.id in _LIBRARIES:
        return tree.func.attr
    return f".{tree.func.attr}({arguments if len(arguments) <= _LONG else '…'})"
