"""Back and forward through the views of a canvas. Small moves belong to a view; after a jump one can come back.

A jump is another pass or finding, another selection, a step that isn't the next, a group that opens or folds, a focus;
and a move of the view by half a window or more, once it has come to rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.document.hub import View as HubView
from gradviz.gui.canvas.trail import Spot, Trail, held_in, view_from

if TYPE_CHECKING:
    from gradviz.gui.canvas.canvas import Canvas

REVEALING = ("pass", "finding", "selection")  # groups may open for what one jumped to
REST_MS = 300  # so long nothing moves: the view has come to rest


class History(QObject):
    """Belongs to one Canvas, and hears of the hub before it: while one still looks from where one jumps."""

    changed = Signal()  # whether one can go back or forward

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.trail = Trail()
        self._seen = canvas.hub.view
        self._jumped = ""
        self._small = self._stepped = False
        self._target: Spot | None = None  # where one goes back to, until its scene is there
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self.settle)
        canvas.view.view_changed.connect(self._rest.start)
        for topic in ("trace", "pass", "position", "selection", "finding"):
            canvas.hub.listen(topic, self, self._hub_changed)

    # -- what can be done

    @property
    def can_go_back(self) -> bool:
        return self.trail.can_go_back or (bool(self._jumped) and self.trail.now is not None)

    @property
    def can_go_forward(self) -> bool:
        return self.trail.can_go_forward and not self._jumped

    @property
    def moving(self) -> bool:
        """The view hasn't come to rest."""
        return self._rest.isActive()

    def back(self) -> None:
        self.settle()
        loaded, view, why = self._canvas.loaded, self._canvas.hub.view, self._jumped
        self._jumped = ""
        if why and loaded is not None and (why == "groups" or loaded.order.pass_id != view.pass_id):
            self._restore(self.trail.now)  # what one jumped to isn't there yet
            return
        if why and loaded is not None:  # it is, though groups may still open round it
            self.trail.arrive(self._spot(view), True)
        self._restore(self.trail.back())

    def forward(self) -> None:
        self.settle()
        self._restore(self.trail.forward())

    # -- what happens

    def small_move(self) -> None:
        """The next selection is a move among neighbours, not a jump."""
        self._small = True

    def leave(self, why: str) -> None:
        """A jump begins: one still looks from where it starts."""
        if self._target is not None:
            return
        self._leave(why, self._canvas.hub.view)

    def settle(self) -> None:
        """The view has come to rest, or is about to be left."""
        self._rest.stop()
        if self._canvas.loaded is None or self._target is not None or self._waits():
            return
        spot = self._spot(self._canvas.hub.view)
        if self._stepped and not self._jumped:
            self.trail.update(spot)  # step by step, and the view went along
        else:
            self.trail.arrive(spot, bool(self._jumped))
        self._jumped, self._stepped = "", False
        self.changed.emit()

    def landed(self) -> None:
        """The canvas shows another scene."""
        target, loaded = self._target, self._canvas.loaded
        self._rest.start()
        if target is None or loaded is None:
            return
        if (loaded.order.pass_id, loaded.build.opened) == (target.pass_id, target.opened):
            self._look(target)
        else:
            self._target = None  # something else was asked for meanwhile

    def _waits(self) -> bool:
        """What one jumped to is still being drawn."""
        loaded, view = self._canvas.loaded, self._canvas.hub.view
        return self._canvas.busy or loaded is None or loaded.order.pass_id != view.pass_id

    def _hub_changed(self, view: HubView) -> None:
        """Called once for each topic of a change."""
        if view is self._seen:
            return
        before, self._seen = self._seen, view
        small, self._small = self._small, False
        if before.trace is not view.trace:
            self._forget()
            return
        why = jump_between(before, view)
        if why and not small and self._target is None:
            self._leave(why, before)
        self._stepped = self._stepped or before.position != view.position
        self._rest.start()

    def _forget(self) -> None:
        self.trail.clear()
        self._jumped, self._target = "", None
        self.changed.emit()

    def _leave(self, why: str, from_: HubView) -> None:
        if self._canvas.loaded is None or from_.pass_id != self._canvas.loaded.order.pass_id:
            return
        if not self._jumped:
            self.trail.arrive(self._spot(from_), False)
        elif why == "groups" and self._jumped in REVEALING:
            return
        elif self._jumped != why or why != "position":  # a slider that is drawn is one jump
            self.trail.arrive(self._spot(from_), True)
        self._jumped = why
        self._rest.start()
        self.changed.emit()

    def _spot(self, seen: HubView) -> Spot:
        canvas = self._canvas
        loaded = canvas.loaded
        assert loaded is not None  # asked by all who call this
        view = canvas.view.aim
        return Spot(
            seen.pass_id,
            seen.position,
            seen.selection,
            seen.finding,
            loaded.build.opened,
            view,
            held_in(loaded, view),
            canvas.focus.wanted,
        )

    # -- going back

    def _restore(self, spot: Spot | None) -> None:
        canvas = self._canvas
        loaded = canvas.loaded
        if spot is None or loaded is None:
            return
        self._target = spot
        seen = {"pass_id": spot.pass_id, "position": spot.position, "selection": spot.selection}
        canvas.folding.leave_folded(replace(canvas.hub.view, pass_id=spot.pass_id, finding=spot.finding))
        here = not canvas.busy and (loaded.order.pass_id, loaded.build.opened) == (spot.pass_id, spot.opened)
        if not here:
            canvas.show_opened(spot.opened, loads=spot.pass_id == loaded.order.pass_id)
        canvas.hub.change(None, **seen, finding=spot.finding)
        if here:
            self._look(spot)
        self.changed.emit()

    def _look(self, spot: Spot) -> None:
        canvas, loaded = self._canvas, self._canvas.loaded
        assert loaded is not None  # as above
        canvas.focus.show(spot.focus)
        canvas.view.touched = True
        canvas.view.stop_glide()
        canvas.view.set_view(view_from(spot, loaded, canvas.view.width(), canvas.view.height()))
        self._target = None
        self.changed.emit()


def jump_between(before: HubView, after: HubView) -> str:
    """Why one may want to come back; "" for what is no jump."""
    if before.findings != after.findings:
        return ""  # the diagnosis came, and shows the first one
    if before.pass_id != after.pass_id:
        return "pass" if before.pass_id is not None else ""
    if before.finding != after.finding and after.finding >= 0:
        return "finding"
    if before.selection != after.selection and after.selection.kind:
        return "selection"
    return "position" if abs(before.position - after.position) > 1 else ""
