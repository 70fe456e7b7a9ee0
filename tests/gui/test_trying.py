"""Trying a fix from its card, with the real recorder and real clicks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.gui.panes.problem_card import ProblemCard
from gradviz.gui.panes.problems import ProblemsPane
from gradviz.gui.window import Window
from tests.gui.driving import LONG, Person

HEAD = "import torch\nz = torch.ones(3, requires_grad=True)\nout = (z * 2).sum()\n"
MISMATCH = HEAD + "out.backward(z)\n"
ENDLESS_THEN = (
    "import os, time\nwhile os.path.exists('mark'):\n    time.sleep(0.05)\nopen('mark', 'w').close()\n" + MISMATCH
)
FAILS_STILL = """
import torch

class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g[:1].expand(2)

y = Bad.apply(torch.ones(3, requires_grad=True))
y.backward()
"""
ASKS = "name = input()\nopen('names', 'a').write(name + '\\n')\n" + MISMATCH


@pytest.fixture
def person(window: Window, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


def opened(person: Person, folder: Path, text: str) -> Path:
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    person.open(path)
    return path


def card(person: Person) -> ProblemCard:
    person.window.docks.front("problems")
    pane = person.window.docks.panes["problems"]
    assert isinstance(pane, ProblemsPane)
    person.until(lambda: pane.cards)
    return pane.cards[0]


def until_tried(person: Person) -> None:
    person.until(lambda: person.window.hub.view.trying.trials, LONG)
    person.until(lambda: card(person).trial.stop.isHidden() and not card(person).trial.isHidden())


def test_a_fix_is_tried_and_the_result_stands_under_it(person: Person, tmp_path: Path) -> None:
    # GIVEN a script that ran and failed
    path = opened(person, tmp_path, MISMATCH)
    person.run()
    recording = person.window.document.state.recording
    assert recording is not None
    before = (path.read_bytes(), recording.read_bytes())
    shown = card(person)
    person.until(shown.try_button.isVisible)
    assert shown.try_button.text() == "Try with seed 1"
    assert "runs the script once more" in shown.caution.text() and shown.caution.isVisible()
    # WHEN
    person.click(shown.try_button)
    # THEN the window goes on while it runs
    person.until(lambda: shown.trial.stop.isVisible())
    assert "Running the script again" in shown.trial.words.text()
    assert not shown.try_button.isVisible()
    until_tried(person)
    # AND says what came of it, on the same recording
    shown = card(person)
    assert "With this, backward completes and z.grad has shape" in shown.trial.words.text()
    assert not shown.trial.stop.isVisible() and shown.try_button.isVisible()
    assert person.window.document.state.recording == recording
    assert (path.read_bytes(), recording.read_bytes()) == before
    (trial,) = person.window.hub.view.trying.trials
    assert (trial.outcome, trial.status) == ("completed", "ok")
    pane = person.window.docks.panes["problems"]
    assert isinstance(pane, ProblemsPane)
    assert "Tried: With this, backward completes" in pane.copy_of(shown.finding, "text")
    assert "**Tried:** With this" in pane.copy_of(shown.finding, "markdown")


def test_a_fix_that_does_not_help_is_told_as_such(person: Person, tmp_path: Path) -> None:
    opened(person, tmp_path, FAILS_STILL)
    person.run()
    person.until(card(person).try_button.isVisible)
    person.click(card(person).try_button)
    until_tried(person)
    assert "With this, backward still fails, at line 11" in card(person).trial.words.text()


def test_a_second_run_is_stopped(person: Person, tmp_path: Path) -> None:
    # GIVEN a script that goes on for ever when it runs again
    opened(person, tmp_path, ENDLESS_THEN)
    person.run()
    person.until(card(person).try_button.isVisible)
    person.click(card(person).try_button)
    person.until(card(person).trial.stop.isVisible)
    # WHEN
    person.click(card(person).trial.stop)
    # THEN
    until_tried(person)
    (trial,) = person.window.hub.view.trying.trials
    assert trial.outcome == "stopped" and "was stopped before" in card(person).trial.words.text()
    assert card(person).try_button.isEnabled()


def test_lines_that_were_typed_are_typed_again(person: Person, tmp_path: Path) -> None:
    opened(person, tmp_path, ASKS)
    person.command("run")
    person.until(lambda: person.window.document.state.waiting, LONG)
    person.output.input.setText("Ada")
    person.qtbot.keyClick(person.output.input, Qt.Key.Key_Return)
    person.until(lambda: person.window.document.state.phase == "ended", LONG)
    person.until_settled()
    person.until(card(person).try_button.isVisible)
    person.click(card(person).try_button)
    until_tried(person)
    assert (tmp_path / "names").read_text(encoding="utf-8") == "Ada\nAda\n"


def test_a_new_run_forgets_what_was_tried_and_a_changed_script_is_not_tried(person: Person, tmp_path: Path) -> None:
    # GIVEN
    path = opened(person, tmp_path, MISMATCH)
    person.run()
    path.write_text(MISMATCH + "# more\n", encoding="utf-8")
    # WHEN
    person.until(card(person).try_button.isVisible)
    person.click(card(person).try_button)
    # THEN nothing runs
    until_tried(person)
    assert "has changed since this recording was made" in card(person).trial.words.text()
    # AND the next run begins anew
    person.run()
    assert person.window.hub.view.trying.trials == ()
    assert card(person).trial.isHidden()


def test_closing_the_window_ends_the_second_run(person: Person, tmp_path: Path) -> None:
    opened(person, tmp_path, ENDLESS_THEN)
    person.run()
    person.until(card(person).try_button.isVisible)
    person.click(card(person).try_button)
    person.until(card(person).trial.stop.isVisible)
    person.window.document.shut_down()
    assert person.window.hub.view.trying.running is None


def test_a_recording_whose_script_is_elsewhere_offers_no_try(person: Person, tmp_path: Path) -> None:
    # GIVEN a recording that came without its script
    path = opened(person, tmp_path, MISMATCH)
    person.run()
    recording = person.window.document.state.recording
    assert recording is not None
    copy = shutil.copy(recording, tmp_path / "sent.gradviz")
    path.unlink()
    # WHEN it is opened
    person.open(Path(copy))
    # THEN
    assert card(person).finding.rewrite is not None
    assert not card(person).try_button.isVisible() and not card(person).caution.isVisible()


def test_an_opened_recording_is_tried_as_it_was_made(person: Person, tmp_path: Path) -> None:
    path = opened(person, tmp_path, MISMATCH)
    person.run()
    recording = person.window.document.state.recording
    assert recording is not None and path.is_file()
    person.open(Path(shutil.copy(recording, tmp_path / "kept.gradviz")))
    person.until(card(person).try_button.isVisible)
    person.click(card(person).try_button)
    until_tried(person)
    assert "backward completes" in card(person).trial.words.text()
