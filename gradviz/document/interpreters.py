"""Finds Python interpreters that could run a script, and asks them what they are, without importing a framework."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gradviz.errors import NotStartedError

OLDEST = (3, 9)
FRAMEWORKS = ("torch", "autograd", "tensorflow")
PROBE_SECONDS = 20.0
# Runs on any Python 3: what it is asked mustn't depend on what it is.
_QUESTIONS = f"""
import importlib.util, json, sys
found = [name for name in {FRAMEWORKS!r} if importlib.util.find_spec(name) is not None]
sqlite = importlib.util.find_spec("_sqlite3") is not None
print(json.dumps({{"version": list(sys.version_info[:3]), "sqlite": sqlite, "frameworks": found}}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python, and what it can import. `origin`: own | beside | conda | venv | path | chosen."""

    path: str
    version: str  # "3.11.7"
    frameworks: tuple[str, ...]
    origin: str = "chosen"


def probe(path: str, origin: str = "chosen") -> Interpreter:
    """Ask the interpreter at `path`. Raises NotStartedError with the sentence why it can't run scripts for us."""
    if path == sys.executable:
        frameworks = tuple(name for name in FRAMEWORKS if importlib.util.find_spec(name) is not None)
        return Interpreter(path, ".".join(map(str, sys.version_info[:3])), frameworks, origin)
    try:
        done = subprocess.run(
            [path, "-c", _QUESTIONS], capture_output=True, text=True, timeout=PROBE_SECONDS, stdin=subprocess.DEVNULL
        )
        answer = json.loads(done.stdout.strip().splitlines()[-1])
        version, sqlite, frameworks = tuple(answer["version"]), answer["sqlite"], tuple(answer["frameworks"])
    except OSError as error:
        raise NotStartedError(f"The interpreter {path} can't be started: {error.strerror or error}.") from error
    except subprocess.TimeoutExpired as error:
        raise NotStartedError(f"The interpreter {path} didn't answer within {PROBE_SECONDS:g} s.") from error
    except (ValueError, LookupError, TypeError) as error:
        raise NotStartedError(f"{path} doesn't answer as a Python 3 would. Choose another interpreter.") from error
    shown = ".".join(map(str, version))
    if version < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise NotStartedError(f"{path} is Python {shown}; gradviz records scripts under Python {oldest} or newer.")
    if not sqlite:
        raise NotStartedError(
            f"{path} was built without the module _sqlite3, which recording needs. Choose another Python."
        )
    return Interpreter(path, shown, frameworks, origin)


def chosen_interpreter(wish: str, cwd: Path) -> str:
    """The interpreter to start: the app's own, or the one asked for, a name on PATH or a path, probed. Raises
    NotStartedError.
    """
    if not wish:
        return sys.executable
    path = _located(wish, cwd)
    if path is None:
        raise NotStartedError(f"There is no interpreter {wish}.")
    if Path(path).is_dir():
        inside = _python_of(Path(path))
        if inside is None:
            raise NotStartedError(f"{path} is a folder without a Python in it; name the interpreter itself.")
        path = inside
    return probe(path).path


def candidates(script: Path | None, environment: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """(path, origin) of the interpreters worth offering for a script, the usual choice first; none is started."""
    names = os.environ if environment is None else environment
    found = [(sys.executable, "own")]
    for folder in [] if script is None else [script.parent, *list(script.parents)[1:3]]:
        for name in (".venv", "venv"):
            found.append((_python_of(folder / name) or "", "beside"))
    for variable, origin in (("VIRTUAL_ENV", "venv"), ("CONDA_PREFIX", "conda")):
        if names.get(variable):
            found.append((_python_of(Path(names[variable])) or "", origin))
    for name in ("python3", "python"):
        found.append((shutil.which(name, path=names.get("PATH")) or "", "path"))
    distinct: dict[str, str] = {}
    for path, origin in found:
        if path:
            distinct.setdefault(str(Path(path).absolute()), origin)  # not resolved: a venv's Python is a link
    return tuple(distinct.items())


def with_framework(script: Path | None, framework: str = "torch") -> tuple[Interpreter, ...]:
    """Those candidates that can import `framework`, probed one after the other: not for a window's thread."""
    found = []
    for path, origin in candidates(script):
        try:
            interpreter = probe(path, origin)
        except NotStartedError:
            continue
        if framework in interpreter.frameworks:
            found.append(interpreter)
    return tuple(found)


def _located(wish: str, cwd: Path) -> str | None:
    """A folder below `cwd` comes first (`--python env`), then a bare name on PATH, then a path."""
    path = cwd / Path(wish).expanduser()
    if not path.is_dir() and Path(wish).name == wish:
        on_path = shutil.which(wish)
        if on_path is not None:
            return str(Path(on_path).absolute())
    return str(path.absolute()) if path.exists() else None


def _python_of(folder: Path) -> str | None:
    """The Python of a virtual or conda environment."""
    for part in (("Scripts", "python.exe"), ("python.exe",), ("bin", "python")):
        path = folder.joinpath(*part)
        if path.is_file():
            return str(path)
    return None
