"""What stands in place of the welcome page at work: timeline, docks, the middle with its canvas; built when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Qt
from PySide6.QtWidgets import QToolBar, QWidget

from gradviz.draw.tokens import TIMELINE
from gradviz.gui.centre import Centre
from gradviz.gui.docks import Docks
from gradviz.gui.pane_table import factories, make_canvas
from gradviz.gui.still import Still
from gradviz.gui.timeline import Timeline

if TYPE_CHECKING:
    from gradviz.gui.window import Window


class Work(QObject):
    """The parts, hidden at first. `build_next` makes the costly ones one by one."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._still = Still(window)
        self.timeline = Timeline(window.hub, window.actions_on_hub, window.theme, window)
        self.bar = self._timeline_bar()
        self.centre = Centre(window.theme, window)
        self.docks = Docks(window, window.theme, factories(window))
        self.hide()

    def _timeline_bar(self) -> QToolBar:
        window = self._window
        window.addToolBarBreak()
        bar = QToolBar(window)
        bar.setObjectName("timeline")
        bar.setWindowTitle(self.tr("Timeline"))
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addWidget(self.timeline)
        bar.setFixedHeight(TIMELINE)
        inside = bar.layout()
        if inside is not None:
            inside.setContentsMargins(0, 0, 0, 0)
        window.addToolBar(bar)
        return bar

    def build_next(self) -> bool:
        """Make the canvas, then one pane a call; False when all are there."""
        if self.centre.canvas is None:
            self.centre.set_canvas(make_canvas(self._window))
            return True
        return self.docks.build_next()

    def build(self) -> None:
        while self.build_next():
            pass

    def parts(self) -> list[QWidget]:
        """What is painted when the page is shown."""
        docks = self.docks.by_name.values()
        titles = [title for dock in docks if (title := dock.titleBarWidget()) is not None]
        canvas = [self.centre.canvas] if self.centre.canvas is not None else []
        return [*self.docks.panes.values(), *titles, *canvas, self.timeline]

    def show(self, state: QByteArray | None) -> None:
        if self.bar.isHidden():
            self._still.begin()
        self.bar.show()
        self.docks.show_all(state)

    def hide(self) -> None:
        self.bar.hide()
        self.docks.hide_all()
