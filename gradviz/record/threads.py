"""Threads of the script are recorded too: each enters the framework's mode, and an error that ends one is noted and
cleaned.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol


class ThreadWatcher(Protocol):
    """Who is told."""

    def thread_began(self, name: str) -> None: ...
    def thread_ended(self) -> None: ...
    def thread_failed(self, error: BaseException) -> None: ...


class PatchedThreads:
    """Wraps the one method that every `threading.Thread` runs through."""

    def __init__(self, watcher: ThreadWatcher) -> None:
        self._watcher = watcher
        thread: Any = threading.Thread  # the method is private
        self._original: Callable[[Any], None] = thread._bootstrap_inner

    def install(self) -> None:
        watcher, original = self._watcher, self._original

        def _bootstrap_inner(thread: Any) -> None:
            print_error = thread._invoke_excepthook

            def clean_and_print(*arguments: Any) -> None:
                error = sys.exc_info()[1]
                if error is not None:
                    watcher.thread_failed(error)
                print_error(*arguments)

            thread._invoke_excepthook = clean_and_print
            watcher.thread_began(thread.name)  # Python doesn't know it by its number yet
            try:
                original(thread)
            finally:
                watcher.thread_ended()

        threading.Thread._bootstrap_inner = _bootstrap_inner  # type: ignore[attr-defined]  # undone by uninstall

    def uninstall(self) -> None:
        threading.Thread._bootstrap_inner = self._original  # type: ignore[attr-defined]  # as it was
