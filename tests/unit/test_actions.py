"""Moving through a recording on the hub, without Qt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.diagnose.finding import Finding, Mark
from gradviz.document.actions import AT_END, AT_START, NO_FINDINGS, NO_RECORDING, ONE_PASS, Actions
from gradviz.document.hub import Hub, Selection
from gradviz.trace.reader import Trace
from tests.recordings import eigh_seed_mismatch, mlp


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    """A hub with a healthy recording of three passes, 11 steps each."""
    hub = Hub()
    trace = Trace(mlp(tmp_path / "mlp.gradviz"))
    hub.change(None, trace=trace, pass_id=trace.passes()[0].id)
    return hub


def finding(**fields: object) -> Finding:
    plain = Finding("rule", "error", "f.py", 1, "message", "explanation", "fix")
    return replace(plain, **fields)  # type: ignore[arg-type]  # the fields are the tests' own


def test_nothing_can_be_done_without_a_recording() -> None:
    actions = Actions(Hub())
    assert {actions.availability(name).reason for name in actions.names()} == {NO_RECORDING}


def test_steps_stay_within_the_pass(hub: Hub) -> None:
    actions = Actions(hub)
    actions.do("back")
    assert hub.view.position == 0
    assert actions.availability("back").reason == AT_START
    actions.do("last")
    assert hub.view.position == 11
    actions.do("step")
    assert hub.view.position == 11
    assert actions.availability("step").reason == AT_END


def test_a_step_clears_the_selection_and_spares_its_origin(hub: Hub) -> None:
    hub.change(None, selection=Selection("node", node=3))
    heard: list[str] = []
    hub.listen("position", "pane", lambda view: heard.append("pane"))
    hub.listen("position", "other", lambda view: heard.append("other"))
    Actions(hub).do("step", "pane")
    assert hub.view.selection == Selection()
    assert heard == ["other"]


def test_findings_are_walked_in_a_ring(hub: Hub) -> None:
    actions = Actions(hub)
    assert actions.availability("next_finding").reason == NO_FINDINGS
    later = hub.view.trace.passes()[1].id  # type: ignore[union-attr]  # open
    hub.change(
        None,
        findings=(
            finding(pass_id=0, step=4, marks=(Mark("node", node=2),)),
            finding(pass_id=later, step=7, marks=(Mark("edge", node=5, tail=3, slot=0),)),
        ),
    )
    actions.do("next_finding")
    assert (hub.view.finding, hub.view.position, hub.view.selection) == (0, 4, Selection("node", node=2))
    actions.do("next_finding")
    assert (hub.view.pass_id, hub.view.position) == (later, 7)
    assert hub.view.selection == Selection("edge", node=5, tail=3, slot=0)
    actions.do("next_finding")
    assert hub.view.finding == 0
    actions.do("previous_finding")
    assert hub.view.finding == 1


def test_going_to_the_finding_that_is_shown_is_told_again(hub: Hub) -> None:
    hub.change(None, findings=(finding(), finding(line=2)), finding=0)
    told: list[int] = []
    hub.listen("finding", told, lambda view: told.append(view.finding))
    actions = Actions(hub)
    # WHEN a person goes where they are, e.g. as its group was folded, or elsewhere
    actions.show_finding(0)
    actions.show_finding(1)
    hub.change(None, finding=1)  # nobody asked
    assert told == [0, 1]


def test_a_refused_seed_is_shown_before_the_first_step(tmp_path: Path) -> None:
    hub = Hub()
    trace = Trace(eigh_seed_mismatch(tmp_path / "eigh.gradviz"))
    hub.change(None, trace=trace, pass_id=0, findings=(finding(pass_id=0, marks=(Mark("seed", node=0),)),))
    Actions(hub).do("next_finding")
    assert (hub.view.position, hub.view.selection) == (0, Selection("seed", node=0))
    assert Actions(hub).availability("next_pass").reason == ONE_PASS


def test_another_pass_begins_at_its_first_step(hub: Hub) -> None:
    actions = Actions(hub)
    actions.do("last")
    actions.do("next_pass")
    assert hub.view.position == 0
    actions.do("previous_pass")
    assert hub.view.pass_id == hub.view.trace.passes()[0].id  # type: ignore[union-attr]  # open
