"""The index of the pass that is shown: built in a thread when first needed, for a recording that grows anew."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from gradviz.document.diagnosing import Post
from gradviz.document.find import Index
from gradviz.document.hub import Hub, View
from gradviz.errors import TraceError


class Searching:
    """`ready` is called on the window's thread once an index that was asked for is there."""

    def __init__(self, hub: Hub, post: Post, ready: Callable[[], object]) -> None:
        self._hub, self._post, self._ready = hub, post, ready
        self._index: Index | None = None
        self._wanted: object = None
        hub.listen("pass", self, self._forget)

    def _forget(self, _view: View) -> None:
        self._index = self._wanted = None

    def index(self) -> Index | None:
        """None while it is being built."""
        view = self._hub.view
        if view.trace is None or view.pass_id is None:
            return Index.empty()
        if self._index is None and self._wanted is None:
            self._build(view.trace.path, view.pass_id)
        return self._index

    def _build(self, path: Path, pass_id: int) -> None:
        wanted = self._wanted = object()

        def deliver(index: Index) -> None:
            if self._wanted is wanted:
                self._index = index
                self._ready()

        def work() -> None:
            try:
                index = Index.build(path, pass_id)
            except TraceError:
                index = Index.empty()
            self._post(lambda: deliver(index))

        threading.Thread(target=work, name="find-index", daemon=True).start()
