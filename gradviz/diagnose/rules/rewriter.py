"""Statements of the person's written anew, with a tensor where its numbers stood."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose.dataflow import last_assignment
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.torch_twins import Argument, foreign_function, in_torch, is_list, is_number, makes_array
from gradviz.diagnose.source import Code, called_name
from gradviz.diagnose.vocabulary import COPIERS, plain

_METHODS = frozenset({"detach", "item", "tolist", "numpy", "clone"})  # of a tensor or an array
_CUTTING = _METHODS - {"clone"}
_FUNCTIONS = frozenset({"float", "complex", "array", "asarray", "from_numpy", "float32", "float64"}) | COPIERS
_SEVERAL = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)
_OF_ARRAYS = frozenset({"astype", "copy", "compress", "choose", "partition", "ptp", "tobytes"})  # tensors have none
_LOOSE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)
_BINDS = (ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Compare, ast.Starred)


@dataclass(frozen=True)
class Line:
    """A statement as it should be written; `text` "" = left out."""

    number: int
    text: str


class NotTold(Exception):
    """What to write can't be said."""


class Rewriter:
    """Writes statements anew in which a value has stayed a tensor: what `starts` are, or some names hold."""

    def __init__(
        self,
        code: Code,
        starts: tuple[ast.expr, ...],
        names: frozenset[str],
        lists: tuple[ast.expr, ...] = (),
        depth: int = 1,
        returned: ast.stmt | None = None,
        kept: tuple[ast.AST, ...] = (),
        call: ast.expr | None = None,
    ) -> None:
        """`lists`: expressions that are lists of tensors, by what the recording says, or lists of such lists, `depth`
        deep; `returned`: the statement that receives a list from a function; `kept`: cuts that are meant; `call`: a
        call that gives a tensor.
        """
        self._code = code
        self._depth = depth
        self._returned = returned
        self._kept = kept
        self._call = call
        self._starts = starts
        self._names = names
        self._lists = lists

    def line(self, statement: ast.stmt | None, shows: bool = False) -> Line | None:
        """The statement anew; None where it stays as it is. One that only `shows` something may do as it likes.
        Raises NotTold.
        """
        if statement is None or not self._is_meant(statement):
            return None
        if statement.lineno != statement.end_lineno:
            raise NotTold
        if shows and not _runs_backward(statement):
            return None
        text = self._render(statement)
        if text == self._code.text(statement):
            return None
        target, _, value = text.partition("=")
        nothing_left = isinstance(statement, ast.Expr) and text.isidentifier()
        return Line(statement.lineno, "" if nothing_left or target.strip() == value.strip() else text)

    def _is_start(self, node: ast.AST) -> bool:
        return any(node is each for each in self._starts)

    def _is_meant(self, node: ast.AST) -> bool:
        if self._is_start(node) or node is self._call:
            return True
        if not self._starts and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.id in self._names
        return any(self._is_meant(child) for child in ast.iter_child_nodes(node))

    def _render(self, node: ast.AST) -> str:
        if node is self._call or not self._is_meant(node) or isinstance(node, ast.JoinedStr):  # the last is printed
            return self._code.text(node)
        inner = inner_of(node)
        if inner is not None and self._is_dropped(node, inner):
            if any(inner is each for each in self._lists):
                return _stacked(self._code, inner, self._depth)
            text = self._render(inner)
            return f"torch.stack({text})" if self._is_list(inner) else text
        if isinstance(node, ast.Call) and self._is_meant(node):
            foreign = foreign_function(self._code, node.func)
            if foreign is not None:
                return self._in_torch(node, foreign)
            if isinstance(node.func, ast.Attribute) and node.func.attr in _OF_ARRAYS and self._is_meant(node.func):
                raise NotTold
        if isinstance(node, ast.BinOp) and self._is_meant(node.left) != self._is_meant(node.right):
            return self._beside_array(node)
        return self._spliced(node)

    def _is_dropped(self, node: ast.AST, inner: ast.expr) -> bool:
        """Whether this call gives out its tensor's numbers, or a copy of them, once more."""
        if self._is_start(node):
            return True
        if any(node is each for each in self._kept):
            return False
        name = called_name(node) if isinstance(node, ast.Call) else "data"
        is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.value is inner
        return self._is_meant(inner) and (plain(name) in _CUTTING or name == "data" or not is_method)

    def _spliced(self, node: ast.AST) -> str:
        start = getattr(node, "col_offset", 0)
        row = self._code.text(node).encode("utf-8", "surrogatepass")
        for child in sorted(_children(node), key=lambda each: -each.col_offset):
            old, new = self._code.text(child), self._render(child)
            if new != old:
                was_tight = not isinstance(child, _LOOSE)  # what was loose stands as it must already
                new = tight(new) if isinstance(node, _BINDS) and was_tight else new
                low = child.col_offset - start
                row = row[:low] + new.encode() + row[low + len(old.encode("utf-8", "surrogatepass")) :]
        return row.decode("utf-8", "replace")

    def _is_list(self, node: ast.expr) -> bool:
        if isinstance(node, _SEVERAL) or any(node is each for each in self._lists):
            return True
        if not isinstance(node, ast.Name):
            return False
        received = self._returned is not None and last_assignment(self._code, node.id, node) is self._returned
        return received or is_list(self._code, node)

    def _beside_array(self, node: ast.BinOp) -> str:
        """An operator between a tensor that stays one and something else, which may be an array."""
        other = node.right if self._is_meant(node.left) else node.left
        text = self._spliced(node)
        if not makes_array(self._code, other):
            return text
        old = self._code.text(other)
        start = len(text) - len(old) if other is node.right else 0
        if text[start : start + len(old)] != old:
            raise NotTold
        return f"{text[:start]}torch.as_tensor({old}){text[start + len(old) :]}"

    def _in_torch(self, call: ast.Call, function: str) -> str:
        """A call of math's or numpy's as torch's. Raises NotTold."""
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            raise NotTold
        parts = []
        for argument in call.args:
            text = self._render(argument)
            kind = "tensor" if self._is_meant(argument) else "number" if is_number(argument) else "other"
            parts.append(Argument(f"torch.stack({text})" if self._is_list(argument) else text, kind))
        keywords = {each.arg or "**": self._code.text(each.value) for each in call.keywords}
        written = in_torch(function, parts, keywords)
        if written is None:
            raise NotTold
        return written


