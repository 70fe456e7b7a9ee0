"""Expressions of the person's inside a line to write: in parentheses where an operator in them would bind wrongly."""

from __future__ import annotations

import ast

from gradviz.trace.syntax import parse_expression

# What a dot, a bracket or an operator may follow at once.
_TIGHT = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.JoinedStr,
)


def tight(text: str) -> str:
    """The expression such that `.sum()` or `* 2` may be put behind it; what is no expression stays as it is."""
    try:
        node = parse_expression(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    whole = node.col_offset > 0  # it stands in parentheses already
    number = isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))
    loose = number or not isinstance(node, (*_TIGHT, ast.Constant))
    return f"({text})" if loose and not whole else text
