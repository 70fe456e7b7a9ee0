"""What the script's own text says: the expression at a recorded place, its operands, the names a statement assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.trace.model import Frame
from gradviz.trace.syntax import parse_module

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
SHORT = 48  # an expression longer than this is not a name that a sentence can carry


@dataclass(frozen=True)
class Place:
    """A stretch of a file, as findings point at it."""

    file: str
    line: int
    column: int = -1
    end_line: int = 0
    end_column: int = -1


@dataclass(frozen=True)
class Call:
    """A call as it is written: what it is called on, its function's last name, its arguments in order."""

    node: ast.Call
    receiver: ast.expr | None
    function: str
    positional: tuple[ast.expr, ...]
    keywords: dict[str, ast.expr]

    def argument(self, position: int, name: str) -> ast.expr | None:
        """The argument of this name, wherever it stands; None when left out or hidden behind a star."""
        if name in self.keywords:
            return self.keywords[name]
        if any(isinstance(a, ast.Starred) for a in self.positional[: position + 1]):
            return None
        return self.positional[position] if position < len(self.positional) else None


class Code:
    """One file of the user's, parsed once. Where it doesn't parse, only its lines are known."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self._bytes = [line.encode("utf-8", "surrogatepass") for line in self.lines]
        try:
            self.tree = parse_module(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # what ast.parse says of text that is no program
            self.tree = ast.Module(body=[], type_ignores=[])
        self._parents: dict[ast.AST, ast.AST] = {}
        self._by_line: dict[int, list[ast.expr | ast.stmt]] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
            if isinstance(node, (ast.expr, ast.stmt)):
                self._by_line.setdefault(node.lineno, []).append(node)

    # -- text
    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def text(self, node: ast.AST | None) -> str:
        """The node as the person wrote it, on one line."""
        if not isinstance(node, (ast.expr, ast.stmt)) or node.end_lineno is None or node.end_col_offset is None:
            return ""
        rows = self._bytes[node.lineno - 1 : node.end_lineno]
        if not rows:
            return ""
        rows = [*rows[:-1], rows[-1][: node.end_col_offset]]
        rows[0] = rows[0][node.col_offset :]
        return " ".join(row.decode("utf-8", "replace").strip() for row in rows).strip()

    def short(self, node: ast.AST | None) -> str:
        """The text where it is short enough to stand in a sentence, "" otherwise."""
        text = self.text(node)
        return text if len(text) <= SHORT else ""

    def place(self, node: ast.AST | None, line: int = 1) -> Place:
        if not isinstance(node, (ast.expr, ast.stmt)):
            return Place(self.path, line)
        return Place(self.path, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or -1)

    # -- where a frame points
    def expression(self, frame: Frame, function: str = "") -> ast.expr | ast.stmt | None:
        """The expression or statement that was running. `function` chooses among several on a line without columns."""
        here = self._by_line.get(frame.line, [])
        if frame.column >= 0:
            exact = [
                node
                for node in here
                if node.col_offset == frame.column
                and node.end_lineno == frame.end_line
                and node.end_col_offset == frame.end_column
            ]
            if exact:
                return exact[-1] if isinstance(exact[-1], ast.expr) else exact[0]
        calls = [node for node in here if isinstance(node, ast.Call) and called_name(node) == function]
        if len(calls) == 1:
            return calls[0]
        return self.statement(frame.line)

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that covers this line; a compound one only by its head."""
        best: ast.stmt | None = None
        for node in self.statements():
            last = node.end_lineno or node.lineno
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                last = max(node.lineno, body[0].lineno - 1)
            if node.lineno <= line <= last and (best is None or node.lineno >= best.lineno):
                best = node
        return best

    def statements(self) -> Iterator[ast.stmt]:
        for nodes in self._by_line.values():
            yield from (node for node in nodes if isinstance(node, ast.stmt))

    # -- what surrounds a node
    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        while (above := self._parents.get(node)) is not None:
            yield above
            node = above

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        if isinstance(node, ast.stmt):
            return node
        return next((above for above in self.parents(node) if isinstance(above, ast.stmt)), None)

    def scope(self, node: ast.AST) -> Scope:
        """The function that the node stands in, or the module."""
        for above in self.parents(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return above
        return self.tree

    def loop(self, node: ast.AST) -> ast.For | ast.While | None:
        """The innermost loop of its own function that the node stands in."""
        for above in self.parents(node):
            if isinstance(above, (ast.For, ast.While)):
                return above
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                return None
        return None

    def class_named(self, name: str) -> ast.ClassDef | None:
        found = [n for n in self.statements() if isinstance(n, ast.ClassDef) and n.name == name]
        return found[-1] if found else None

    def function_named(self, name: str) -> ast.FunctionDef | None:
        found = [n for n in self.statements() if isinstance(n, ast.FunctionDef) and n.name == name]
        return found[-1] if len(found) == 1 else None


def called_name(node: ast.Call) -> str:
    """The last name of what is called: 'backward' of `a.b.backward()`."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def as_call(node: ast.AST | None) -> Call | None:
    """The call that this node is, or that makes up the whole statement or assigned value."""
    if isinstance(node, (ast.Expr, ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        node = node.value
    while isinstance(node, (ast.Subscript, ast.Await)):  # grad(...)[0]
        node = node.value
    if not isinstance(node, ast.Call):
        return None
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
    return Call(node, receiver, called_name(node), tuple(node.args), keywords)


def method_of(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def targets(statement: ast.AST | None) -> list[ast.expr]:
    """What a statement assigns to, tuples taken apart."""
    if isinstance(statement, ast.Assign):
        waiting = list(statement.targets)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For)):
        waiting = [statement.target]
    elif isinstance(statement, ast.With):
        waiting = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    else:
        return []
    found: list[ast.expr] = []
    while waiting:
        target = waiting.pop(0)
        if isinstance(target, (ast.Tuple, ast.List)):
            waiting[:0] = target.elts
        elif isinstance(target, ast.Starred):
            waiting.insert(0, target.value)
        else:
            found.append(target)
    return found


def root_name(node: ast.AST | None) -> str:
    """The name that a chain of attributes, calls on it and subscripts begins with: 'x' of `x.view(2)[0].T`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST | None) -> set[str]:
    """Every name that is read in an expression; `self.fc` counts as 'self.fc'."""
    found: set[str] = set()
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self":
            found.add(f"self.{part.attr}")
    return found
