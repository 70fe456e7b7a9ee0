"""gradviz: a desktop debugger for gradients. The map of the source is README.md beside this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.api import recording as recording
    from gradviz.api import show as show

__version__ = "0.1.0"

_FROM_API = ("recording", "show")


def __getattr__(name: str) -> object:
    """`gradviz.recording` and `gradviz.show`, loaded when they are asked for."""
    if name in _FROM_API:
        import importlib

        return getattr(importlib.import_module("gradviz.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
