"""One place that knows what is being looked at: the recording, the pass, the position, the selection. No Qt.

Every pane listens here and is named after what it shows. Whoever changes something passes itself as `origin`: it is
spared its own event, so that the pane that was clicked doesn't scroll. A pane that opens late calls `catch_up`.
Position k means: k steps have run. 0 is before the first; the node of step k (counted from 0) is the current one,
and at k == len(steps) the pass has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gradviz.document.state import Trying

if TYPE_CHECKING:  # the reader needs numpy, which the first paint doesn't wait for
    from gradviz.diagnose.finding import Finding
    from gradviz.trace.reader import Trace


@dataclass(frozen=True)
class Selection:
    """What is selected: `node` (index in the pass), `edge` (tail, head, slot; tail -1 = the seed), `group`, `line`."""

    kind: str = ""  # "" | node | edge | seed | group | line
    node: int = -1
    tail: int = -1
    slot: int = 0
    path: str = ""  # of a group, or the file of a line
    line: int = 0
    title: str = ""  # of a group that is no module: a loop, or one round of it
    nodes: tuple[int, ...] = ()  # in that group
    module: int = -1  # of a module's group its id: several models may have the same path
    modules: tuple[int, ...] = ()  # of a stack of equal ones theirs, in the order of forward


@dataclass(frozen=True)
class View:
    """All that is being looked at, at one moment."""

    trace: Trace | None = None
    pass_id: int | None = None
    position: int = 0
    selection: Selection = Selection()
    findings: tuple[Finding, ...] = ()
    unexamined: str = ""  # why this recording could not be examined for problems; "" where it was, or isn't yet
    examining: bool = False  # it is being examined: no findings yet doesn't mean that there are none
    finding: int = -1  # index of the finding that is shown, -1 none
    trying: Trying = field(default_factory=Trying)  # fixes of these findings that are or were tried


Listener = Callable[[View], None]
TOPICS = ("trace", "pass", "position", "selection", "findings", "finding", "trying", "examining")


class Hub:
    """Holds the View and tells listeners, topic by topic, in the order of TOPICS."""

    def __init__(self) -> None:
        self.view = View()
        self._listeners: dict[str, list[tuple[object, Listener]]] = {topic: [] for topic in TOPICS}

    def listen(self, topic: str, owner: object, listener: Listener) -> None:
        """Call `listener` when `topic` changes, unless `owner` is the origin."""
        self._listeners[topic].append((owner, listener))

    def forget(self, owner: object) -> None:
        """Remove all listeners of `owner`."""
        for topic, pairs in self._listeners.items():
            self._listeners[topic] = [pair for pair in pairs if pair[0] is not owner]

    def catch_up(self, owner: object) -> None:
        """Call every listener of `owner` with the present view."""
        for topic in TOPICS:
            for who, listener in list(self._listeners[topic]):
                if who is owner:
                    listener(self.view)

    def change(self, origin: object = None, **fields: object) -> None:
        """Replace fields of the view (by their names) and tell who listens to what really changed.

        `trace_grew=True` tells the `trace`, `pass` topics although the object is the same (a live recording);
        `finding_again=True` the `finding` topic: a person goes to the finding that is shown already.
        """
        grew, again = bool(fields.pop("trace_grew", False)), bool(fields.pop("finding_again", False))
        before, after = self.view, replace(self.view, **fields)  # type: ignore[arg-type]  # names are checked by replace
        self.view = after
        changed = {
            "trace": before.trace is not after.trace or grew,
            "pass": before.pass_id != after.pass_id or before.trace is not after.trace or grew,
            "position": before.position != after.position or before.pass_id != after.pass_id,
            "selection": before.selection != after.selection,
            "findings": before.findings != after.findings or before.unexamined != after.unexamined,
            "finding": before.finding != after.finding or again,
            "trying": before.trying != after.trying,
            "examining": before.examining != after.examining,
        }
        for topic in TOPICS:
            if changed[topic]:
                for owner, listener in list(self._listeners[topic]):
                    if owner is not origin or origin is None:
                        listener(self.view)
