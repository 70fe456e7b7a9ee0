"""What a person can do to the position: step, back, first, last, findings, passes; each says why it can't now.

Reasons are English sentences; the window translates them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.document.hub import Hub, Selection, View
from gradviz.errors import TraceError

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding, Mark

NO_RECORDING = "Open a script or a recording first."
NO_PASS = "No backward pass was recorded."
NO_STEPS = "No step of this backward pass ran."
AT_START = "This is the first step."
AT_END = "The backward pass ends here."
NO_FINDINGS = "No problems were found."
UNEXAMINED = "This recording couldn't be examined for problems."
ONE_PASS = "There is no other backward pass."


@dataclass(frozen=True)
class Availability:
    """Whether an action can be done now, and if not, why."""

    enabled: bool
    reason: str = ""


class Actions:
    """Moves what the hub shows. `origin` is the pane that asked: it is spared its own event."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._do: dict[str, Callable[[object], None]] = {
            "step": lambda origin: self.go_to(self._hub.view.position + 1, origin),
            "back": lambda origin: self.go_to(self._hub.view.position - 1, origin),
            "first": lambda origin: self.go_to(0, origin),
            "last": lambda origin: self.go_to(self.step_count(), origin),
            "next_finding": lambda origin: self._walk_findings(1, origin),
            "previous_finding": lambda origin: self._walk_findings(-1, origin),
            "next_pass": lambda origin: self._walk_passes(1, origin),
            "previous_pass": lambda origin: self._walk_passes(-1, origin),
        }

    def names(self) -> tuple[str, ...]:
        return tuple(self._do)

    def do(self, name: str, origin: object = None) -> None:
        """Do it if it can be done now."""
        if self.availability(name).enabled:
            self._do[name](origin)

    def availability(self, name: str) -> Availability:
        view = self._hub.view
        if view.trace is None:
            return Availability(False, NO_RECORDING)
        if name.endswith("finding"):
            reason = UNEXAMINED if view.unexamined else NO_FINDINGS
            return Availability(bool(view.findings), "" if view.findings else reason)
        if view.pass_id is None:
            return Availability(False, NO_PASS)
        if name.endswith("pass"):
            several = len(view.trace.passes()) > 1
            return Availability(several, "" if several else ONE_PASS)
        steps = self.step_count()
        if steps == 0:
            return Availability(False, NO_STEPS)
        if name in ("step", "last") and view.position >= steps:
            return Availability(False, AT_END)
        if name in ("back", "first") and view.position <= 0:
            return Availability(False, AT_START)
        return Availability(True)

    def step_count(self) -> int:
        """How many steps of the present pass ran; 0 without one, or where they can't be read."""
        view = self._hub.view
        if view.trace is None or view.pass_id is None:
            return 0
        try:
            return len(view.trace.steps(view.pass_id))
        except TraceError:
            return 0

    def go_to(self, position: int, origin: object = None) -> None:
        """Go to a position; the selection goes, so that every pane shows the current step."""
        bounded = max(0, min(position, self.step_count()))
        self._hub.change(origin, position=bounded, selection=Selection())

    def choose_pass(self, pass_id: int, origin: object = None) -> None:
        """Show another backward pass: at its first finding, or before its first step."""
        view = self._hub.view
        if pass_id == view.pass_id:
            return
        for index, finding in enumerate(view.findings):
            if finding.pass_id == pass_id:
                self.show_finding(index, origin)
                return
        self._hub.change(origin, pass_id=pass_id, position=0, selection=Selection(), finding=-1)

    def show_finding(self, index: int, origin: object = None) -> None:
        """Go where a finding is: its pass, its step, its first mark."""
        view = self._hub.view
        if not 0 <= index < len(view.findings):
            return
        place = place_of(view, view.findings[index])
        self._hub.change(origin, finding=index, finding_again=index == view.finding, **place)

    def _walk_findings(self, by: int, origin: object) -> None:
        view = self._hub.view
        if view.finding < 0:
            index = 0 if by > 0 else len(view.findings) - 1
        else:
            index = (view.finding + by) % len(view.findings)
        self.show_finding(index, origin)

    def _walk_passes(self, by: int, origin: object) -> None:
        view = self._hub.view
        if view.trace is None:
            return
        ids = [each.id for each in view.trace.passes()]
        place = ids.index(view.pass_id) if view.pass_id in ids else 0
        self.choose_pass(ids[(place + by) % len(ids)], origin)


def place_of(view: View, finding: Finding) -> dict[str, object]:
    """The hub fields that show a finding where it is, as far as the recording reaches."""
    selection = selection_of(finding.marks[0]) if finding.marks else Selection()
    pass_id = finding.pass_id if finding.pass_id is not None else view.pass_id
    if view.trace is None or pass_id is None:
        return {"selection": selection}
    try:
        steps = view.trace.steps(pass_id)
    except TraceError:
        return {"pass_id": pass_id, "position": 0, "selection": selection}
    if finding.step is not None:
        position = finding.step
    elif finding.pass_id is not None and finding.marks and finding.marks[0].kind != "seed":
        ran = [number for number, node in enumerate(steps.node.tolist()) if node == finding.marks[0].node]
        position = ran[0] if ran else len(steps)
    elif finding.pass_id is not None:
        position = 0
    else:
        position = view.position  # nothing to do with one pass: stay
    return {"pass_id": pass_id, "position": max(0, min(position, len(steps))), "selection": selection}


def selection_of(mark: Mark) -> Selection:
    """The selection that shows a finding's mark."""
    if mark.kind == "seed" or (mark.kind == "edge" and mark.tail < 0):
        return Selection("seed", node=mark.node, slot=mark.slot)
    if mark.kind == "edge":
        return Selection("edge", node=mark.node, tail=mark.tail, slot=mark.slot)
    return Selection("node", node=mark.node)
