"""Attributes replaced for the time of a recording, put back in reverse order."""

from __future__ import annotations

from typing import Any

_INHERITED = object()


class Patches:
    """What was replaced."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, new: Any) -> None:
        """Set `owner.name`; a class's own descriptor is kept as it is, and what it inherited is inherited again."""
        old = owner.__dict__.get(name, _INHERITED) if isinstance(owner, type) else getattr(owner, name)
        setattr(owner, name, new)
        self._done.append((owner, name, old))

    def undo(self) -> None:
        """Put everything back."""
        while self._done:
            owner, name, old = self._done.pop()
            if old is _INHERITED:
                delattr(owner, name)
            else:
                setattr(owner, name, old)
