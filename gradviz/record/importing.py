"""What boot.py puts on `sys.meta_path`: our recorder for itself, and a word when the script imports a framework.

Nothing of the app gets onto the script's path. The standard modules that only the recorder loaded leave `sys.modules`
again where the script must find its own: a file of that name beside it, or modules whose import has effects of its own.
The finders and loaders have no base class: importlib.abc would load a dozen modules more.
"""

from __future__ import annotations

import atexit
import builtins
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).absolute().parent.parent
OURS = ("gradviz.record", "gradviz.trace", "gradviz.errors")
BUILTINS = dict(builtins.__dict__)  # as Python had them
OWN_COPY = "multiprocessing"  # importing it registers things that the script must see registered in its own order


class OwnFinder:
    """Finds gradviz.{record,trace,errors}; other parts only where the script could import gradviz without us."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "gradviz" and not name.startswith("gradviz."):
            return None
        if name == "gradviz":
            file = PACKAGE / "__init__.py"
            spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[])
            assert spec is not None
            spec.submodule_search_locations = []  # again: an empty one was filled with the package's folder
            return spec
        if any(name == ours or name.startswith(ours + ".") for ours in OURS):
            return self._own(name)
        installed = PathFinder.find_spec("gradviz")
        if installed is None or installed.submodule_search_locations is None:
            return None
        return PathFinder.find_spec(name, list(installed.submodule_search_locations))

    def _own(self, name: str) -> ModuleSpec | None:
        base = PACKAGE.joinpath(*name.split(".")[1:])
        package = base / "__init__.py"
        if package.is_file():
            loader = SilentLoader(name, str(package))
            return importlib.util.spec_from_file_location(
                name, package, loader=loader, submodule_search_locations=[str(base)]
            )
        file = base.with_suffix(".py")
        if file.is_file():
            return importlib.util.spec_from_file_location(name, file, loader=SilentLoader(name, str(file)))
        return None


class SilentLoader(SourceFileLoader):
    """Loads a module of ours: its frames never swallow a warning, see ownwarnings.py, and its functions find Python's
    own sum, max and the like, whatever a script puts in their places.
    """

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = BUILTINS
        super().exec_module(module)
        module.__dict__["__warningregistry__"] = None


class FrameworkWatch:
    """Calls `imported(name)` right after the first import of each framework in `names` succeeded."""

    def __init__(self, names: Sequence[str], imported: Callable[[str], None]) -> None:
        self._names = set(names)
        self._imported = imported

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._names:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = WatchedLoader(spec.loader, self)  # type: ignore[assignment]  # no ABC, see above
                return spec
        return None

    def loaded(self, name: str) -> None:
        """Its module ran to the end. Told once, though finders of the script's may have asked for its spec twice."""
        if name in self._names:
            self._names.discard(name)
            self._imported(name)


class WatchedLoader:
    """Stands in for a framework's loader during its first import only, and is gone when its code runs."""

    def __init__(self, loader: Any, watch: FrameworkWatch) -> None:
        self._loader = loader
        self._watch = watch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._watch.loaded(name)


def leave_own_copies(before: set[str], script_folder: str | None) -> None:
    """Take out of `sys.modules` what only the recorder loaded and the script must load itself: modules that a file of
    its own hides, and those that have imported one of them, so that they fail or not just as in a bare run.
    """
    added = {name for name in set(sys.modules) - before if name.partition(".")[0] != "gradviz"}
    hidden = {name for name in added if script_folder is not None and _shadowed(name.partition(".")[0], script_folder)}
    leaving = {name for name in added if name.partition(".")[0] == OWN_COPY}
    for name in leaving | (_importers(hidden, added) if hidden else hidden):
        module = sys.modules.pop(name)
        if name == "multiprocessing.util":
            atexit.unregister(module._exit_function)


def _importers(hidden: set[str], added: set[str]) -> set[str]:
    """`hidden`, and all of `added` that import one of them while they load, directly or not."""
    imports = {name: _imported_names(name) for name in added}
    found, size = set(hidden), -1
    while len(found) > size:
        size = len(found)
        found |= {name for name, names in imports.items() if not names.isdisjoint(found)}
    return found


def _imported_names(name: str) -> set[str]:
    """Of a loaded module: the names that its own code uses, and so all that it imports while it loads."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    get_code = getattr(getattr(spec, "loader", None), "get_code", None)
    try:
        code = get_code(name) if get_code is not None else None
    except (ImportError, OSError):  # nothing to be read any more
        code = None
    names = set(code.co_names) if code is not None else set()
    package = spec.parent if spec is not None else ""
    names |= {f"{package}.{each}" for each in names} if package else set()
    return names | {each.partition(".")[0] for each in names}


def _shadowed(name: str, folder: str) -> bool:
    return Path(folder, f"{name}.py").is_file() or Path(folder, name, "__init__.py").is_file()
