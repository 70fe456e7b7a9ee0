"""Steps: the list follows the position, and a click in it moves everything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.draw.surface import text_width
from gradviz.draw.tokens import CAPTION
from gradviz.gui.panes.steps import StepsPane
from gradviz.gui.panes.steps_model import LINE, NODE, NUMBER, REST_ROLE, SHAPES, STATE_ROLE
from tests import large_recordings
from tests.builders import TraceBuilder
from tests.example_findings import FORWARD, SEED_MISMATCH
from tests.gui.panes import Watcher, click, hub_on, press, settle, shown
from tests.recordings import chain, forward_error


def cell(pane: StepsPane, row: int, column: int) -> str:
    return str(pane.model.index(row, column).data())


def states(pane: StepsPane) -> list[str]:
    return [str(pane.model.index(row, 0).data(STATE_ROLE)) for row in range(pane.model.rowCount())]


def at(pane: StepsPane, row: int) -> QPoint:
    return pane.table.visualRect(pane.model.index(row, NODE)).center()


def choose(pane: StepsPane, row: int) -> None:
    click(pane.table.viewport(), at(pane, row))


def test_a_refused_pass(recordings: dict[str, Path], qtbot: QtBot) -> None:
    # GIVEN a seed of the wrong shape, shown as a finding
    seed = Selection("seed", node=0)
    pane = shown(StepsPane, hub_on(recordings["eigh"], (SEED_MISMATCH,), finding=0, selection=seed), qtbot)
    # THEN row 0 is the seed, row 1 the node that refused it, and the others were never reached
    assert pane.model.rowCount() == 14
    assert [cell(pane, 0, column) for column in (NUMBER, NODE, LINE)] == ["0", "Seed gradient z", "18"]
    assert cell(pane, 0, SHAPES) == "[164] ≠ [\u2009]"
    assert states(pane) == ["error", "error"] + ["never"] * 12
    assert (cell(pane, 13, NODE), pane.model.index(13, NODE).data(REST_ROLE)) == ("z", "AccumulateGrad")
    assert pane.note.text() == "13 nodes never ran. Their shapes come from the forward pass."
    assert pane.table.currentIndex().row() == 0


def test_a_graph_without_a_backward(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN a forward call that raised
    hub = hub_on(forward_error(tmp_path / "run.gradviz"), (FORWARD,))
    pane = shown(StepsPane, hub, qtbot)
    # THEN its row stands where the seed would, and no node is said to be left out by a backward
    assert [cell(pane, 0, column) for column in (NODE, LINE, SHAPES)] == ["linear", "3", "[2, 144], [10, 256]"]
    assert states(pane) == ["error", "pending", "pending"]
    assert pane.note.text().startswith("A forward call raised")
    choose(pane, 0)
    assert hub.view.selection == Selection("seed", node=0)


def test_states_follow_the_position(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=6)
    pane = shown(StepsPane, hub, qtbot)
    assert states(pane) == ["done"] * 7 + ["current"] + ["pending"] * 4
    assert pane.table.currentIndex().row() == 7
    # WHEN the position moves elsewhere
    hub.change(position=11)
    settle(pane)
    assert states(pane) == ["done"] * 12
    assert "97 backward passes like this one" in pane.note.text()


def test_a_click_goes_to_the_step(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], selection=Selection("node", node=3))
    pane, watcher = shown(StepsPane, hub, qtbot), Watcher(hub)
    choose(pane, 5)
    assert (hub.view.position, hub.view.selection) == (4, Selection())
    assert watcher.heard == ["position", "selection"]
    assert states(pane)[5] == "current", "the pane that moved the position shows it too"


def test_a_click_on_the_seed_and_on_a_node_that_never_ran(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["eigh"])
    pane = shown(StepsPane, hub, qtbot)
    choose(pane, 4)
    assert hub.view.selection == Selection("node", node=3)
    choose(pane, 0)
    assert hub.view.selection == Selection("seed", node=0)


def test_arrow_keys_home_and_end(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=2)
    pane = shown(StepsPane, hub, qtbot)
    press(pane.table, Qt.Key.Key_Down)
    assert hub.view.position == 3
    press(pane.table, Qt.Key.Key_Up)
    assert hub.view.position == 2
    press(pane.table, Qt.Key.Key_End)
    settle(pane)
    assert hub.view.position == 11
    press(pane.table, Qt.Key.Key_Home)
    assert hub.view.position == 0


def test_a_double_click_asks_for_the_line(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(StepsPane, hub_on(recordings["mlp"]), qtbot)
    with qtbot.waitSignal(pane.line_requested) as asked:
        choose(pane, 7)
        click(pane.table.viewport(), at(pane, 7), double=True)
    assert asked.args == ["/home/me/mlp_train.py", 19]


def test_a_selected_node_is_scrolled_to(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN fifty thousand rows
    hub = hub_on(large_recordings.lstm(tmp_path / "run.gradviz", 50_000))
    pane = shown(StepsPane, hub, qtbot)
    assert pane.model.rowCount() > 49_000
    # WHEN a node far down is selected
    hub.change(selection=Selection("node", node=40_000))
    settle(pane)
    # THEN it is in sight, and few rows were made
    assert pane.table.viewport().rect().contains(at(pane, pane.table.currentIndex().row()))
    assert len(pane.model._kept) < 2_000


def test_a_pane_that_opens_late_is_caught_up(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"])
    hub.change(position=3)
    pane = shown(StepsPane, hub, qtbot)
    assert pane.table.currentIndex().row() == 4


def test_a_hidden_pane_waits(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"])
    pane = shown(StepsPane, hub, qtbot)
    pane.hide()
    hub.change(position=5)
    assert pane.model.position == 0
    pane.show()
    assert pane.model.position == 5


def test_without_a_pass(tmp_path: Path, qtbot: QtBot) -> None:
    pane = shown(StepsPane, hub_on(TraceBuilder(tmp_path / "run.gradviz").save()), qtbot)
    assert pane.model.rowCount() == 0
    assert pane.note.text() == "No backward pass was recorded."


def test_a_run_that_goes_on_has_no_pass_so_far(tmp_path: Path, qtbot: QtBot) -> None:
    TraceBuilder(tmp_path / "begun.gradviz", status="recording", seconds=None, exit_code=None).commit()
    pane = shown(StepsPane, hub_on(tmp_path / "begun.gradviz"), qtbot)
    assert pane.note.text() == "No backward pass so far."


def test_a_damaged_pass_is_a_sentence(recordings: dict[str, Path], tmp_path: Path, qtbot: QtBot) -> None:
    import sqlite3

    broken = tmp_path / "broken.gradviz"
    broken.write_bytes(recordings["mlp"].read_bytes())
    with sqlite3.connect(broken) as connection:
        connection.execute("UPDATE segment SET count = 5 WHERE kind = 'edge'")
    connection.close()
    pane = shown(StepsPane, hub_on(broken), qtbot)
    assert pane.model.rowCount() == 0
    assert pane.note.text().startswith("The recording is damaged: a segment of 5 rows of edge")


def test_steps_grow_while_recording(tmp_path: Path, qtbot: QtBot) -> None:
    from gradviz.trace.reader import Trace

    # GIVEN a pass that runs
    pane_hub = hub_on(large_recordings.lstm(tmp_path / "run.gradviz", 60, ended=False))
    pane = shown(StepsPane, pane_hub, qtbot)
    before = states(pane)
    assert before.count("pending") > 0 and "never" not in before
    # WHEN it is over
    pane_hub.change(trace=Trace(large_recordings.lstm(tmp_path / "more.gradviz", 60)), trace_grew=True)
    settle(pane)
    # THEN the rows say so
    assert len(states(pane)) == len(before)
    assert all(pane.model.step_of_row(row) >= 0 for row in range(1, pane.model.rowCount()))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_both_themes_paint(mode: str, recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(StepsPane, hub_on(recordings["mlp"], position=6), qtbot, mode=mode)
    image = pane.grab().toImage()
    row = pane.table.visualRect(pane.model.index(7, NUMBER))
    bar = pane.table.viewport().mapTo(pane, QPoint(1, row.center().y()))
    ratio = image.devicePixelRatio()
    assert image.pixelColor(int(bar.x() * ratio), int(bar.y() * ratio)) == pane.theme.color("accent")


@pytest.mark.parametrize("steps", [13, 12_000])
def test_the_longest_number_has_room(steps: int, tmp_path: Path, qtbot: QtBot) -> None:
    pane = shown(StepsPane, hub_on(chain(tmp_path / "run.gradviz", steps - 1)), qtbot)
    assert cell(pane, steps, NUMBER) == str(steps)
    assert pane.table.columnWidth(NUMBER) >= text_width(str(steps), CAPTION, 400) + 10
