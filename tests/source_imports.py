"""Reads the import statements of the program's modules, lazy and type-checking ones too, without importing any."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gradviz"


@dataclass(frozen=True)
class Import:
    """One imported name: `from a.b import c` gives module 'a.b' and name 'c', `import a.b` module 'a.b' and no name."""

    module: str
    name: str | None
    line: int
    relative: bool
    typing_only: bool  # under `if TYPE_CHECKING`: never carried out

    @property
    def top(self) -> str:
        return self.module.split(".")[0]


@dataclass(frozen=True)
class Module:
    """One .py file below gradviz/, by its dotted name."""

    name: str
    path: Path

    @property
    def place(self) -> str:
        """The part of the program that it belongs to: 'trace' for gradviz.trace.reader, 'api' for gradviz.api."""
        return self.name.split(".")[1] if "." in self.name else "gradviz"

    @cached_property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, filename=str(self.path))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        return tuple(_imports(self.tree))

    def own_modules(self, known: dict[str, Module], carried_out: bool = False) -> Iterator[tuple[str, int]]:
        """Names of the gradviz modules that it imports, with the line: the submodule where the name is one.

        `carried_out` leaves out what only a type checker reads.
        """
        for item in self.imports:
            if carried_out and item.typing_only:
                continue
            if item.top != "gradviz" or (item.module, item.name) == ("gradviz", "__version__"):
                continue  # a constant that every floor may name
            inner = f"{item.module}.{item.name}"
            yield (inner if inner in known else item.module), item.line

    def at(self, line: int) -> str:
        return f"{self.path.relative_to(ROOT).as_posix()}:{line}"


def all_modules() -> dict[str, Module]:
    """Every module of the program, by dotted name; a package stands for its __init__."""
    modules = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(name, path)
    return modules


def _imports(tree: ast.Module) -> Iterator[Import]:
    for_types = {
        id(inner)
        for statement in ast.walk(tree)
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.dump(statement.test)
        for child in statement.body
        for inner in ast.walk(child)
    }
    for statement in ast.walk(tree):
        typing_only = id(statement) in for_types
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield Import(alias.name, None, statement.lineno, False, typing_only)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                relative = statement.level > 0
                yield Import(statement.module or "", alias.name, statement.lineno, relative, typing_only)
        elif isinstance(statement, ast.Call) and _is_import_module(statement.func) and statement.args:
            first = statement.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield Import(first.value, None, statement.lineno, False, typing_only)


def _is_import_module(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr == "import_module"
    return isinstance(function, ast.Name) and function.id in ("import_module", "__import__")
