"""autograd.Functions of the person's own: the class, its backward, and what that returns for each input."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import inside, last_assignment, parameters, value_of
from gradviz.diagnose.modules import user_codes
from gradviz.diagnose.source import Code, Place, as_call, method_of, root_name
from gradviz.trace import model
from gradviz.trace.packing import NODE_CPP, NODE_CUSTOM


@dataclass(frozen=True)
class CustomBackward:
    """The text of one custom backward, as far as it was found."""

    code: Code
    owner: ast.ClassDef
    method: ast.FunctionDef
    returns: tuple[ast.Return, ...]

    @property
    def place(self) -> Place:
        """The last return, or the head of the method."""
        return self.code.place(self.returns[-1]) if self.returns else Place(self.code.path, self.method.lineno)

    @property
    def head(self) -> Place:
        return Place(self.code.path, self.method.lineno)

    def returned(self, index: int) -> ast.expr | None:
        """The expression that the last return gives for input `index`."""
        value = self.returns[-1].value if self.returns else None
        if isinstance(value, ast.Name):
            bound = value_of(last_assignment(self.code, value.id, self.returns[-1]), value.id)
            value = bound if isinstance(bound, ast.Tuple) else value
        if isinstance(value, ast.Tuple):
            return value.elts[index] if index < len(value.elts) else None
        return value if index == 0 else None

    def covers(self, frame: model.Frame) -> bool:
        last = self.method.end_lineno or self.method.lineno
        return frame.file == self.code.path and self.method.lineno <= frame.line <= last

    def source(self, expression: ast.expr | None) -> Place:
        """The line that made what an expression hands on: the binding of the local name it is or begins with."""
        if expression is None:
            return self.place
        name = expression.id if isinstance(expression, ast.Name) else root_name(expression)
        if name and name not in parameters(self.method):
            bound = last_assignment(self.code, name, expression)
            if bound is not None and self.code.scope(bound) is self.method and not self._from_context(bound):
                return self.code.place(bound)
        return self.code.place(expression)

    def _from_context(self, statement: ast.stmt) -> bool:
        return "saved_tensors" in self.code.text(statement) or "ctx." in self.code.text(value_of(statement))

    def inputs(self) -> tuple[str, ...]:
        """The names of forward's inputs, ctx left out."""
        forward = method_of(self.owner, "forward")
        if forward is None:
            return ()
        names = [a.arg for a in forward.args.args]
        takes_context = method_of(self.owner, "setup_context") is None
        return tuple(names[1:] if takes_context else names)

    def line_with(self, words: tuple[str, ...]) -> Place | None:
        """The last line of the method that says one of these words."""
        last = self.method.end_lineno or self.method.lineno
        for number in range(last, self.method.lineno, -1):
            if any(word in self.code.line(number) for word in words):
                return Place(self.code.path, number)
        return None


def custom_backward(case: Case, node: model.Node) -> CustomBackward | None:
    """The text behind a custom node, found by the name of its class."""
    op = case.node_op(node)
    name = node.name.rpartition(".")[2]
    names = [name[: -len("Backward")] if name.endswith("Backward") else name]
    if op is not None:
        names.append(op.name)
    for code in user_codes(case):
        for wanted in names:
            owner = code.class_named(wanted)
            method = method_of(owner, "backward") or method_of(owner, "vjp") if owner is not None else None
            if owner is not None and method is not None:
                found = [s for s in inside(code, method) if isinstance(s, ast.Return)]
                return CustomBackward(code, owner, method, tuple(found))
    return None


def is_call_of(expression: ast.expr | None, name: str) -> bool:
    call = as_call(expression)
    return call is not None and call.function == name


def is_custom(node: model.Node) -> bool:
    return bool(node.flags & (NODE_CUSTOM | NODE_CPP))


def name_of(node: model.Node, found: CustomBackward | None) -> str:
    return found.owner.name if found is not None else node.name


def gradient_count(case: Case, count: int) -> str:
    return case.words("one-gradient") if count == 1 else case.words("gradients", count=count)


def input_name(case: Case, found: CustomBackward | None, index: int) -> str:
    names = found.inputs() if found is not None else ()
    return names[index] if index < len(names) else case.words("input-number", number=index + 1)


def return_place(case: Case, node: model.Node, found: CustomBackward | None) -> Place:
    if found is not None:
        return found.place
    op = case.node_op(node)
    return case.place(op.stack if op is not None else ())
