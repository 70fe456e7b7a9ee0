"""The painted graph for screen readers: a list of its boxes, each read as name, state, step, shapes, finding.

Qt asks for these only while a screen reader runs. Items are made when they are asked for, and kept for good: Qt
remembers them by their address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QRect, QRectF
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAccessibleWidget

from gradviz.gui.canvas.graph_view import GraphView
from gradviz.gui.canvas.hits import Hit
from gradviz.scene.model import Kind

if TYPE_CHECKING:
    from gradviz.scene.model import Scene

# Qt's null pointers: what there isn't. Its stubs don't know them.
NOBODY, NO_OBJECT = cast(QAccessibleInterface, None), cast(QObject, None)
INSTALLED = "gradvizGraphsAreAccessible"  # a property of the application: the factory is installed once


class GraphAccessible(QAccessibleWidget):
    """The graph as a whole."""

    def __init__(self, view: GraphView) -> None:
        super().__init__(view, QAccessible.Role.List, view.accessibleName())
        self.view = view
        self._items: dict[int, BoxAccessible] = {}

    @property
    def scene(self) -> Scene | None:
        return self.view.picture.scene if self.view.picture is not None else None

    def childCount(self) -> int:
        return len(self.scene.draft) if self.scene is not None else 0

    def child(self, index: int) -> QAccessibleInterface:
        if not 0 <= index < self.childCount():
            return NOBODY
        item = self._items.get(index)
        if item is None:
            item = self._items[index] = BoxAccessible(self, index)
        return item

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.index if isinstance(child, BoxAccessible) else -1

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        found = self.view.hit_at(self.view.mapFromGlobal(QPoint(x, y)).toPointF())
        return self.child(found.at) if found.kind == "box" else NOBODY

    def focusChild(self) -> QAccessibleInterface:
        selected = self.view.selected
        return self.child(selected.at) if selected.kind == "box" and self.view.hasFocus() else NOBODY


class BoxAccessible(QAccessibleInterface):
    """The box at an index of whatever scene is shown now."""

    def __init__(self, graph: GraphAccessible, index: int) -> None:
        super().__init__()
        self.graph, self.index = graph, index

    def isValid(self) -> bool:
        return self.index < self.graph.childCount()

    def object(self) -> QObject:
        return NO_OBJECT

    def parent(self) -> QAccessibleInterface:
        return self.graph

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface:
        return NOBODY

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        return NOBODY

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def window(self) -> QWindow:
        return self.graph.window()

    def role(self) -> QAccessible.Role:
        scene = self.graph.scene
        folded = self.isValid() and scene is not None and scene.draft.kind[self.index] == Kind.GROUP
        return QAccessible.Role.TreeItem if folded else QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state, view = QAccessible.State(), self.graph.view
        state.selectable = state.focusable = True
        chosen = view.selected == Hit("box", self.index)
        state.selected = chosen
        state.focused = chosen and view.hasFocus()
        state.invalid = not self.isValid()
        if self.isValid():
            state.offscreen = not self._on_view().intersects(QRectF(view.rect()))
            scene = self.graph.scene
            if scene is not None and scene.draft.kind[self.index] == Kind.GROUP:
                state.expandable = state.collapsed = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        return self.graph.view.speak(self.index) if kind == QAccessible.Text.Name and self.isValid() else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Boxes can't be renamed."""

    def rect(self) -> QRect:
        if not self.isValid():
            return QRect()
        view = self.graph.view
        return self._on_view().toAlignedRect().translated(view.mapToGlobal(QPoint(0, 0)))

    def _on_view(self) -> QRectF:
        scene, view = self.graph.scene, self.graph.view.view
        assert scene is not None
        x, y, width, height = scene.rect(self.index)
        return QRectF((x - view.x) * view.zoom, (y - view.y) * view.zoom, width * view.zoom, height * view.zoom)


def make_graphs_accessible() -> None:
    """Tell Qt how a GraphView is read."""
    application = QCoreApplication.instance()
    if application is not None and not application.property(INSTALLED):
        application.setProperty(INSTALLED, True)
        QAccessible.installFactory(_interface_for)


def _interface_for(_class_name: str, what: QObject) -> QAccessibleInterface | None:
    if not isinstance(what, GraphView):
        return None
    made = GraphAccessible(what)
    what.reader = made  # Qt keeps no reference that Python knows of
    return made


def tell_focus(view: GraphView, box: int) -> None:
    """A screen reader goes on to a box, and reads it."""
    event = QAccessibleEvent(view, QAccessible.Event.Focus)
    event.setChild(box)
    QAccessible.updateAccessibility(event)


def tell_changed(view: GraphView) -> None:
    """Other boxes are there now."""
    QAccessible.updateAccessibility(QAccessibleEvent(view, QAccessible.Event.ObjectReorder))
