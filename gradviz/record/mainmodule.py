"""The module `__main__` that a script runs in: as `python file` makes it, and in `sys.modules` until the process
ends.
"""

from __future__ import annotations

import builtins
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType


def script_file(given: str) -> str:
    """`__file__` for a script given on the command line: joined to the working folder, not tidied."""
    return os.path.join(os.getcwd(), given)  # noqa: PTH118, PTH109  # a Path would tidy `./a.py`


def script_folder(given: str) -> str:
    """`sys.path[0]` for a script: the real folder of the real file."""
    path = Path(given)
    return str(path.absolute().parent if os.name == "nt" else path.resolve().parent)


def fresh_main(file: str | None) -> ModuleType:
    """A new `__main__` in the place of ours, with the names that Python gives it, in their order."""
    module = ModuleType("__main__")
    names = module.__dict__
    if file is not None:
        names["__loader__"] = SourceFileLoader("__main__", file)
    if sys.version_info < (3, 14):
        names["__annotations__"] = {}
    names["__builtins__"] = builtins
    if file is not None:
        names["__file__"] = file
        names["__cached__"] = None
    sys.modules["__main__"] = module
    return module


def forget_file(module: ModuleType) -> None:
    """Python takes these two away when the script's code has run, before atexit functions."""
    for name in ("__file__", "__cached__"):
        module.__dict__.pop(name, None)
