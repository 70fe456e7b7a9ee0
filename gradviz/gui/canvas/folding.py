"""Opens and folds groups of the canvas: one, all, those round a node or a finding; what was asked for is looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from gradviz.document.hub import Selection, View
from gradviz.document.module_calls import calls_of
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.hits import Hit
from gradviz.gui.canvas.loader import Loaded
from gradviz.gui.canvas.looking import Anchor, anchor_at
from gradviz.gui.canvas.selecting import groups_round, hit_of
from gradviz.scene.groups import READABLE
from gradviz.scene.model import Card

if TYPE_CHECKING:
    from gradviz.gui.canvas.canvas import Canvas

MARGIN = 12.0  # px of the scene round a group that is looked at


class Folding(QObject):
    """Belongs to one Canvas."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._anchor: Anchor | None = None
        self._node = -1  # to look at once its groups are open
        self._group: Selection | None = None  # likewise
        self._told: tuple[object, ...] = ()  # the finding that was opened to

    # -- what a person asks for

    def fold_all(self) -> None:
        self._canvas.show_opened(frozenset())

    def open_all(self) -> None:
        loaded = self._canvas.loaded
        if loaded is not None:
            self._canvas.show_opened(frozenset(card.key for card in loaded.scene.draft.cards))

    def toggle(self, key: str) -> None:
        """Open a folded group, fold an open one; it stays where it is on the screen."""
        loaded = self._canvas.loaded
        if loaded is not None:
            self._anchor = anchor_at(loaded, key, self._canvas.view.view)
            self._canvas.show_opened(loaded.build.opened ^ {key})

    def fold(self, key: str) -> None:
        loaded = self._canvas.loaded
        if loaded is not None and key in loaded.build.opened:
            self.toggle(key)

    def toggle_kind(self, class_name: str, opened: bool) -> None:
        """Open or fold all groups of one module class."""
        loaded = self._canvas.loaded
        if loaded is not None:
            keys = {card.key for card in loaded.scene.draft.cards if card.class_name == class_name}
            now = loaded.build.opened
            self._canvas.show_opened(now | keys if opened else now - keys)

    # -- to be looked at

    def reveal(self, node: int) -> None:
        """Look at a node of the pass; the groups that it is folded away in are opened."""
        loaded = self._canvas.loaded
        if loaded is None or not 0 <= node < len(loaded.scene.draft.box_of):
            return
        missing = groups_round(loaded, node) - loaded.build.opened
        if missing:
            self._node, self._group = node, None
            self._canvas.show_opened(loaded.build.opened | missing)
        else:
            self._canvas.view.centre_on(int(loaded.scene.draft.box_of[node]))

    def open_group(self, group: Selection) -> None:
        """Open a module's group, and those that it is folded away in; a module without one has its nodes shown."""
        loaded = self._canvas.loaded
        if loaded is None:
            return
        missing = groups_of_module(loaded, group) - loaded.build.opened
        if missing:
            self._node, self._group = -1, group
            self._canvas.show_opened(loaded.build.opened | missing)
        else:
            self.look_at(loaded, group)

    def reveal_finding(self, view: View, asked: bool = False) -> None:
        """Who jumps to a finding sees it, not the group that it is folded away in. Once: it may be folded again.

        `asked`: one goes to it, though it may be the one that is shown already.

        The one that a fresh graph shows by itself is opened to as long as all boxes can be read.
        """
        loaded = self._canvas.loaded
        if loaded is None or not 0 <= view.finding < len(view.findings):
            self._told = self._told[:1]  # the recording: what is gone to now is gone to by a person
            return
        if (loaded.order.trace, loaded.order.pass_id, loaded.order.findings) != (
            view.trace,
            view.pass_id,
            view.findings,
        ):
            return  # its scene is still to come
        told = (view.trace, view.pass_id, view.findings, view.finding)
        again = told == self._told
        if again and not asked:
            return
        fresh, self._told = self._told[:1] != told[:1], told
        node = next((mark.node for mark in view.findings[view.finding].marks if mark.node >= 0), -1)
        if not 0 <= node < len(loaded.scene.draft.box_of):
            return
        missing = groups_round(loaded, node) - loaded.build.opened
        if missing and not (fresh and boxes_with(loaded, missing) > READABLE):
            self.reveal(node)
        elif again:
            self._canvas.look_at_selection()

    def leave_folded(self, view: View) -> None:
        """One goes back to where one looked at this finding, with what was open then."""
        self._told = (view.trace, view.pass_id, view.findings, view.finding)

    def coming(self) -> tuple[int, str]:
        """What the scene that is being made is opened for: a node (else -1), or the key of a group (else "")."""
        loaded, group = self._canvas.loaded, self._group
        if loaded is None or not self._canvas.busy:
            return -1, ""
        if group is None:
            return self._node, ""
        card = card_of_module(loaded, group)
        if card is not None:
            return -1, card.key
        nodes = nodes_of_module(loaded, group)
        return int(nodes[0]) if len(nodes) else -1, ""

    # -- a new scene

    def anchor(self) -> Anchor | None:
        """What should stay where it is, of the scene that was asked for last."""
        anchor, self._anchor = self._anchor, None
        return anchor

    def shown(self, loaded: Loaded) -> None:
        """The scene stands: look at what it was opened for."""
        if 0 <= self._node < len(loaded.scene.draft.box_of):
            self._canvas.view.centre_on(int(loaded.scene.draft.box_of[self._node]), glide=False)
        if self._group is not None:
            self.look_at(loaded, self._group)
        self._node, self._group = -1, None
        self.reveal_finding(self._canvas.hub.view)

    def look_at(self, loaded: Loaded, group: Selection) -> None:
        """All of an open group, unless it is in sight already; from nearer or farther only if it has to be.

        Of one that is too large to be read at once, the beginning.
        """
        view, found = self._canvas.view, hit_of(loaded, group)
        if found.kind == "box":
            view.centre_on(found.at, always=True)
        if found.kind != "frame":
            return
        x, y, width, height = (float(part) for part in loaded.scene.frames[found.at])
        area = (x - MARGIN, y - MARGIN, x + width + MARGIN, y + height + MARGIN)
        hidden = self._canvas.minimap.hides()
        free = view.view.width - hidden
        if camera.fits(replace(view.view, width=free), area) and view.view.zoom >= camera.READABLE:
            return
        view.touched = True
        view.stop_glide()
        view.set_view(camera.on_group(view.view, area, hidden))


