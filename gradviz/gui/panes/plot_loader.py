"""Loads the plots (pyqtgraph takes a third of a second) away from the window's thread, once somebody wants them."""

from __future__ import annotations

import importlib
import sys
import threading
from functools import partial

from PySide6.QtCore import QObject, Signal

from gradviz.gui.post import Post

PLOTS = "gradviz.gui.panes.inspector_plots"


class PlotLoader(QObject):
    """`ready` is told once on the window's thread; `failed` with a sentence where pyqtgraph can't be loaded."""

    ready = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.loaded = False
        self._begun = False
        self._post = Post(self)
        self.ready.connect(self._note)

    def begin(self) -> None:
        """Start loading, if nobody has yet."""
        if self._begun:
            return
        self._begun = True
        if hasattr(sys.modules.get(PLOTS), "Plots"):
            self.ready.emit()
            return
        threading.Thread(target=self._load, name="load-plots", daemon=True).start()

    def _load(self) -> None:
        try:
            importlib.import_module(PLOTS)
        except ImportError as error:
            self._post(partial(self.failed.emit, f"pyqtgraph can't be loaded: {error}"))
            return
        self._post(self.ready.emit)

    def _note(self) -> None:
        self.loaded = True
