"""The docks: where each pane belongs, built late, their headers, and how they come back next time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QByteArray, QCoreApplication, QObject, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QVBoxLayout, QWidget

from gradviz.draw.tokens import INSPECTOR, LEFT_DOCK
from gradviz.gui.dock_title import DockTitle
from gradviz.gui.theme import Theme

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
BOTTOM_HEIGHT = 256  # so that a finding shows with its buttons
PaneFactory = Callable[[QWidget], QWidget]


@dataclass(frozen=True)
class Spec:
    """One dock: its name, its words, its place."""

    name: str
    title: str
    area: Qt.DockWidgetArea


SPECS = (
    Spec("steps", str(QT_TRANSLATE_NOOP("Docks", "Steps")), LEFT),
    Spec("modules", str(QT_TRANSLATE_NOOP("Docks", "Modules")), LEFT),
    Spec("run", str(QT_TRANSLATE_NOOP("Docks", "Run")), LEFT),
    Spec("inspector", str(QT_TRANSLATE_NOOP("Docks", "Inspector")), RIGHT),
    Spec("problems", str(QT_TRANSLATE_NOOP("Docks", "Problems")), BOTTOM),
    Spec("source", str(QT_TRANSLATE_NOOP("Docks", "Source")), BOTTOM),
    Spec("output", str(QT_TRANSLATE_NOOP("Docks", "Output")), BOTTOM),
)
STATE_VERSION = 1


class Docks(QObject):
    """All docks of one window. `show_all` builds the panes when they are first needed."""

    def __init__(self, window: QMainWindow, theme: Theme, factories: dict[str, PaneFactory]) -> None:
        super().__init__(window)
        window.setAnimated(False)  # else each new arrangement makes an animation for each dock
        self._window, self._factories = window, factories
        self.by_name: dict[str, QDockWidget] = {}
        self.panes: dict[str, QWidget] = {}
        self._titles: dict[str, DockTitle] = {}
        self._details: dict[str, str] = {}
        for spec in SPECS:
            self._add(spec, theme)
        self._heads = QTimer(self)
        self._heads.setSingleShot(True)
        self._heads.timeout.connect(self._arrange_heads)
        with self._at_rest():
            self._arrange()
        self._usual: QByteArray | None = None
        self._shown = False

    def __getitem__(self, name: str) -> QDockWidget:
        return self.by_name[name]

    # -- building
    def _add(self, spec: Spec, theme: Theme) -> None:
        dock = QDockWidget(self.title(spec.name), self._window)
        dock.hide()  # else it is shown, and the window arranged, as soon as it is added
        dock.setObjectName(f"dock_{spec.name}")  # saveState goes by it
        holder = QWidget(dock)
        QVBoxLayout(holder).setContentsMargins(0, 0, 0, 0)
        dock.setWidget(holder)
        title = DockTitle(dock, theme)
        dock.setTitleBarWidget(title)
        for signal in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
            signal.connect(lambda *_: self._heads.start(0))
        self.by_name[spec.name], self._titles[spec.name] = dock, title

    def title(self, name: str) -> str:
        return next(QCoreApplication.translate("Docks", spec.title) for spec in SPECS if spec.name == name)

    def build(self) -> None:
        """Make the panes that aren't there yet."""
        while self.build_next():
            pass

    def build_next(self) -> bool:
        """Make one pane; False when all are there."""
        name = next((name for name in self._factories if name not in self.panes), None)
        if name is None:
            return False
        holder = self.by_name[name].widget()
        pane = self._factories[name](holder)
        layout = holder.layout()
        assert layout is not None
        layout.addWidget(pane)
        holder.setFocusProxy(pane)
        self.panes[name] = pane
        return True

    # -- places
    def _arrange(self) -> None:
        window = self._window
        window.setDockNestingEnabled(True)
        window.setCorner(Qt.Corner.BottomLeftCorner, BOTTOM)
        window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        for spec in SPECS:
            window.addDockWidget(spec.area, self.by_name[spec.name])
        docks = self.by_name
        window.tabifyDockWidget(docks["steps"], docks["modules"])
        window.tabifyDockWidget(docks["modules"], docks["run"])
        window.splitDockWidget(docks["problems"], docks["source"], Qt.Orientation.Horizontal)
        window.tabifyDockWidget(docks["source"], docks["output"])
        docks["steps"].raise_()
        docks["source"].raise_()

    def usual_sizes(self) -> None:
        docks = self.by_name
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._window.resizeDocks([docks["steps"], docks["inspector"]], [LEFT_DOCK, INSPECTOR], horizontal)
        self._window.resizeDocks([docks["problems"]], [BOTTOM_HEIGHT], vertical)
        self._window.resizeDocks([docks["problems"], docks["source"]], [560, 540], horizontal)

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """Each dock that comes or goes arranges the whole window; in here nothing does, and afterwards once for all."""
        layout = self._window.layout()
        if layout is None:
            yield
            return
        layout.setEnabled(False)
        try:
            yield
        finally:
            layout.setEnabled(True)
            layout.activate()

    def hide_all(self) -> None:
        with self._at_rest():
            for dock in self.by_name.values():
                dock.hide()
        self._shown = False

    def show_all(self, state: QByteArray | None) -> None:
        """Show the docks as they were, or at their usual places."""
        if self._shown:
            return
        self._shown = True
        if state is None or not self._window.restoreState(state, STATE_VERSION):
            self.reset()
        self._heads.start(0)

    def reset(self) -> None:
        """Put every dock at its usual place and size."""
        with self._at_rest():
            for dock in self.by_name.values():
                dock.setFloating(False)
                self._window.removeDockWidget(dock)
            self._arrange()
            for dock in self.by_name.values():
                dock.show()
            self.by_name["steps"].raise_()
            self.by_name["source"].raise_()
            self.usual_sizes()
        QTimer.singleShot(0, self, self.usual_sizes)  # sizes hold only after the layout has been activated once

    def state(self) -> QByteArray:
        return self._window.saveState(STATE_VERSION)

    def front(self, name: str) -> None:
        """Bring a dock to the front of its tabs, and back if it was closed."""
        dock = self.by_name[name]
        dock.show()
        dock.raise_()

    # -- heads
    def set_detail(self, name: str, detail: str) -> None:
        """A word behind a dock's name: the file of Source."""
        if self._details.get(name, "") != detail:
            self._details[name] = detail
            self._heads.start(0)

    def set_badge(self, name: str, text: str, severity: str) -> None:
        """A count behind a dock's name, in a severity's colour."""
        self._titles[name].set_badge(text, severity)
        self._details[name] = text
        self._heads.start(0)

    def _arrange_heads(self) -> None:
        """A dock among tabs has no head: its tab is one."""
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setExpanding(False)
            if self._shown and bar.count() > 1 and bar.isHidden():
                bar.show()  # Qt leaves it hidden when a tab was renamed before its first layout
        for name, dock in self.by_name.items():
            tabbed = any(not other.isHidden() for other in self._window.tabifiedDockWidgets(dock))
            title = self._titles[name]
            title.set_shown(not tabbed or dock.isFloating())
            title.set_text(self.title(name), self._details.get(name, ""))
            words = self.title(name)
            if self._details.get(name):
                words += "  " + self._details[name]
            if dock.windowTitle() != words:
                dock.setWindowTitle(words)
