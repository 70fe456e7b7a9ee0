"""Attributes replaced for the time of a recording, put back in reverse order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

_INHERITED = object()


class Patches:
    """What was replaced."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, new: Any) -> None:
        """Set `owner.name`; a class's own descriptor is kept as it is, and what it inherited is inherited again."""
        old = _own(owner, name)
        setattr(owner, name, new)
        self._done.append((owner, name, old))

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Everything as it was, for a while; inside itself it changes nothing."""
        done, self._done = self._done, []
        held: list[tuple[Any, str, Any]] = []
        for owner, name, old in reversed(done):
            held.append((owner, name, _own(owner, name)))
            _put_back(owner, name, old)
        try:
            yield
        finally:
            for owner, name, ours in reversed(held):
                setattr(owner, name, ours)
            self._done = done

    def undo(self) -> None:
        """Put everything back."""
        while self._done:
            _put_back(*self._done.pop())


def _own(owner: Any, name: str) -> Any:
    return owner.__dict__.get(name, _INHERITED) if isinstance(owner, type) else getattr(owner, name)


def _put_back(owner: Any, name: str, old: Any) -> None:
    if old is _INHERITED:
        delattr(owner, name)
    else:
        setattr(owner, name, old)
