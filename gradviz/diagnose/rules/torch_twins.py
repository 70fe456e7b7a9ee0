"""Calls of math and numpy written with torch's functions, so that they run on tensors and keep their graph."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradviz.diagnose.dataflow import assigned_names, assignments, fed_names
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import Code, called_name

_FOREIGN = frozenset({"math", "numpy", "cmath"})
# Of one tensor, under the same name and with the same meaning.
_OF_ONE = frozenset({
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "log", "log10", "log1p",
    "log2", "sin", "sinh", "sqrt", "square", "tan", "tanh", "linalg.norm", "linalg.det", "linalg.inv",
})  # fmt: skip
_RENAMED = {
    "fabs": "abs", "absolute": "abs", "arccos": "acos", "arcsin": "asin", "arctan": "atan", "power": "pow",
}  # fmt: skip
_REDUCTIONS = frozenset({"sum", "mean", "prod"})
_KEYWORDS = {"axis": "dim", "keepdims": "keepdim"}
_LISTS = (ast.List, ast.ListComp)


@dataclass(frozen=True)
class Argument:
    """One argument as it is to be written; `kind` is tensor, number or other: what the text doesn't tell."""

    text: str
    kind: str

    @property
    def as_tensor(self) -> str:
        return self.text if self.kind == "tensor" else f"torch.as_tensor({self.text})"


def in_torch(function: str, given: Sequence[Argument], keywords: Mapping[str, str]) -> str | None:
    """The call of torch's; None where there is none that surely runs."""
    name = _RENAMED.get(function, function)
    if name in _REDUCTIONS:
        return _reduction(name, given, keywords)
    if keywords or not given:
        return None
    if name in _OF_ONE and len(given) == 1:
        return f"torch.{name}({given[0].text})"
    if len(given) == 2:
        return _of_two(name, *given)
    if name == "clip" and len(given) == 3:
        return f"torch.clip({', '.join([given[0].as_tensor, *_alike(given[1:])])})"
    if name == "where" and len(given) == 3:
        values = [each.text if each.kind == "number" else each.as_tensor for each in given[1:]]
        return f"torch.where({given[0].as_tensor}, {', '.join(values)})"
    return None


def _reduction(name: str, given: Sequence[Argument], keywords: Mapping[str, str]) -> str | None:
    if not given or len(given) > 2 or not set(keywords) <= set(_KEYWORDS) or (name == "prod" and keywords):
        return None
    if given[0].kind != "tensor" or ("keepdims" in keywords and len(given) == 1 and "axis" not in keywords):
        return None
    parts = [each.text for each in given] + [f"{_KEYWORDS[key]}={text}" for key, text in keywords.items()]
    return f"torch.{name}({', '.join(parts)})"


def _of_two(name: str, first: Argument, second: Argument) -> str | None:
    """torch.maximum and its like take no Python number; clamp does."""
    if name in ("maximum", "minimum"):
        bound = "min" if name == "maximum" else "max"
        for one, other in ((first, second), (second, first)):
            if one.kind == "tensor" and other.kind == "number":
                if name == "maximum" and other.text in ("0", "0.0", "0."):
                    return f"torch.relu({one.text})"
                return f"{tight(one.text)}.clamp({bound}={other.text})"
        return f"torch.{name}({first.as_tensor}, {second.as_tensor})"
    if name == "pow":
        parts = [each.text if each.kind == "number" else each.as_tensor for each in (first, second)]
        return f"torch.pow({', '.join(parts)})"
    if name == "outer":
        return f"torch.outer({first.as_tensor}, {second.as_tensor})"
    if name in ("dot", "matmul"):  # of matrices too, as numpy's dot
        like = first if first.kind == "tensor" else second
        parts = [
            each.text if each.kind == "tensor" else f"torch.as_tensor({each.text}, dtype={tight(like.text)}.dtype)"
            for each in (first, second)
        ]
        return f"torch.matmul({', '.join(parts)})"
    return None


def _alike(bounds: Sequence[Argument]) -> list[str]:
    """clip takes two numbers or two tensors, and no mixture."""
    if all(each.kind == "number" for each in bounds):
        return [each.text for each in bounds]
    return [each.text if each.text == "None" else each.as_tensor for each in bounds]


def foreign_function(code: Code, function: ast.expr) -> str | None:
    """The name of a function of math or numpy, which take no tensor, 'linalg.norm' for one; None of all others."""
    name = ""
    while isinstance(function, ast.Attribute):
        name = f"{function.attr}.{name}" if name else function.attr
        function = function.value
    if not isinstance(function, ast.Name):
        return None
    module = _imported(code, function.id)
    if module in _FOREIGN and name:
        return name
    package, _, own = module.rpartition(".")
    return f"{own}.{name}" if name and package in _FOREIGN else own if package in _FOREIGN and own else None


def _imported(code: Code, name: str) -> str:
    """What a name was bound to by an import: 'numpy', or 'math.sqrt' of `from math import sqrt`; "" for none."""
    for statement in code.statements():
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    package = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
                    return package + alias.name
    return ""


def is_number(node: ast.expr) -> bool:
    """Whether it is written as a number, or as None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (int, float)))


def is_list(code: Code, name: ast.Name) -> bool:
    """Whether the variable holds a list: it is bound to one, or appended to."""
    bound = [getattr(s, "value", None) for s in assignments(code, name.id, name)]
    if any(isinstance(value, _LISTS) or _is_call(value, "list") for value in bound):
        return True
    return any(name.id in fed_names(s) and name.id not in assigned_names(s) for s in code.statements())


def makes_array(code: Code, node: ast.expr) -> bool:
    """Whether it is a call of numpy's, or a variable that is bound to one."""
    if isinstance(node, ast.Call):
        return foreign_function(code, node.func) is not None and not _is_of_math(code, node.func)
    if not isinstance(node, ast.Name):
        return False
    bound = [getattr(s, "value", None) for s in assignments(code, node.id, node)]
    return any(isinstance(value, ast.Call) and makes_array(code, value) for value in bound)


def _is_of_math(code: Code, function: ast.expr) -> bool:
    root = function.value if isinstance(function, ast.Attribute) else function
    return isinstance(root, ast.Name) and _imported(code, root.id).partition(".")[0] in ("math", "cmath")


def _is_call(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Call) and called_name(node) == name
