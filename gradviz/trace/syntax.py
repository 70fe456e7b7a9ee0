"""Parses Python text, one at a time: until Python 3.12 two threads that build trees at once upset each other's depth
count, and one of them gets a SystemError ("AST constructor recursion depth mismatch")."""

from __future__ import annotations

import ast
import threading

_ONE_AT_A_TIME = threading.Lock()


def parse_module(source: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """As ast.parse. Raises SyntaxError, ValueError, RecursionError, MemoryError for what is no program."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, filename)


def parse_expression(source: str) -> ast.expr:
    """One expression. Raises as parse_module."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, mode="eval").body
