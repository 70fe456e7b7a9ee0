"""Lists the functions of a file that can be run alone: top-level ones and static methods. The file is read, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gradviz.errors import NotStartedError
from gradviz.trace.syntax import FUNCTIONS, FunctionNode, parse_module, yields

FRAMEWORKS = ("torch", "tensorflow", "autograd.numpy")  # modules that make what a function is given
DIFFERENTIATING = frozenset(
    {"backward", "grad", "gradient", "value_and_grad", "elementwise_grad", "jacobian", "hessian"}
)


@dataclass(frozen=True)
class Parameter:
    """One that can be given by name; `default` and `annotation` are source text, "" = none."""

    name: str
    default: str = ""
    annotation: str = ""

    @property
    def required(self) -> bool:
        return not self.default


@dataclass(frozen=True)
class Function:
    """A function that can be run alone."""

    name: str  # "loss", "Model.loss"
    line: int
    parameters: tuple[Parameter, ...]
    documentation: str = ""  # first line of the docstring
    calls_backward: bool = False
    takes_any: bool = False  # has a **parameter
    framework: str = "torch"  # what its file calls the module whose `ones` makes an argument for it: "tf", "np"


def list_functions(script: Path) -> tuple[Function, ...]:
    """In the order of the file; of two with one name the later. Raises NotStartedError for what can't be read or
    parsed.
    """
    tree = _parsed(script)
    framework = _framework(tree)
    found = {
        name: replace(_function(definition, name), framework=framework)
        for name, definition in _definitions(tree).items()
        if isinstance(definition, ast.FunctionDef) and not _only_makes(definition)
    }
    return tuple(sorted(found.values(), key=lambda function: function.line))


def makes_only(script: Path, name: str) -> str:
    """What calling this function alone only makes: "coroutine", "generator"; "" where it runs. Raises NotStartedError
    as list_functions does.
    """
    definition = _definitions(_parsed(script)).get(name)
    return _only_makes(definition) if definition is not None else ""


def _parsed(script: Path) -> ast.Module:
    """Raises NotStartedError."""
    try:
        return parse_module(script.read_bytes(), str(script))
    except OSError as error:
        raise NotStartedError(f"{script} can't be read: {error.strerror or error}.") from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise NotStartedError(f"{script.name} isn't valid Python: {reason}{line}.") from error


def _framework(tree: ast.Module) -> str:
    """By the file's imports: PyTorch's wins where there are several."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            names.update({f"{package}{alias.name}": alias.asname or alias.name for alias in node.names})
    return next((names[module] for module in FRAMEWORKS if module in names), "torch")


def _definitions(tree: ast.Module) -> dict[str, FunctionNode]:
    """Top-level functions and static methods by name; of two with one name the later."""
    found: dict[str, FunctionNode] = {}
    for statement in _statements(tree.body):
        if isinstance(statement, FUNCTIONS):
            found[statement.name] = statement
        elif isinstance(statement, ast.ClassDef):
            for inner in _statements(statement.body):
                if isinstance(inner, FUNCTIONS) and _is_static(inner) and not _is_autograd(statement):
                    found[f"{statement.name}.{inner.name}"] = inner
    return found


def _only_makes(definition: FunctionNode) -> str:
    """A decorator may make something else of a generator."""
    is_generator = yields(definition)
    if isinstance(definition, ast.AsyncFunctionDef):
        return "generator" if is_generator else "coroutine"
    decorators = [each for each in definition.decorator_list if ast.unparse(each) != "staticmethod"]
    return "generator" if is_generator and not decorators else ""


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Definitions under a top-level `if` or `try` count, those under the main guard don't: it is skipped."""
    for statement in body:
        if isinstance(statement, ast.If):
            if not _is_main_guard(statement.test):
                yield from _statements([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            handlers = [inner for handler in statement.handlers for inner in handler.body]
            yield from _statements([*statement.body, *handlers, *statement.orelse])
        else:
            yield statement


def _is_main_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(test))


def _is_static(function: FunctionNode) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)


def _is_autograd(statement: ast.ClassDef) -> bool:
    """A torch.autograd.Function's forward and backward want a context that only torch can make."""
    return any(ast.unparse(base).split(".")[-1] == "Function" for base in statement.bases)


def _called_name(call: ast.Call) -> str:
    return getattr(call.func, "attr", "") or getattr(call.func, "id", "")


def _function(definition: ast.FunctionDef, name: str) -> Function:
    documentation = (ast.get_docstring(definition) or "").strip().partition("\n")[0]
    calls = any(isinstance(node, ast.Call) and _called_name(node) in DIFFERENTIATING for node in ast.walk(definition))
    arguments = definition.args
    parameters = tuple(_parameters(arguments))
    return Function(name, definition.lineno, parameters, documentation, calls, arguments.kwarg is not None)


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in [
        *zip(positional, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]:
        yield Parameter(
            argument.arg,
            "" if default is None else ast.unparse(default),
            "" if argument.annotation is None else ast.unparse(argument.annotation),
        )
