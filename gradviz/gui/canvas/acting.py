"""What clicks, keys and the menu do on the canvas: select, go to a step, open and fold groups."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu

from gradviz.document.hub import Selection
from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.gui.canvas.keyboard import along, first_box, other_end
from gradviz.gui.canvas.selecting import selection_of
from gradviz.scene.focus import AFTER, AROUND, BEFORE, BOTH
from gradviz.scene.model import Card, Kind

if TYPE_CHECKING:
    from gradviz.gui.canvas.canvas import Canvas

ARROWS = {Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down", Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right"}

translate = QCoreApplication.translate


class Acting(QObject):
    """Acts on one Canvas."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        view = canvas.view
        view.clicked.connect(self.select)
        view.double_clicked.connect(self.enter)
        view.menu_requested.connect(self._menu)
        view.key_pressed.connect(self._key)
        view.boxes_chosen.connect(self.choose)

    # -- selecting and going

    def select(self, found: Hit) -> None:
        """Select what was hit, here and in all panes; nothing clears the selection."""
        loaded = self._canvas.loaded
        if loaded is None:
            return
        self._canvas.show_selected(found)
        self._canvas.hub.change(self._canvas, selection=selection_of(loaded, found))

    def choose(self, boxes: list[int]) -> None:
        """What the rubber band holds: ringed, and where it is one node alone, selected."""
        alone = len(boxes) == 1
        self.select(Hit("box", boxes[0]) if alone else NOTHING)
        self._canvas.view.highlight(() if alone else boxes)

    def escape(self) -> None:
        """One thing at a time: the focus goes first, then the selection."""
        if self._canvas.focus.wanted is not None:
            self._canvas.focus.off()
        else:
            self.select(NOTHING)

    def enter(self, found: Hit) -> None:
        """Double click and Enter: open or fold a group, go to a node's step, to an edge's receiving node."""
        loaded = self._canvas.loaded
        card = self.card_of(found)
        if card is not None:
            self._canvas.folding.toggle(card.key)
        elif loaded is not None and found.kind == "edge":
            self.go_to_box(int(loaded.scene.draft.head[found.at]))
        elif found.kind == "box":
            self.go_to_box(found.at)

    def go_to_box(self, box: int) -> None:
        """Go to the step of a box's node, or where it didn't run only select it."""
        loaded = self._canvas.loaded
        if loaded is None:
            return
        selection = selection_of(loaded, Hit("box", box))
        step = int(loaded.scene.draft.step_first[box])
        self._canvas.show_selected(Hit("box", box))
        if step >= 0 and loaded.scene.draft.kind[box] != Kind.GROUP:
            self._canvas.hub.change(self._canvas, position=step, selection=selection)
            self._canvas.show_position(glide=True)
        else:
            self._canvas.hub.change(self._canvas, selection=selection)

    def card_of(self, found: Hit) -> Card | None:
        loaded = self._canvas.loaded
        if loaded is None:
            return None
        draft = loaded.scene.draft
        if found.kind == "frame":
            return draft.cards[draft.open_cards[found.at]]
        if found.kind == "box" and draft.kind[found.at] == Kind.GROUP:
            return draft.cards[int(draft.card[found.at])]
        return None

    def surrounding_key(self, found: Hit) -> str:
        """The group that Backspace folds: the one round what is selected."""
        loaded = self._canvas.loaded
        if loaded is None:
            return ""
        draft = loaded.scene.draft
        if found.kind == "frame":
            return draft.cards[draft.open_cards[found.at]].key
        box = found.at if found.kind == "box" else int(draft.head[found.at]) if found.kind == "edge" else -1
        card = int(draft.inside[box]) if box >= 0 else -1
        return draft.cards[card].key if card >= 0 else ""

    # -- keys

    def _key(self, event: QKeyEvent) -> None:
        if event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier):
            return
        key = Qt.Key(event.key())
        canvas, view = self._canvas, self._canvas.view
        simple = {
            Qt.Key.Key_Plus: lambda: view.zoom_by(1.25),
            Qt.Key.Key_Equal: lambda: view.zoom_by(1.25),
            Qt.Key.Key_Minus: lambda: view.zoom_by(0.8),
            Qt.Key.Key_0: view.zoom_reset,
            Qt.Key.Key_F: view.fit,
            Qt.Key.Key_Escape: self.escape,
            Qt.Key.Key_N: lambda: canvas.focus.begin(AROUND),
            Qt.Key.Key_I: lambda: canvas.focus.begin(BEFORE),
            Qt.Key.Key_O: lambda: canvas.focus.begin(AFTER),
            Qt.Key.Key_B: lambda: canvas.focus.begin(BOTH),
            Qt.Key.Key_P: canvas.focus.ask_path,
            Qt.Key.Key_H: lambda: canvas.focus.set_hides(not canvas.focus.hides),
            Qt.Key.Key_BracketRight: lambda: canvas.focus.set_hops(canvas.focus.hops + 1),
            Qt.Key.Key_BracketLeft: lambda: canvas.focus.set_hops(canvas.focus.hops - 1),
            Qt.Key.Key_V: canvas.header.switches["views"].click,
            Qt.Key.Key_D: canvas.header.switches["across"].click,
            Qt.Key.Key_Return: lambda: self.enter(view.selected),
            Qt.Key.Key_Enter: lambda: self.enter(view.selected),
            Qt.Key.Key_Backspace: lambda: canvas.folding.fold(self.surrounding_key(view.selected)),
            Qt.Key.Key_Home: lambda: canvas.go_to_end(first=True),
            Qt.Key.Key_End: lambda: canvas.go_to_end(first=False),
            Qt.Key.Key_Menu: self._menu_by_key,
        }
        if key in ARROWS:
            self._walk(ARROWS[key])
        elif key in simple:
            simple[key]()
        else:
            return
        event.accept()

    def _walk(self, direction: str) -> None:
        loaded, view = self._canvas.loaded, self._canvas.view
        if loaded is None or not len(loaded.scene.draft):
            return
        here = view.selected
        if here.kind == "box":
            box = along(loaded.scene, here.at, direction)
        elif here.kind == "edge":
            box = other_end(loaded.scene, here.at, direction)
        else:
            current = view.states.current if view.states is not None else -1
            box = current if current >= 0 else first_box(loaded.scene)
        self._canvas.history.small_move()
        self.select(Hit("box", box))
        view.centre_on(box)

    # -- menu

    def _menu_by_key(self) -> None:
        view = self._canvas.view
        self._menu(view.selected, view.mapToGlobal(view.rect().center()))

    def _menu(self, found: Hit, at: QPoint) -> None:
        if found.kind:
            self.select(found)
        menu = self.menu_for(found)
        menu.popup(at)

    def menu_for(self, found: Hit) -> QMenu:
        """The menu of what was hit; it deletes itself when closed."""
        canvas, loaded = self._canvas, self._canvas.loaded
        menu = QMenu(canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, True)
        card = self.card_of(found)
        if card is not None:
            opened = found.kind == "frame"
            menu.addAction(
                translate("Canvas", "Fold") if opened else translate("Canvas", "Open"),
                lambda: canvas.folding.toggle(card.key),
            )
            menu.addAction(
                translate("Canvas", "Fold all of this kind")
                if opened
                else translate("Canvas", "Open all of this kind"),
                lambda: canvas.folding.toggle_kind(card.class_name, not opened),
            )
            self._focus_actions(menu, found)
            menu.addAction(translate("Canvas", "Copy name"), lambda: _copy(card.path or card.title))
        elif found.kind == "box" and loaded is not None:
            self._box_actions(menu, found.at)
        elif found.kind == "edge":
            menu.addAction(translate("Canvas", "Go to receiving node"), lambda: self.enter(found))
            menu.addAction(translate("Canvas", "Copy shapes"), lambda: _copy(canvas.words_of(found)))
        else:
            menu.addAction(translate("Canvas", "Fit graph"), canvas.fit)
            menu.addAction(translate("Canvas", "Fold all modules"), canvas.folding.fold_all)
            menu.addAction(translate("Canvas", "Open all modules"), canvas.folding.open_all)
            menu.addAction(translate("Canvas", "Copy as image"), canvas.copy_image)
        return menu

    def _box_actions(self, menu: QMenu, box: int) -> None:
        canvas, loaded = self._canvas, self._canvas.loaded
        if loaded is None:
            return
        draft = loaded.scene.draft
        go = menu.addAction(translate("Canvas", "Go to this step"), lambda: self.go_to_box(box))
        go.setEnabled(int(draft.step_first[box]) >= 0)
        if not go.isEnabled():
            go.setToolTip(translate("Canvas", "No step of this backward pass ran this node."))
        node = int(draft.node[box])
        if node >= 0 and draft.kind[box] in (Kind.BUILTIN, Kind.LEAF, Kind.CUSTOM):
            file, line = loaded.build.texts.line(node)
            if line:
                selection = Selection("line", path=file, line=line)
                menu.addAction(
                    translate("Canvas", "Show its line"), lambda: canvas.hub.change(None, selection=selection)
                )
        self._focus_actions(menu, Hit("box", box))
        name = loaded.build.texts.name(draft, box)
        menu.addAction(translate("Canvas", "Copy name"), lambda: _copy(name))
        menu.setToolTipsVisible(True)

    def _focus_actions(self, menu: QMenu, found: Hit) -> None:
        """What can stand out, seen from here; and the way out of it."""
        canvas = self._canvas
        leaf = canvas.focus.leaf_at(found) >= 0
        words = {
            AROUND: translate("Canvas", "Focus on neighbours"),
            BEFORE: translate("Canvas", "Focus on the path from the loss")
            if leaf
            else translate("Canvas", "Focus on what leads here"),
            AFTER: translate("Canvas", "Focus on what follows"),
            BOTH: translate("Canvas", "Focus on both"),
        }
        for kind in (AROUND, BEFORE) if leaf else words:
            menu.addAction(words[kind], partial(canvas.focus.begin_at, kind, found))
        if canvas.focus.wanted is not None:
            menu.addAction(translate("Canvas", "Show everything"), canvas.focus.off)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
