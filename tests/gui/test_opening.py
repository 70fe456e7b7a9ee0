"""Opening things: recordings, scripts, drops, and what can't be opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gradviz.diagnose.finding import Finding
from gradviz.document.examiner import Examiner
from gradviz.errors import TraceError
from gradviz.gui.panes.source import SourcePane
from gradviz.gui.window import Window
from tests.gui.driving import Person

AT = QPoint(200, 200)


@pytest.fixture
def person(window: Window, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


def test_it_starts_on_the_welcome_page(person: Person) -> None:
    assert person.window.shows_welcome()
    assert not person.window.commands["step"].isEnabled()
    assert "Open a script or a recording first." in person.window.commands["step"].toolTip()


def test_a_recording_opens_at_its_place(person: Person, recordings: dict[str, Path]) -> None:
    # WHEN
    person.open(recordings["mlp"])
    # THEN
    assert not person.window.shows_welcome()
    assert person.window.windowTitle() == "mlp.gradviz — gradviz"
    assert person.window.timeline.where_text() == "Step 1 of 11 · NllLossBackward0"
    assert person.steps.model.rowCount() == 12  # the seed, and one row a step


def test_a_script_can_be_read_before_it_runs(person: Person, tmp_path: Path) -> None:
    # GIVEN a script with an encoding of its own
    script = tmp_path / "plan.py"
    script.write_bytes("# coding: latin-1\nname = 'é'\n".encode("latin-1"))
    # WHEN
    person.window.open_path(script)
    # THEN
    source = person.window.docks.panes["source"]
    assert isinstance(source, SourcePane)
    person.until(lambda: "name = 'é'" in source.view.toPlainText())


def test_dropping_a_file_opens_it(person: Person, recordings: dict[str, Path]) -> None:
    # WHEN
    drop(person.window, recordings["mlp"])
    # THEN
    person.until(lambda: person.window.document.state.recording == recordings["mlp"])
    # AND over a field it does the same, where Qt would paste its name
    person.command("find")
    field = person.controller.search.palette.field
    drop(person.window, recordings["eigh"], field.mapTo(person.window, field.rect().center()))
    person.until(lambda: person.window.document.state.recording == recordings["eigh"])


def test_a_damaged_recording_is_told_in_a_strip(person: Person, recordings: dict[str, Path], tmp_path: Path) -> None:
    # GIVEN an open recording, and one that was cut short
    person.open(recordings["mlp"])
    damaged = tmp_path / "damaged.gradviz"
    damaged.write_bytes(recordings["eigh"].read_bytes()[:9000])
    # WHEN
    drop(person.window, damaged)
    # THEN one sentence, and what was open stays
    person.until(lambda: person.told("open"))
    assert "cut short" in person.told("open")
    assert person.window.document.state.recording == recordings["mlp"]


def test_a_recording_that_could_not_be_examined_is_not_called_free_of_problems(
    person: Person, recordings: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a recording in which the diagnosis meets damage
    def fails(self: Examiner, path: Path, nodes: int = 0) -> tuple[Finding, ...]:
        raise TraceError("mlp.gradviz is damaged at step 7.")

    monkeypatch.setattr(Examiner, "findings", fails)
    # WHEN
    person.open(recordings["mlp"])
    person.until(lambda: person.window.hub.view.unexamined)
    # THEN the status line, Problems, the Inspector, the recent list and the command say no more than is known
    assert "couldn't be examined" in person.window.status.words()
    assert "No problems" not in person.window.status.words()
    pane = person.window.docks.panes["problems"]
    person.until(lambda: any("is damaged at step 7" in label.text() for label in pane.findChildren(QLabel)))
    assert not any("No problems found" in label.text() for label in person.window.findChildren(QLabel))
    assert person.window.document.settings.recent()[0].outcome == ""
    # AND another one that can be examined is told as always
    monkeypatch.undo()
    person.open(recordings["eigh"])
    person.until(lambda: person.window.hub.view.findings)
    assert not person.window.hub.view.unexamined


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("not_there.py", None, "There is no file"),
        ("text.gradviz", b"hello", "is not a gradviz recording"),
        ("empty.gradviz", b"", "is empty"),
    ],
)
def test_what_can_not_be_opened_is_told(
    person: Person, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    person.window.open_path(path)
    person.until(lambda: words in person.window.status.words())
    assert person.window.shows_welcome()


def test_recent_files_are_remembered_with_their_outcome(person: Person, recordings: dict[str, Path]) -> None:
    person.open(recordings["mlp"])
    person.command("close")
    assert person.window.shows_welcome()
    entry = person.window.settings.recent()[0]
    assert (entry.path, entry.outcome) == (str(recordings["mlp"]), "ok")
    recent = person.window.welcome.recent
    assert recent is not None
    assert recent.item(0).text() == "mlp.gradviz"


def test_the_page_stands_before_what_is_on_it(person: Person, recordings: dict[str, Path]) -> None:
    # WHEN
    person.window.open_path(recordings["mlp"])
    # THEN the work page is there at once, and its recording in a later turn
    assert not person.window.shows_welcome()
    assert person.window.opening()
    assert person.window.hub.view.trace is None
    person.until_settled()
    assert person.window.hub.view.trace is not None


def test_a_recording_can_be_closed_while_it_opens(person: Person, recordings: dict[str, Path]) -> None:
    # GIVEN a recording that is just being read
    person.window.open_path(recordings["mlp"])
    assert person.window.opening()
    # WHEN
    person.command("close")
    # THEN it doesn't come afterwards
    assert person.window.shows_welcome()
    assert not person.window.opening()
    person.open(recordings["eigh"])
    assert person.window.document.state.recording == recordings["eigh"]


def test_the_newer_of_two_wishes_is_opened(person: Person, recordings: dict[str, Path]) -> None:
    person.window.open_path(recordings["mlp"])
    person.window.open_path(recordings["eigh"])
    person.until_settled()
    assert person.window.document.state.recording == recordings["eigh"]
    assert person.window.windowTitle() == "eigh.gradviz — gradviz"


def drop(window: Window, path: Path, at: QPoint = AT) -> None:
    """A drop from a file manager, through the window system's own door."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, button, no_key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    handle = window.windowHandle()
    assert handle is not None
    QApplication.sendEvent(handle, QDragEnterEvent(at, copy, data, button, no_key))
    QApplication.sendEvent(handle, QDropEvent(QPointF(at), copy, data, button, no_key))
