"""Parses Python text, one at a time: until Python 3.12 two threads that build trees at once upset each other's depth
count, and one of them gets a SystemError ("AST constructor recursion depth mismatch").

The parser holds the interpreter from beginning to end; a long text is parsed in pieces, so that the window goes on.
"""

from __future__ import annotations

import ast
import threading
from bisect import bisect_left
from collections.abc import Sequence

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_ONE_AT_A_TIME = threading.Lock()
LONG = 300  # lines: a longer text is parsed in pieces
PIECE = 40  # lines, at least: a few milliseconds
# What a line at the left begins with that goes on with what stands above it, or may do so.
GOES_ON = (" ", "\t", "\n", "#", ")", "]", "}", "'", '"', "\\", "else", "elif", "except", "finally")


def parse_module(source: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """As ast.parse. Raises SyntaxError, ValueError, RecursionError, MemoryError for what is no program."""
    # Other line ends than these count otherwise for Python than for us.
    if isinstance(source, str) and source.count("\n") > LONG and not any(mark in source for mark in "\r\f\0"):
        tree = _in_pieces(source.split("\n"))
        if tree is not None:
            return tree
    with _ONE_AT_A_TIME:
        return ast.parse(source, filename)


def parse_expression(source: str) -> ast.expr:
    """One expression. Raises as parse_module."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, mode="eval").body


def yields(function: FunctionNode) -> bool:
    """Whether it yields itself, not only in a function within."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return False


def _in_pieces(lines: Sequence[str]) -> ast.Module | None:
    """The tree of all lines; None where they are no program, which is best told by parsing them at once.

    A piece that ends amid a string, a bracket or a decorated definition is no program by itself: it is made longer.
    """
    starts = [at for at, line in enumerate(lines) if line and not line.startswith(GOES_ON)]
    body: list[ast.stmt] = []
    begin = 0
    while begin < len(lines):
        length = PIECE
        piece = None
        while piece is None:
            after = bisect_left(starts, begin + length)
            end = starts[after] if after < len(starts) else len(lines)
            piece = _piece(lines, begin, end)
            if piece is None and end == len(lines):
                return None
            length *= 2
        body += piece.body
        begin = end
    return ast.Module(body, [])


def _piece(lines: Sequence[str], begin: int, end: int) -> ast.Module | None:
    try:
        with _ONE_AT_A_TIME:
            tree = ast.parse("\n".join(lines[begin:end]) + "\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if begin:
        ast.increment_lineno(tree, begin)
    return tree
