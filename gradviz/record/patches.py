"""Attributes replaced for the time of a recording, put back in reverse order."""

from __future__ import annotations

from typing import Any


class Patches:
    """What was replaced."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, new: Any) -> None:
        """Set `owner.name`; a class's own descriptor is kept as it is."""
        old = owner.__dict__[name] if isinstance(owner, type) and name in owner.__dict__ else getattr(owner, name)
        setattr(owner, name, new)
        self._done.append((owner, name, old))

    def undo(self) -> None:
        """Put everything back."""
        while self._done:
            owner, name, old = self._done.pop()
            setattr(owner, name, old)
