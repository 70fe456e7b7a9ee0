"""The canvas's breadcrumb: the opened groups round what is selected, or round the current node; a press goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from gradviz.document.hub import Selection
from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.gui.canvas.loader import Loaded
from gradviz.gui.canvas.selecting import selection_of

if TYPE_CHECKING:
    from gradviz.gui.canvas.canvas import Canvas

MARGIN = 12.0


class Whereabouts(QObject):
    """Belongs to one Canvas."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        canvas.header.crumbs.chosen.connect(self.go)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.show)

    def show_soon(self) -> None:
        """In a turn of its own: a step mustn't wait for the header to be arranged anew."""
        self._soon.start()

    def show(self) -> None:
        canvas = self._canvas
        path = [("", self.tr("Whole graph"))]
        loaded, view = canvas.loaded, canvas.view
        if loaded is None:
            path = [("", self.tr("Graph"))]
        else:
            current = view.states.current if view.states is not None else -1
            path += groups_to(loaded, view.selected if view.selected.kind else Hit("box", current))
            if canvas.focus.wanted is not None:
                path.append(("focus", canvas.focus.title()))
        canvas.header.crumbs.show_path(tuple(path))

    def go(self, key: str) -> None:
        """Look at a group; "" at all of the graph, with nothing dimmed and nothing selected."""
        canvas, loaded = self._canvas, self._canvas.loaded
        if loaded is None or key == "focus":
            return
        canvas.focus.off()
        if not key:
            canvas.show_selected(NOTHING)
            canvas.hub.change(canvas, selection=Selection())
            canvas.fit()
            return
        draft = loaded.scene.draft
        at = next((at for at, card in enumerate(draft.open_cards) if draft.cards[card].key == key), -1)
        if at < 0:
            return
        canvas.show_selected(Hit("frame", at))
        canvas.hub.change(canvas, selection=selection_of(loaded, Hit("frame", at)))
        x, y, width, height = (float(part) for part in loaded.scene.frames[at])
        canvas.view.look_at((x - MARGIN, y - MARGIN, x + width + MARGIN, y + height + MARGIN))


def groups_to(loaded: Loaded, found: Hit) -> list[tuple[str, str]]:
    """Keys and titles of the opened groups round a hit, outermost first; an open group itself is the last."""
    draft = loaded.scene.draft
    card = -1
    if found.kind == "frame" and found.at < len(draft.open_cards):
        card = int(draft.open_cards[found.at])
    else:
        box = found.at if found.kind == "box" else -1
        if found.kind == "edge" and 0 <= found.at < draft.edges:
            box = int(draft.head[found.at])
        card = int(draft.inside[box]) if 0 <= box < len(draft) else -1
    path = []
    while card >= 0:
        one = draft.cards[card]
        path.append((one.key, one.title))
        card = one.parent
    return path[::-1]
