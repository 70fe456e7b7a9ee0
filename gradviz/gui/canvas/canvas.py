"""The canvas: the graph of the pass that the hub shows, with its header, and all that can be done with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QCloseEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from gradviz.document.hub import Hub, Selection
from gradviz.document.hub import View as HubView
from gradviz.export.raster import image_of
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.accessible import make_graphs_accessible, tell_changed, tell_focus
from gradviz.gui.canvas.acting import Acting
from gradviz.gui.canvas.describe import Describer, counts_of
from gradviz.gui.canvas.first_view import FITS_AT
from gradviz.gui.canvas.focusing import Focusing
from gradviz.gui.canvas.folding import Folding, boxes_of_group
from gradviz.gui.canvas.graph_view import GraphView
from gradviz.gui.canvas.header import CanvasHeader
from gradviz.gui.canvas.history import History
from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.gui.canvas.legend import Legend
from gradviz.gui.canvas.loader import Loaded, Loader, Order
from gradviz.gui.canvas.looking import next_view
from gradviz.gui.canvas.minimap import Minimap
from gradviz.gui.canvas.selecting import boxes_of_selection, hit_of, place_of_hit
from gradviz.gui.canvas.strip import CanvasStrip
from gradviz.gui.canvas.whereabouts import Whereabouts
from gradviz.gui.canvas.wording import translated
from gradviz.gui.panes.patience import Patience
from gradviz.gui.panes.turns import Turns
from gradviz.gui.post import Post
from gradviz.gui.theme import Theme
from gradviz.scene.build import Shown
from gradviz.scene.states import states_at

GOOD_ZOOM = 0.85
LARGE = 2000  # nodes: as many are built and placed before anyone has looked at the panes


class Canvas(QWidget):
    """Listens to the hub and tells it what is clicked. `loaded` is what stands on the canvas now."""

    scene_shown = Signal()

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hub, self.theme = hub, theme
        self.loaded: Loaded | None = None
        self._shown = Shown()
        self._wrap = True
        self._asked: tuple[object, ...] = ()  # trace and pass that were last asked for
        self._busy = self._again = False
        self._describer: Describer | None = None
        self.view = GraphView(theme, self)
        self.view.setAccessibleName(self.tr("Graph"))
        self.header = CanvasHeader(theme, self)
        self.minimap = Minimap(self.view, theme)
        self.legend = Legend(theme, self.view)
        self.strip = CanvasStrip(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.header, self.strip):
            column.addWidget(widget)
        column.addWidget(self.view, 1)
        self.setFocusProxy(self.view)
        self._loader = Loader(Post(self), self._on_loaded, self.strip.arranging, self._on_failed)
        self.strip.cancelled.connect(self._loader.simple)
        self.destroyed.connect(self._loader.close)
        self._soon = Patience(self._load, self)
        self._turns = Turns.of_application()
        self.history = History(self)  # before we listen: it has to see from where one jumps
        self.folding, self.focus = Folding(self), Focusing(self)
        self._acting = Acting(self)
        self.whereabouts = Whereabouts(self)
        self.view.describe, self.view.speak = self.words_of, self._spoken
        make_graphs_accessible()
        self.view.view_changed.connect(lambda: self.header.show_zoom(self.view.view.zoom))
        self.header.switched.connect(self._switched)
        self.header.zoom_requested.connect(self.view.zoom_by)
        self.header.reset_requested.connect(self.view.zoom_reset)
        for topic in ("trace", "pass", "findings"):
            hub.listen(topic, self, self._what_changed)
        hub.listen("position", self, lambda _view: self.show_position(glide=True))
        hub.listen("selection", self, self._selection_changed)
        hub.listen("finding", self, self._finding_changed)
        hub.catch_up(self)

    # -- commands of the window

    @property
    def busy(self) -> bool:
        """Another scene is being made."""
        return self._busy

    def fit(self) -> None:
        self.view.fit()

    def zoom_in(self) -> None:
        self.view.zoom_by(camera.STEP)

    def zoom_out(self) -> None:
        self.view.zoom_by(1 / camera.STEP)

    def zoom_reset(self) -> None:
        self.view.zoom_reset()

    def highlight(self, nodes: Iterable[int]) -> None:
        """Ring the boxes that these nodes of the pass are in: found, or made by a source line."""
        if self.loaded is not None:
            box_of = self.loaded.scene.draft.box_of
            self.view.highlight(dict.fromkeys(int(box_of[node]) for node in nodes if 0 <= node < len(box_of)))

    def copy_image(self) -> None:
        """What is on the canvas, to the clipboard, as sharp as the screen."""
        picture, states = self.view.picture, self.view.states
        if picture is not None and states is not None:
            area = self.view.view.area()
            image = image_of(picture, states, self.theme.tokens, area, self.view.view.zoom * self.devicePixelRatioF())
            QGuiApplication.clipboard().setImage(image)

    def go_to_end(self, first: bool) -> None:
        """To the first or past the last step."""
        if self.loaded is not None:
            position = 0 if first else len(self.loaded.build.timeline)
            self.hub.change(self, position=position, selection=Selection())
            self.show_selected(NOTHING)
            self.show_position(glide=True)

    def menu_for(self, found: Hit) -> QMenu:
        """The menu of what was hit."""
        return self._acting.menu_for(found)

    def words_of(self, found: Hit) -> str:
        """A hit in words, for the tooltip."""
        if self._describer is None or self.view.states is None:
            return ""
        return self._describer.hit(found, self.view.states)

    # -- what the hub tells

    def _what_changed(self, view: HubView) -> None:
        self._soon.start(waits=is_large(view))

    def _load(self) -> None:
        view = self.hub.view
        if view.trace is None or view.pass_id is None:
            self._asked = ()
            self._show_nothing()
            return
        asked = (view.trace, view.pass_id)
        if self._busy and asked == self._asked:
            self._again = True  # a recording that grows: the scene under way is finished first
            return
        if self._asked[:1] != asked[:1] and not self._same_target(view):
            self._shown = replace(self._shown, opened=None)
            self.view.touched = False  # nobody has looked at this one yet
        self._asked, self._busy, self._again = asked, True, False
        # Wrapped only where it would otherwise be drawn much smaller than it is read best.
        size = (max(self.view.width() - 48.0, 300.0) / GOOD_ZOOM, max(self.view.height() - 48.0, 200.0) / GOOD_ZOOM)
        needed = FITS_AT / GOOD_ZOOM
        self._loader.load(
            Order(view.trace, view.pass_id, view.findings, self._shown, self._wrap, size, translated(), needed)
        )

    def _same_target(self, view: HubView) -> bool:
        """Running again keeps what is folded."""
        if self.loaded is None or view.trace is None:
            return False
        return self.loaded.order.trace.run().target == view.trace.run().target

    def _show_nothing(self) -> None:
        self.loaded = self._describer = None
        self.view.show_scene(None, None)
        self.focus.show(None)
        self.minimap.scene_changed()
        self.header.show_counts("")
        self.whereabouts.show()

    def _selection_changed(self, view: HubView) -> None:
        if self.loaded is None:
            return
        found = hit_of(self.loaded, view.selection)
        self.show_selected(found)
        boxes = boxes_of_selection(self.loaded, view.selection)
        boxes = boxes or boxes_of_group(self.loaded, found, view.selection)
        self.view.highlight(boxes)
        if found.kind == "frame":
            self.folding.look_at(self.loaded, view.selection)
        box = place_of_hit(self.loaded, found, self.view.aim) if found.kind else (boxes[0] if boxes else -1)
        if box >= 0:
            self.view.centre_on(box)

    def look_at_selection(self) -> None:
        """Bring what is selected into sight again."""
        self._selection_changed(self.hub.view)

    def _finding_changed(self, view: HubView) -> None:
        if self.view.picture is not None:
            self.view.picture.finding = view.finding
            self.view.pixels.forget()
            self.view.update()
            self.folding.reveal_finding(view, asked=True)

    # -- what is shown

    def show_position(self, glide: bool = False) -> None:
        """Bring the states to the hub's position, and look at the current node."""
        if self.loaded is None or self.hub.view.pass_id != self.loaded.order.pass_id:
            return
        self._turns.begin()
        states = states_at(self.loaded.build.timeline, self.hub.view.position)
        self.view.show_states(states)
        self.focus.follow()
        self.minimap.states_changed()
        if states.current >= 0 and glide:
            self.view.centre_on(states.current)
        self.whereabouts.show_soon()
        self._tell_reader(Hit("box", states.current) if states.current >= 0 else NOTHING)

    def show_selected(self, found: Hit) -> None:
        self.view.select(found)
        self.whereabouts.show()
        if found.kind == "box":
            self._tell_reader(found)

    def _spoken(self, box: int) -> str:
        return self._describer.spoken(box, self.view.states) if self._describer and self.view.states else ""

    def _tell_reader(self, found: Hit) -> None:
        """Say to a screen reader what is current or selected."""
        if found.kind != "box" or self._describer is None or not QAccessible.isActive():
            return
        self.view.setAccessibleDescription(self._spoken(found.at))
        tell_focus(self.view, found.at)

    def _on_loaded(self, loaded: Loaded) -> None:
        before, self.loaded = self.loaded, loaded
        self._busy = False
        self._shown = replace(self._shown, opened=loaded.build.opened)
        self._describer = Describer(loaded)
        picture = loaded.picture
        picture.finding = self.hub.view.finding
        states = states_at(loaded.build.timeline, self.hub.view.position)
        current = states.current if self.hub.view.position > 0 else -1
        anchor = self.folding.anchor()
        view = next_view(before, loaded, self.view.view, anchor, current, self.view.touched)
        self.view.show_scene(picture, states, view, moving=anchor is not None and self.focus.wanted is None)
        self.focus.scene_changed()
        self.whereabouts.show()
        self.minimap.scene_changed()
        self.header.show_counts(counts_of(loaded))
        self.strip.tell(loaded.scene.note or loaded.build.backward.truncated or "")
        if self.hub.view.selection.kind:
            self._selection_changed(self.hub.view)
        self.folding.shown(loaded)
        self.history.landed()
        self.scene_shown.emit()
        if QAccessible.isActive():
            tell_changed(self.view)
        if self._again:
            self._load()

    def _on_failed(self, text: str) -> None:
        self._busy = False
        self.strip.tell(text)

    # -- switches and groups

    def _switched(self, name: str, on: bool) -> None:
        if name == "legend":
            self.legend.setVisible(on)
            self._place_legend()
            return
        if name == "wrap":
            self._wrap = on
        elif name == "across":
            self._shown = replace(self._shown, direction="right" if on else "down")
            self.view.touched = False  # everything lies elsewhere: it is looked at afresh
        elif name == "shapes":
            self._shown = replace(self._shown, shapes=on)
        elif name == "constants":
            self._shown = replace(self._shown, constants=on)
        elif name == "views":
            self._shown = replace(self._shown, trivial=on)
        elif name == "modules":
            self._shown = replace(self._shown, modules=on, opened=None)
        self._busy = False
        self._load()

    def show_opened(self, opened: frozenset[str], loads: bool = True) -> None:
        """Draw the graph anew with these groups open. `loads` False: another pass is about to be drawn so."""
        self.history.leave("groups")
        self._shown = replace(self._shown, opened=opened)
        if loads:
            self._busy = False
            self._load()

    # -- window

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_legend()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.shut_down()
        super().closeEvent(event)

    def shut_down(self) -> None:
        """End what works in the background; the canvas shows no more."""
        self.hub.forget(self)
        self.hub.forget(self.history)
        self._loader.close()

    def _place_legend(self) -> None:
        self.legend.move(12, self.view.height() - self.legend.height() - 12)


def is_large(view: HubView) -> bool:
    """Whether it takes long to build what the hub shows."""
    if view.trace is None or view.pass_id is None:
        return False
    return any(each.id == view.pass_id and each.nodes > LARGE for each in view.trace.passes())
