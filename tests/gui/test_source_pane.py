"""Source: current line, marks, shapes after the code, and hits both ways."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.gui.panes.source import SourcePane
from gradviz.gui.panes.source_view import SourceView
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH
from tests.gui.panes import Watcher, click, hub_on, press, settle, shown
from tests.recordings import BROADCAST_SCRIPT, EIGH_SCRIPT, MLP_SCRIPT


def at(view: SourceView, line: int) -> QPoint:
    """A place on a line of the text."""
    for block, box in view.visible_blocks():
        if block.blockNumber() + 1 == line:
            return QPoint(60, int(box.center().y()))
    raise AssertionError(f"line {line} is not in sight")


def test_a_mismatch_is_marked_where_it_arises(recordings: dict[str, Path], qtbot: QtBot) -> None:
    seed = Selection("seed", node=0)
    pane = shown(SourcePane, hub_on(recordings["eigh"], (SEED_MISMATCH,), finding=0, selection=seed), qtbot)
    view = pane.view
    assert pane.file == EIGH_SCRIPT
    assert view.note(18) == ("expected [\u2009], received [164]", "error", True)
    assert view.band(18) == "error_soft" and view.gutter.icon(18) == "error"
    assert view.counts == {9: 1, 12: 4, 13: 1, 14: 3, 15: 2, 16: 2}
    assert view.note(13) == ("e [164], v [164, 164]", "text2", False)


def test_the_current_line_follows(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=6)
    pane = shown(SourcePane, hub, qtbot)
    assert pane.view.current == 19 and pane.view.gutter.icon(19) == "line"
    assert pane.view.note(19) == ("ReluBackward0, step 7", "accent", True)
    assert pane.view.note(21)[0] == "backward 1 of 100"
    hub.change(position=0)
    settle(pane)
    assert (pane.view.current, pane.view.note(20)[0]) == (20, "NllLossBackward0, step 1")
    hub.change(position=11)
    settle(pane)
    assert pane.view.current == 0


def test_cause_and_symptom(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(SourcePane, hub_on(recordings["broadcast"], (BROADCAST,), finding=0, position=2), qtbot)
    assert pane.view.note(9)[0] == "cause: pred - target broadcasts to [20, 20]"
    assert pane.view.note(10)[0] == "symptom: expected [20], received [20, 20]"
    assert pane.view.gutter.icon(9) == "error" and pane.view.gutter.icon(10) == "line"


def test_a_click_on_a_line_lights_up_its_nodes(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["broadcast"])
    pane, watcher = shown(SourcePane, hub, qtbot), Watcher(hub)
    click(pane.view.viewport(), at(pane.view, 11))
    assert hub.view.selection == Selection("line", path=BROADCAST_SCRIPT, line=11)
    assert watcher.heard == ["selection"] and pane.view.chosen == 11


def test_a_double_click_goes_to_the_first_node(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["broadcast"])
    pane = shown(SourcePane, hub, qtbot)
    place = at(pane.view, 9)
    click(pane.view.viewport(), place)
    click(pane.view.viewport(), place, double=True)
    assert hub.view.position == 3, "AddmmBackward0 is the first that line 9 made"
    assert pane.view.current == 9


def test_enter_is_a_click_on_the_cursors_line(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["broadcast"])
    pane = shown(SourcePane, hub, qtbot)
    for _ in range(8):
        press(pane.view, Qt.Key.Key_Down)
    press(pane.view, Qt.Key.Key_Return)
    assert hub.view.selection == Selection("line", path=BROADCAST_SCRIPT, line=9)
    press(pane.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert hub.view.position == 3


def test_a_click_in_the_margin_counts_too(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["broadcast"])
    pane = shown(SourcePane, hub, qtbot)
    click(pane.view.gutter, QPoint(30, at(pane.view, 10).y()))
    assert hub.view.selection.line == 10


def test_a_line_chosen_elsewhere_is_shown(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"])
    pane = shown(SourcePane, hub, qtbot, size=(500, 120))
    pane.show_line(MLP_SCRIPT, 4)
    assert pane.view.chosen == 4
    at(pane.view, 4)
    pane.show_line(MLP_SCRIPT, 21)
    at(pane.view, 21)
    pane.show_line("/nowhere.py", 3)
    assert pane.view.chosen == 21


def test_several_files(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN a node that another file's line made
    trace = TraceBuilder(tmp_path / "run.gradviz", "/home/me/main.py", "import model\n")
    trace.writer.source("/home/me/model.py", b"def f(x):\n    return x * 2\n")
    op = trace.op("mul", trace.at(2, file="/home/me/model.py"), (), [(1, [3])])
    one = trace.backward(trace.at(1))
    one.step(one.node("MulBackward0", [3], op=op))
    hub = hub_on(one.end().save(), position=1)
    pane = shown(SourcePane, hub, qtbot)
    assert pane.file == "/home/me/main.py" and pane.files.count() == 2
    # WHEN its step is shown
    with qtbot.waitSignal(pane.file_shown):
        hub.change(position=0)
        settle(pane)
    # THEN its file comes to the front
    assert (pane.file, pane.view.current) == ("/home/me/model.py", 2)


def test_a_source_that_was_left_out(tmp_path: Path, qtbot: QtBot) -> None:
    import sqlite3

    path = TraceBuilder(tmp_path / "run.gradviz", text="x = 1\n").save()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE source SET data = NULL")
    connection.close()
    pane = shown(SourcePane, hub_on(path), qtbot)
    assert pane.note.text() == "The source of this file isn't in the recording."


def test_a_very_long_file_opens_colouring_only_what_is_seen(tmp_path: Path, qtbot: QtBot) -> None:
    text = "".join(f"x{number} = 'a' + 'b'  # {number}\n" for number in range(50_000))
    pane = shown(SourcePane, hub_on(TraceBuilder(tmp_path / "run.gradviz", text=text).save()), qtbot)
    assert pane.view.blockCount() == 50_000
    assert len(pane.view._colored) < 200
    pane.view.reveal(40_000)
    at(pane.view, 40_000)


def test_the_editor_is_asked_for(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(SourcePane, hub_on(recordings["mlp"]), qtbot)
    with qtbot.waitSignal(pane.editor_requested) as asked:
        pane.view.editor_requested.emit(7)
    assert asked.args == [MLP_SCRIPT, 7]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_bands_are_painted_in_both_themes(mode: str, recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(SourcePane, hub_on(recordings["mlp"], position=6), qtbot, size=(500, 240), mode=mode)
    image = pane.grab().toImage()
    place = pane.view.viewport().mapTo(pane, QPoint(2, at(pane.view, 19).y()))
    ratio = image.devicePixelRatio()
    assert image.pixelColor(int(place.x() * ratio), int(place.y() * ratio)) == pane.theme.color("accent_soft")
