"""Works out a custom forward or backward on paper: its text is read and calculated with numpy, none of it is run.

Only what is plainly understood is worked out: straight lines of arithmetic and common tensor functions. Anything else
raises NotOnPaper, and then nothing is said about it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradviz.diagnose.paper_functions import BINARY, COMPARE, FUNCTIONS, UNSMOOTH, NotOnPaper

MOST_STEPS = 2000


class Context:
    """The ctx of a Function: what forward leaves for backward."""

    def __init__(self) -> None:
        self.saved: tuple[Any, ...] = ()
        self.kept: dict[str, Any] = {}


class Paper:
    """One calculation of one method. `modules` are names such as torch and F, whose functions are looked up by name."""

    def __init__(self, context: Context, names: Mapping[str, Any], ctx_name: str, modules: set[str]) -> None:
        self.context = context
        self.names = dict(names)
        self.ctx_name = ctx_name
        self.modules = modules
        self.smooth = True
        self._steps = 0

    def run(self, method: ast.FunctionDef) -> Any:
        """What the method returns."""
        done, value = self._block(method.body)
        if not done:
            raise NotOnPaper("it returns nothing")
        return value

    def _block(self, body: list[ast.stmt]) -> tuple[bool, Any]:
        for statement in body:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise NotOnPaper("too long")
            if isinstance(statement, ast.Return):
                return True, self.value(statement.value) if statement.value is not None else None
            if isinstance(statement, ast.If):
                done, value = self._block(statement.body if self._truth(statement.test) else statement.orelse)
                if done:
                    return True, value
            else:
                self._statement(statement)
        return False, None

    def _truth(self, test: ast.expr) -> bool:
        value = self.value(test)
        if isinstance(value, np.ndarray) and value.size != 1:
            raise NotOnPaper("a condition on a tensor")
        return bool(value)

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            value = self.value(statement.value)
            for target in statement.targets:
                self._bind(target, value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._bind(statement.target, self.value(statement.value))
        elif isinstance(statement, ast.Expr):
            self._remark(statement.value)
        elif not isinstance(statement, ast.Pass):
            raise NotOnPaper(type(statement).__name__)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, tuple) and len(value) == len(target.elts):
            for one, part in zip(target.elts, value):
                self._bind(one, part)
        elif isinstance(target, ast.Attribute) and self._is_context(target.value):
            self.context.kept[target.attr] = value
        else:
            raise NotOnPaper("an assignment")

    def _remark(self, node: ast.expr) -> None:
        """A docstring, or ctx.save_for_backward(...); ctx.mark_... changes no number."""
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self._is_context(node.func.value):
            if node.func.attr == "save_for_backward":
                self.context.saved = tuple(self.value(a) for a in node.args)
                return
            if node.func.attr.startswith(("mark_", "set_")):
                return
        raise NotOnPaper("a call for its effect")

    def _is_context(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.ctx_name

    # -- expressions

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                raise NotOnPaper(node.id)
            return self.names[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.value(one) for one in node.elts)
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            return self._binary(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self._truth(node.test) else node.orelse)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise NotOnPaper(type(node).__name__)

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        for one in (left, right):
            whole = isinstance(one, int) and abs(one) > MOST_STEPS  # a recording may come from anywhere: 9 ** 9 ** 9
            if whole or not isinstance(one, (np.ndarray, np.generic, float, int)):
                raise NotOnPaper("arithmetic on something else")
        return BINARY[type(node.op)](left, right)

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return -value
        if isinstance(node.op, ast.Not):
            return not value
        raise NotOnPaper("an operator")

    def _compare(self, node: ast.Compare) -> Any:
        left, right = self.value(node.left), self.value(node.comparators[0])
        if isinstance(node.ops[0], ast.Is):
            return left is right
        if isinstance(node.ops[0], ast.IsNot):
            return left is not right
        made = COMPARE.get(type(node.ops[0]))
        if made is None:
            raise NotOnPaper("a comparison")
        self.smooth = self.smooth and not isinstance(left, np.ndarray)
        return made(left, right)

    def _attribute(self, node: ast.Attribute) -> Any:
        if self._is_context(node.value):
            if node.attr in ("saved_tensors", "saved_variables"):
                return self.context.saved
            if node.attr in self.context.kept:
                return self.context.kept[node.attr]
            raise NotOnPaper(f"ctx.{node.attr}")
        value = self.value(node.value)
        if isinstance(value, np.ndarray) and node.attr in ("T", "mT"):
            return value.swapaxes(-1, -2) if value.ndim > 1 else value
        if isinstance(value, np.ndarray) and node.attr == "shape":
            return tuple(value.shape)
        if isinstance(value, np.ndarray) and node.attr in ("dtype", "device"):
            return None
        raise NotOnPaper(node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "needs_input_grad":
            return True
        return self.value(node.value)[self._index(node.slice)]

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            return slice(*(None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)))
        if isinstance(node, ast.Tuple):
            return tuple(self._index(part) for part in node.elts)
        value = self.value(node)
        if not isinstance(value, (int, type(None), type(Ellipsis))):
            raise NotOnPaper("an index")
        return value

    def _call(self, node: ast.Call) -> Any:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise NotOnPaper("stars")
        if not isinstance(node.func, ast.Attribute):
            raise NotOnPaper("a function of the script's own")
        name, receiver = node.func.attr, node.func.value
        arguments = [self.value(a) for a in node.args]
        if not self._names_module(receiver):
            arguments.insert(0, self.value(receiver))
        made = FUNCTIONS.get(name)
        if made is None or not arguments or not isinstance(arguments[0], (np.ndarray, np.generic, float, int, tuple)):
            raise NotOnPaper(name)
        self.smooth = self.smooth and name not in UNSMOOTH
        keywords = {str(k.arg): self.value(k.value) for k in node.keywords if k.arg not in ("dtype", "device")}
        return made(*arguments, **keywords)

    def _names_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.modules and node.id not in self.names
