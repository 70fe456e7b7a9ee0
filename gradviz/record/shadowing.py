"""Whether an import error, or a name that a module lacks, comes of a file of the user's that bears a module's name."""

from __future__ import annotations

import importlib.machinery
import re
import sys
from collections.abc import Callable
from pathlib import Path

from gradviz.record.exceptiontext import message_of

_NO_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute")


def shadowed_module(error: BaseException, is_user_file: Callable[[str], bool]) -> tuple[str, str] | None:
    """The module's name and the user's file that was imported in its place; None where it is no such mistake."""
    name, file = "", None
    if isinstance(error, ImportError):
        name, file = error.name or "", error.path
    elif isinstance(error, AttributeError):
        found = _NO_ATTRIBUTE.search(message_of(error))
        name = found.group(1) if found is not None else ""
        file = getattr(getattr(error, "obj", None), "__file__", None)  # of one whose import failed, too
    top = name.partition(".")[0]
    if "." in name or file is None:
        file = getattr(sys.modules.get(top), "__file__", None)
    if not top or not isinstance(file, str) or not is_user_file(file):
        return None
    return (top, file) if _is_elsewhere(top, file) else None


def _is_elsewhere(name: str, file: str) -> bool:
    """Whether Python's library or an installed package has a module of this name."""
    if name in getattr(sys, "stdlib_module_names", ()):
        return True
    own = Path(file).parent
    folders = [folder for folder in sys.path if folder and Path(folder) not in (own, own.parent)]
    spec = importlib.machinery.PathFinder.find_spec(name, folders)
    return spec is not None and spec.origin is not None