def boxes_with(loaded: Loaded, opened: frozenset[str]) -> int:
    """About how many boxes there are with these groups opened too."""
    draft = loaded.scene.draft
    places = {at for at, card in enumerate(draft.cards) if card.key in opened}
    loose = int(np.isin(draft.card_of, list(places)).sum())
    return len(draft) + loose + sum(card.parent in places for card in draft.cards) - len(places)


def groups_of_module(loaded: Loaded, group: Selection) -> frozenset[str]:
    """The keys to open so that a module's first group is open; without one, so that its first node is seen."""
    at, cards = card_of_module(loaded, group), loaded.scene.draft.cards
    if at is not None:
        keys = {at.key}
        while at.parent >= 0:
            at = cards[at.parent]
            keys.add(at.key)
        return frozenset(keys)
    nodes = nodes_of_module(loaded, group)
    return groups_round(loaded, int(nodes[0])) if len(nodes) else frozenset()


def card_of_module(loaded: Loaded, group: Selection) -> Card | None:
    """A module's first group; None where it has none of its own."""
    for card in loaded.scene.draft.cards:
        if card.module == group.module if group.module >= 0 else card.path == group.path:
            return card
    return None


def nodes_of_module(loaded: Loaded, group: Selection) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The nodes that a module and those inside it made in this pass."""
    if not 0 <= group.module < len(loaded.order.trace.modules()):
        return np.empty(0, np.int64)
    return calls_of(loaded.order.trace, loaded.order.pass_id).nodes_inside(group.module)


def boxes_of_group(loaded: Loaded, found: Hit, group: Selection) -> tuple[int, ...]:
    """The boxes of a module that has no group of its own: it made one node, or nothing is grouped."""
    if found.kind or group.kind != "group":
        return ()
    nodes = nodes_of_module(loaded, group)
    return tuple(dict.fromkeys(loaded.scene.draft.box_of[nodes].tolist()))
