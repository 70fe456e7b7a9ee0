"""A few topics and who listens to them: how the document tells its views, which it doesn't know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Event(Generic[T]):
    """One thing that can happen; `tell` calls every listener in the order they came."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], object]] = []

    def listen(self, listener: Callable[[T], object]) -> None:
        self._listeners.append(listener)

    def forget(self, listener: Callable[[T], object]) -> None:
        self._listeners = [each for each in self._listeners if each != listener]

    def tell(self, value: T) -> None:
        for listener in tuple(self._listeners):
            listener(value)