def _stacked(code: Code, node: ast.expr, depth: int) -> str:
    """Lists of tensors as one tensor, the inner lists first. Raises NotTold."""
    text = code.text(node)
    if depth == 1:
        return f"torch.stack({text})"
    if not isinstance(node, (ast.List, ast.Tuple, ast.ListComp)):
        raise NotTold
    row = text.encode("utf-8", "surrogatepass")
    for part in reversed(node.elts if not isinstance(node, ast.ListComp) else [node.elt]):
        low = part.col_offset - node.col_offset
        length = len(code.text(part).encode("utf-8", "surrogatepass"))
        row = row[:low] + _stacked(code, part, depth - 1).encode("utf-8", "surrogatepass") + row[low + length :]
    return f"torch.stack({row.decode('utf-8', 'replace')})"


def inner_of(node: ast.AST) -> ast.expr | None:
    """What a call that takes the numbers out of a tensor is given: `x` of `x.item()`, `float(x)`, `torch.tensor(x)`."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and plain(node.func.attr) in _METHODS and not node.args:
        return node.func.value
    if called_name(node) in _FUNCTIONS and node.args and not isinstance(node.args[0], ast.Starred):
        return node.args[0]
    return None


def _children(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of a node that have a place of their own."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        else:
            yield from _children(child)


def _runs_backward(statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Call) and called_name(n) in ("backward", "append") for n in ast.walk(statement))
