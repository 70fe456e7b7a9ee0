"""Gives the hub a recording, follows it while it grows, and keeps the place that a person looks at over a new run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.document.actions import Actions, place_of
from gradviz.document.hub import Hub, Selection, View

if TYPE_CHECKING:  # both bring what the first paint doesn't wait for
    from gradviz.diagnose.finding import Finding
    from gradviz.trace.reader import Trace


@dataclass(frozen=True)
class Place:
    """What was looked at before a run began."""

    pass_id: int
    position: int
    selection: Selection


class Showing:
    """Changes the hub's trace, pass, position and findings for the Document."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._actions = Actions(hub)
        self._wanted: Place | None = None
        self._set: View | None = None  # the view as we left it: another one means that the person moved

    def open(self, trace: Trace) -> None:
        """A recording that was opened, from its beginning."""
        self._wanted = None
        self._replace(trace, _first_pass(trace))

    def run_begins(self) -> None:
        """Remember the place: the coming recording is of the same script."""
        view = self._hub.view
        self._wanted = None
        if view.trace is not None and view.pass_id is not None:
            self._wanted = Place(view.pass_id, view.position, view.selection)

    def follow(self, trace: Trace) -> None:
        """The recording of the run has more than before; the first time it takes the old one's place."""
        view = self._hub.view
        if view.trace is not trace:
            self._replace(trace, _first_pass(trace))
        else:
            fields: dict[str, object] = {"trace_grew": True}
            if view.pass_id is None:
                fields["pass_id"] = _first_pass(trace)
            self._change(fields)
        self._return_to_place(trace)

    def run_ended(self) -> None:
        """What hasn't come back by now doesn't come any more."""
        self._wanted = None
        steps = self._actions.step_count()
        if self._hub.view.position > steps:
            self._hub.change(None, position=steps)

    def show_findings(self, findings: tuple[Finding, ...], unexamined: str = "") -> None:
        """The findings; the first one is gone to, unless the person is somewhere already.

        `unexamined`: why there could be none.
        """
        view = self._hub.view
        untouched = view.position == 0 and view.selection == Selection()
        if findings and untouched and findings[0].severity != "note":
            self._hub.change(None, findings=findings, examining=False, finding=0, **place_of(view, findings[0]))
        else:
            self._hub.change(None, findings=findings, examining=False, unexamined=unexamined)

    def examining(self) -> None:
        """Findings may follow."""
        self._hub.change(None, examining=True)

    def let_go(self) -> None:
        """Nothing is open."""
        trace = self._hub.view.trace
        self._wanted = None
        empty: dict[str, object] = {"trace": None, "pass_id": None, "position": 0, "selection": Selection()}
        self._hub.change(None, **empty, findings=(), finding=-1, unexamined="", examining=False)
        if trace is not None:
            trace.close()

    def _replace(self, trace: Trace, pass_id: int | None) -> None:
        before = self._hub.view.trace
        fields: dict[str, object] = {"trace": trace, "pass_id": pass_id, "position": 0, "selection": Selection()}
        self._change({**fields, "findings": (), "finding": -1, "unexamined": "", "examining": False})
        if before is not None and before is not trace:
            before.close()

    def _return_to_place(self, trace: Trace) -> None:
        """Go where one was, as soon as the new recording reaches so far and the person went nowhere else."""
        wanted, view = self._wanted, self._hub.view
        if wanted is None:
            return
        if self._set is not None and (view.position, view.selection) != (self._set.position, self._set.selection):
            self._wanted = None
            return
        if wanted.pass_id not in [each.id for each in trace.passes()]:
            return
        reached = min(wanted.position, len(trace.steps(wanted.pass_id)))
        nodes = len(trace.graph(wanted.pass_id))
        there = wanted.selection.node < nodes and wanted.selection.tail < nodes
        selection = wanted.selection if there else Selection()
        self._change({"pass_id": wanted.pass_id, "position": reached, "selection": selection})
        if reached == wanted.position:
            self._wanted = None

    def _change(self, fields: dict[str, object]) -> None:
        self._hub.change(None, **fields)
        self._set = self._hub.view


def _first_pass(trace: Trace) -> int | None:
    passes = trace.passes()
    return passes[0].id if passes else None
