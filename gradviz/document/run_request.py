"""What shall be run and how: the wish that the supervisor fulfils."""

from __future__ import annotations

import ast
import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.errors import NotStartedError

if TYPE_CHECKING:  # it brings the model of the trace, which the first paint doesn't wait for
    from gradviz.diagnose.finding import SeedRewrite

LEVELS = ("shapes", "summaries", "values")
SCRIPT_SUFFIXES = (".py", ".pyw")
_WHAT_RUNS = "gradviz runs .py files and opens .gradviz recordings."


@dataclass(frozen=True)
class Target:
    """A script, a module for -m, or one function of a file. `given` is the path or the module's name as asked for."""

    kind: str  # script | module | function
    given: str
    function: str = ""  # "train", "Model.forward"

    @property
    def shown(self) -> str:
        """As a person writes it."""
        if self.kind == "module":
            return f"-m {self.given}"
        return f"{self.given}::{self.function}" if self.function else self.given

    @property
    def stem(self) -> str:
        """For the recording's name."""
        name = self.given.rpartition(".")[2] if self.kind == "module" else Path(self.given).stem
        return f"{name}-{self.function}" if self.function else name


@dataclass(frozen=True)
class RunRequest:
    """One run. `cwd` is where `given` is relative to; `arguments`: the script's, `function_arguments`: expressions."""

    target: Target
    interpreter: str
    cwd: Path
    trace: Path  # where the finished recording shall lie
    arguments: tuple[str, ...] = ()
    function_arguments: tuple[tuple[str, str], ...] = ()
    seed_gradient: str | None = None
    offered: str = ""  # global name of a script: backward runs from its tensor when the script has ended
    level: str = "summaries"
    passes: str = "all"
    timeout: float = 0.0  # seconds; 0 = never
    rewrite: SeedRewrite | None = None  # a fix to be tried: another seed at one call
    environment: Mapping[str, str] | None = None  # the whole of it; None = this process's own


def seed_replacement(rewrite: SeedRewrite | None) -> dict[str, object] | None:
    """The recorder's word for a rewrite: the config's `seed_replacement`."""
    if rewrite is None:
        return None
    place = {"file": rewrite.file, "line": rewrite.line, "column": rewrite.column}
    return {"kind": rewrite.kind, "number": rewrite.pass_id, "output": rewrite.output, **place}


def read_target(text: str) -> Target:
    """`script.py` or `script.py::function`."""
    if text.startswith("-"):
        text = f".{os.sep}{text}"  # else Python would take it for an option
    file, mark, function = text.rpartition("::")
    if mark and file and function:
        return Target("function", file, function)
    return Target("script", text)


def require_runnable(request: RunRequest) -> None:
    """Raises NotStartedError with the sentence that says why this can't be started."""
    if not request.cwd.is_dir():
        raise NotStartedError(f"There is no folder {request.cwd} to run in.")
    if request.level not in LEVELS:
        raise NotStartedError(f"There is no level {request.level!r}; choose one of {', '.join(LEVELS)}.")
    _require_passes(request.passes)
    for name, expression in request.function_arguments:
        _require_expression(f"The argument {name}", expression)
    if request.seed_gradient is not None:
        _require_expression("--seed-gradient", request.seed_gradient)
    if request.target.kind == "module":
        if not all(part.isidentifier() for part in request.target.given.split(".")):
            raise NotStartedError(f"{request.target.given!r} is no module name; -m wants one such as package.module.")
        return
    _require_script(request.cwd / request.target.given)


def _require_script(path: Path) -> None:
    try:
        if path.is_dir():
            raise NotStartedError(f"{path} is a folder, not a script. Name the .py file in it that shall run.")
        if not path.exists():
            raise NotStartedError(f"There is no file {path}.")
        with path.open("rb") as file:
            beginning = file.read(4096)
    except OSError as error:
        raise NotStartedError(f"{path} can't be read: {error.strerror or error}.") from error
    if path.suffix.lower() in SCRIPT_SUFFIXES:
        return  # whatever is in it, Python shall say what is wrong with it
    if not _is_text(beginning):
        raise NotStartedError(f"{path} is not a Python script, it isn't text. {_WHAT_RUNS}")
    if b"\0" in beginning or path.suffix.lower() in (".ipynb", ".pyc", ".zip", ".pt", ".json"):
        raise NotStartedError(f"{path} is not a Python script. {_WHAT_RUNS}")


def _is_text(beginning: bytes) -> bool:
    """Whether it may be a script: UTF-8 so far, or in a coding that it declares."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return b"coding" in b"".join(beginning.splitlines()[:2])
    return True


def _require_expression(what: str, text: str) -> None:
    try:
        compile(text.strip(), "<argument>", "eval", ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise NotStartedError(f"{what} is no Python expression: {text!r} ({reason}).") from error


def _require_passes(words: str) -> None:
    numbers = words.split(",")
    if words not in ("all", "first", "last") and not all(each.strip().isdecimal() for each in numbers):
        raise NotStartedError(f"--passes is all, first, last or numbers from 0 such as 0,4: not {words!r}.")
