"""What stands out on a canvas, as one asks for it: neighbours, what leads to a node, what follows; and the way out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gradviz.gui.canvas import camera
from gradviz.gui.canvas.focus_bar import HIGH, INSET, FocusBar
from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.gui.canvas.loader import Loaded
from gradviz.gui.canvas.veil import Veiled, veiled
from gradviz.gui.post import Post
from gradviz.scene.focus import AFTER, AROUND, BEFORE, BOTH, Focus, part_in_focus
from gradviz.scene.model import Kind

if TYPE_CHECKING:
    from gradviz.gui.canvas.canvas import Canvas

KINDS = (AROUND, BEFORE, AFTER, BOTH)
QUICK = 6000  # nodes and edges that are looked through between two frames
MOST_HOPS = 20
LEAST_ZOOM = 0.35  # a part that would be smaller isn't shown whole: one looks at its node
BAR_ROOM = float(HIGH + INSET)


class Focusing(QObject):
    """Belongs to one Canvas. `wanted` is what one asked for, None when everything is shown."""

    changed = Signal()
    leaf_wanted = Signal()  # a path is asked for, and no leaf is selected
    hidden_changed = Signal(bool)  # whether the rest is gone rather than dimmed: the person's choice

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._post = Post(self)
        self._newest = 0
        self.wanted: Focus | None = None
        self._nodes = 0  # of the graph that it is in
        self.hops = 1
        self.hides = False
        self.bar = FocusBar(canvas.theme, canvas.view, self._left_of_map)
        self.bar.left.connect(self.off)
        self.bar.hops_chosen.connect(self.set_hops)
        self.bar.hide_chosen.connect(self.set_hides)

    # -- what one asks for

    def can_begin(self) -> bool:
        """Something is selected, or there is a current node."""
        loaded = self._canvas.loaded
        if loaded is None:
            return False
        return bool(self._canvas.view.selected.kind) or self._canvas.hub.view.position < len(loaded.build.timeline)

    def has_leaves(self) -> bool:
        loaded = self._canvas.loaded
        return loaded is not None and bool((loaded.build.graph.leaf >= 0).any())

    def begin(self, kind: str) -> None:
        """Focus on what is selected, else on the current node; once more, and all is shown again."""
        start = self._coming()
        self._begin_from(kind, start if start is not None else self._begin(self._here()))

    def begin_at(self, kind: str, found: Hit) -> None:
        self._begin_from(kind, self._begin(found))

    def _begin_from(self, kind: str, start: Focus | None) -> None:
        if start is None:
            self.off()
            return
        follows = kind == AROUND and not self._canvas.view.selected.kind
        asked = replace(start, kind=kind, hops=self.hops if kind == AROUND else 1, follows=follows)
        self._ask(None if asked == self.wanted else asked, looks=True)

    def leaf_at(self, found: Hit) -> int:
        """The node of the leaf that was hit, -1."""
        loaded = self._canvas.loaded
        if loaded is None or found.kind != "box" or loaded.scene.draft.kind[found.at] != Kind.LEAF:
            return -1
        return int(loaded.scene.draft.node[found.at])

    def ask_path(self) -> None:
        """From the loss to the leaf that is selected; without one, the person is asked which."""
        loaded, start = self._canvas.loaded, self._coming()
        leaf = self.leaf_at(self._canvas.view.selected)
        if loaded is not None and start is not None and start.node >= 0:
            leaf = start.node if loaded.build.graph.leaf[start.node] >= 0 else -1
        if leaf >= 0:
            self.begin(BEFORE)
        elif self.wanted is not None and self.wanted.kind == BEFORE:
            self.off()
        else:
            self.leaf_wanted.emit()

    def show_path(self, leaf: int) -> None:
        """All ways from the loss to a leaf."""
        self._ask(Focus(BEFORE, leaf), looks=True)

    def off(self) -> None:
        self._ask(None)

    def set_hops(self, hops: int) -> None:
        self.hops = max(1, min(hops, MOST_HOPS))
        if self.wanted is not None and self.wanted.kind == AROUND and self.wanted.hops != self.hops:
            self._ask(replace(self.wanted, hops=self.hops), looks=True)

    def set_hides(self, hides: bool) -> None:
        if hides != self.hides:
            self.hides = hides
            self.hidden_changed.emit(hides)
            self.show(self.wanted)

    def _ask(self, focus: Focus | None, looks: bool = False) -> None:
        if focus != self.wanted:
            self._canvas.history.leave("focus")
            self.show(focus, looks)

    # -- what is shown

    def show(self, focus: Focus | None, looks: bool = False) -> None:
        """`looks`: bring it into sight."""
        self.wanted = focus
        self._newest += 1
        loaded = self._canvas.loaded
        if focus is None or loaded is None:
            self._lift()
            return
        number, gone, self._nodes = self._newest, self.hides, len(loaded.build.graph)
        current = self._with_current(loaded, focus)

        def work() -> Veiled:
            return veiled(loaded.picture, part_in_focus(loaded.scene.draft, loaded.build.graph, current), gone)

        if focus.kind == AROUND or len(loaded.build.graph) + len(loaded.build.graph.tail) <= QUICK:
            self._drop_veil(number, work(), current, looks)
            return

        def begin() -> None:
            made = work()
            self._post(lambda: self._drop_veil(number, made, current, looks))

        _in_thread(begin)

    def follow(self) -> None:
        """The position changed."""
        if self.wanted is not None and self.wanted.follows:
            self.show(self.wanted)

    def scene_changed(self) -> None:
        """Another scene: the focus stays on its node, unless the scene is of another graph."""
        loaded = self._canvas.loaded
        if self.wanted is not None and loaded is not None:
            self.show(self.wanted if len(loaded.build.graph) == self._nodes else None)

    def _with_current(self, loaded: Loaded, focus: Focus) -> Focus:
        """With the node of the current step, for one that follows; past the last step, of that one."""
        line, position = loaded.build.timeline, self._canvas.hub.view.position
        if not focus.follows or not len(line):
            return focus
        return replace(focus, node=int(line.step_node[min(position, len(line) - 1)]), card="")

    def _drop_veil(self, number: int, veil: Veiled, focus: Focus, looks: bool) -> None:
        loaded, view = self._canvas.loaded, self._canvas.view
        if number != self._newest or loaded is None or veil.whole is not loaded.picture:
            return
        if not len(veil.part.boxes):
            self.wanted = None
            self._lift()
            return
        view.show_veil(veil, BAR_ROOM)
        self.bar.tell(self._title(loaded, focus), focus, len(veil.part.boxes), len(loaded.scene.draft), self.hides)
        if looks:
            self._look_at(veil, focus)
        self._told()

    def _lift(self) -> None:
        self._canvas.view.show_veil(None)
        self.bar.hide()
        self._told()

    def _told(self) -> None:
        self._canvas.whereabouts.show()
        self.changed.emit()

    def _look_at(self, veil: Veiled, focus: Focus) -> None:
        view = self._canvas.view
        bounds = veil.own.scene.bounds
        seen = camera.fits(view.view, bounds)
        if seen and view.view.zoom >= camera.READABLE:
            return
        fitted = camera.fitted_below(bounds, view.width(), view.height(), BAR_ROOM)
        if fitted.zoom >= min(LEAST_ZOOM, view.view.zoom):
            view.touched = True
            view.stop_glide()
            view.set_view(fitted)
        elif 0 <= focus.node < len(veil.scene.draft.box_of):
            view.centre_on(int(veil.scene.draft.box_of[focus.node]))

    def _left_of_map(self) -> int:
        canvas = self._canvas
        return canvas.minimap.x() if canvas.minimap.isVisible() else canvas.view.width()

    # -- words

    def title(self) -> str:
        """What stands out, for the breadcrumb; "" when everything is shown."""
        loaded = self._canvas.loaded
        if loaded is None or self.wanted is None:
            return ""
        return self._title(loaded, self._with_current(loaded, self.wanted))

    def _title(self, loaded: Loaded, focus: Focus) -> str:
        name, leaf = self._name(loaded, focus)
        if focus.kind == AROUND and focus.follows:
            words = self.tr("Around the current step, {node}")
        elif focus.kind == AROUND:
            words = self.tr("Neighbours of {node}")
        elif focus.kind == BEFORE:
            words = self.tr("Path from the loss to {node}") if leaf else self.tr("What leads to {node}")
        elif focus.kind == AFTER:
            words = self.tr("What follows from {node}")
        else:
            words = self.tr("What leads to {node} and follows from it")
        return words.format(node=name)

    def _name(self, loaded: Loaded, focus: Focus) -> tuple[str, bool]:
        """What the focus is on, and whether it is a leaf."""
        draft, graph = loaded.scene.draft, loaded.build.graph
        if focus.card:
            return next((card.title for card in draft.cards if card.key == focus.card), ""), False
        leaf = int(graph.leaf[focus.node])
        leaves = loaded.order.trace.leaves()
        if 0 <= leaf < len(leaves) and leaves[leaf].name:
            return leaves[leaf].name, True
        return loaded.order.trace.string(int(graph.name[focus.node])), leaf >= 0

    # -- where it begins

    def _coming(self) -> Focus | None:
        """What one has just gone to, while the groups that it is folded away in still open round it."""
        loaded, chosen = self._canvas.loaded, self._canvas.hub.view.selection
        node, card = self._canvas.folding.coming()
        if card and chosen.kind == "group":
            return Focus(AROUND, card=card)
        if loaded is None or chosen.kind not in ("node", "group") or not 0 <= node < len(loaded.build.graph):
            return None
        return Focus(AROUND, node) if chosen.kind == "group" or chosen.node == node else None

    def _here(self) -> Hit:
        """What is selected, else the current node."""
        view = self._canvas.view
        if view.selected.kind:
            return view.selected
        return Hit("box", view.states.current) if view.states is not None and view.states.current >= 0 else NOTHING

    def _begin(self, found: Hit) -> Focus | None:
        loaded = self._canvas.loaded
        if loaded is None or not found.kind:
            return None
        draft = loaded.scene.draft
        if found.kind == "frame":
            return Focus(AROUND, card=draft.cards[draft.open_cards[found.at]].key)
        box = int(draft.head[found.at]) if found.kind == "edge" else found.at
        if draft.kind[box] == Kind.GROUP:
            return Focus(AROUND, card=draft.cards[int(draft.card[box])].key)
        if draft.kind[box] in (Kind.SEED, Kind.CONSTANT):  # they stand above a node
            below = draft.head[draft.tail == box]
            box = int(below[0]) if len(below) else box
        nodes = np.flatnonzero(draft.box_of == box)
        own = int(draft.node[box])
        return Focus(AROUND, own if own >= 0 else int(nodes[0])) if own >= 0 or len(nodes) else None


def _in_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="gradviz-focus", daemon=True).start()
