"""The three things that can be run: a script, a module with -m, or one function of a file."""

from __future__ import annotations

import importlib
import runpy
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Callable, Protocol

from gradviz.record.badoption import BadOption
from gradviz.record.mainmodule import fresh_main, script_file, script_folder
from gradviz.record.source import compiled

# What arguments and seeds may name though the file doesn't, once its framework is loaded.
NAMED = {"torch": "torch", "tf": "tensorflow", "np": "numpy"}


class Running(Protocol):
    """What a target needs of the session (session.py) while it runs."""

    phase: str
    script_names: Mapping[str, Any]

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]: ...

    def offer_backward(
        self, result: Any, seed_expression: str | None, names: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None: ...


class ScriptTarget:
    """`python SCRIPT ARGS`; at its end backward from the tensor that it calls `offered`, if that is asked for."""

    def __init__(self, script: str, offered: str = "", seed_expression: str | None = None) -> None:
        self.given = script
        self._offered = offered
        self._seed_expression = seed_expression
        self.file: str | None = script_file(script)
        self.search_path: str | None = script_folder(script)
        self.main: ModuleType | None = None
        self._code: CodeType | None = None

    def prepare(self) -> None:
        """Compile. Raises OSError or source.COMPILE_ERRORS."""
        assert self.file is not None
        self._code = compiled(Path(self.file).read_bytes(), self.file)
        self.main = fresh_main(self.file)

    def run(self, session: Running) -> None:
        assert self.main is not None and self._code is not None
        session.script_names = self.main.__dict__
        exec(self._code, self.main.__dict__)
        if self._offered in self.main.__dict__:
            names = self.main.__dict__
            session.offer_backward(names[self._offered], self._seed_expression, names, {})


class ModuleTarget:
    """`python -m MODULE ARGS`, by the very function that Python itself calls for it."""

    def __init__(self, module: str) -> None:
        self.given = module
        self.file: str | None = None
        self.search_path: str | None = str(Path.cwd())
        self.main: ModuleType | None = None

    def prepare(self) -> None:
        self.main = fresh_main(None)

    @property
    def was_found(self) -> bool:
        """Whether Python got as far as running it."""
        return self.main is not None and self.main.__spec__ is not None

    def run(self, session: Running) -> None:
        assert self.main is not None
        session.script_names = self.main.__dict__
        sys.argv[0] = "-m"  # as Python has it while it looks for the module
        runpy._run_module_as_main(self.given)  # type: ignore[attr-defined]  # private, and the same in all releases


class FunctionTarget:
    """Loads a file as a module named after its stem, then calls one function or static method of it."""

    def __init__(
        self, script: str, function: str, arguments: Sequence[tuple[str, str]], seed_expression: str | None
    ) -> None:
        self.given = script
        self.file: str | None = script_file(script)
        self.search_path: str | None = script_folder(script)
        self.main: ModuleType | None = None
        self._function = function
        self._arguments = arguments
        self._seed_expression = seed_expression
        self._code: CodeType | None = None
        self._signature = importlib.import_module("inspect").signature  # only here: it loads a lot

    def prepare(self) -> None:
        """Compile. Raises OSError or source.COMPILE_ERRORS."""
        assert self.file is not None
        self._code = compiled(Path(self.file).read_bytes(), self.file)
        self.main = fresh_main(None)

    def run(self, session: Running) -> None:
        assert self.file is not None and self._code is not None
        name = Path(self.file).stem
        module = ModuleType(name)
        loader = SourceFileLoader(name, self.file)
        module.__spec__ = ModuleSpec(name, loader, origin=self.file)
        module.__file__, module.__loader__ = self.file, loader
        sys.modules[name] = module
        session.script_names = module.__dict__
        session.phase = "load"
        exec(self._code, module.__dict__)
        session.phase = "run"
        names = {**module.__dict__}
        for short, framework in NAMED.items():
            if framework in sys.modules:
                names.setdefault(short, sys.modules[framework])
        function = _find(module, self._function)
        values = _values(self._arguments, names)
        self._require_fit(function, values)
        result = session.prepared(function, values)(**values)
        session.offer_backward(result, self._seed_expression, names, values)

    def _require_fit(self, function: Callable[..., Any], values: Mapping[str, Any]) -> None:
        """Raises BadOption where the function wants others."""
        try:
            parameters = self._signature(function)
        except (TypeError, ValueError):  # not everything callable tells
            return
        try:
            parameters.bind(**values)
        except TypeError as error:
            raise BadOption(f"{self._function} can't be called with these arguments: {error}.") from None


def _find(module: ModuleType, dotted: str) -> Callable[..., Any]:
    found: Any = module
    for part in dotted.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise BadOption(f"{Path(str(module.__file__)).name} has no function {dotted} after loading.")
    return found  # type: ignore[no-any-return]  # callable, as just seen


def _values(arguments: Sequence[tuple[str, str]], names: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the expressions, in order. Raises BadOption where one fails."""
    values = {}
    for argument, expression in arguments:
        try:
            code = compile(expression, f"<argument {argument}>", "eval", dont_inherit=True)
            values[argument] = eval(code, dict(names))
        except Exception as error:  # noqa: BLE001  # foreign: the person's expression
            sentence = f"The argument {argument} = {expression} failed: {type(error).__name__}: {error}."
            raise BadOption(sentence) from None
    return values
