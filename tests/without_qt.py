"""A pytest plugin that takes Qt away: what lies below the painter has to work on a machine without it.

    pytest -p no:pytest-qt -p tests.without_qt tests/unit

Test files that use Qt themselves, or a package that does, are left out; all others run, and fail if they reach for it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

QT = frozenset({"PySide6", "shiboken6", "pyqtgraph", "pytestqt"})
ON_QT = ("gradviz.draw", "gradviz.export", "gradviz.gui", "gradviz.cli")


class NoQt(MetaPathFinder):
    """Stands before all other finders and has none of it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in QT:
            raise ModuleNotFoundError(f"No module named {name!r} (this run takes Qt away)", name=name)
        return None


def pytest_configure() -> None:
    assert not QT & set(sys.modules), "Qt was imported before it could be taken away: add -p no:pytest-qt"
    sys.meta_path.insert(0, NoQt())


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what is about Qt; None lets the other rules decide."""
    return True if collection_path.suffix == ".py" and is_about_qt(collection_path) else None


def is_about_qt(test_file: Path) -> bool:
    """Whether it uses Qt itself, or a package that does."""
    source = test_file.read_text(encoding="utf-8")
    return "qtbot" in source or any(_is_on_qt(name) for name in _imported(source))


def _is_on_qt(name: str) -> bool:
    return name.partition(".")[0] in QT or f"{name}.".startswith(tuple(f"{package}." for package in ON_QT))


def _imported(source: str) -> set[str]:
    names: set[str] = set()
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Import):
            names.update(alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            names.update(f"{statement.module}.{alias.name}" for alias in statement.names)
    return names
