"""Problems: findings as cards; showing, linking, copying, hiding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.gui.panes.problem_card import ChangeLines
from gradviz.gui.panes.problems import ProblemsPane
from gradviz.gui.panes.problems_words import differing_lines
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH
from tests.gui.panes import Watcher, click, hub_on, press, settle, shown

OTHER = replace(SEED_MISMATCH, severity="warning", rule="zero-gradient", title="Another", marks=(), changes=(), fix="")


def texts(pane: ProblemsPane, at: int) -> str:
    return "\n".join(label.text() for label in pane.cards[at].findChildren(QLabel) if not label.isHidden())


def test_a_card_says_what_where_why_and_what_instead(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["eigh"], (SEED_MISMATCH,), finding=0), qtbot)
    words = texts(pane, 0)
    for part in ("The seed gradient has the wrong shape", "seed‑shape‑mismatch", "eigh_energy.py:18", "in z.grad"):
        assert part in words
    (changes,) = pane.cards[0].findChildren(ChangeLines)
    lines = [label.text() for label in changes.findChildren(QLabel)]
    assert "out.backward(z)" in lines[0] and "then read z.grad" in lines[1]
    assert pane.cards[0].is_open()


def test_cause_symptom_and_raise_are_told_apart(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["broadcast"], (BROADCAST,)), qtbot)
    words = texts(pane, 0)
    for part in ("Cause", "fit_line.py:9", "Shows at", "fit_line.py:10", "Raised nowhere"):
        assert part in words
    assert differing_lines(BROADCAST) and not differing_lines(SEED_MISMATCH)


def test_a_click_shows_the_finding_everywhere(recordings: dict[str, Path], qtbot: QtBot) -> None:
    # GIVEN two findings, none of them shown
    hub = hub_on(recordings["broadcast"], (OTHER, BROADCAST))
    pane, watcher = shown(ProblemsPane, hub, qtbot), Watcher(hub)
    assert pane.cards[0].is_open() and not pane.cards[1].is_open()
    # WHEN the second is clicked
    click(pane.cards[1].title)
    # THEN its step and node are shown, and its card opens
    assert hub.view.finding == 1 and hub.view.position == 2
    assert hub.view.selection == Selection("node", node=2)
    assert {"position", "selection", "finding"} <= set(watcher.heard)
    assert pane.cards[1].is_open() and not pane.cards[0].is_open()


def test_enter_shows_it_too(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["broadcast"], (BROADCAST,))
    pane = shown(ProblemsPane, hub, qtbot)
    press(pane.cards[0], Qt.Key.Key_Return)
    assert hub.view.finding == 0


def test_a_finding_chosen_elsewhere_opens(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["broadcast"], (OTHER, BROADCAST), finding=0)
    pane = shown(ProblemsPane, hub, qtbot)
    hub.change(finding=1)
    settle(pane)
    assert pane.cards[1].is_open()


def test_links_and_double_click_ask_for_lines(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["broadcast"], (BROADCAST,)), qtbot)
    with qtbot.waitSignal(pane.line_requested) as asked:
        pane.cards[0]._follow(f"10:{BROADCAST.file}")
    assert asked.args == [BROADCAST.file, 10]
    with qtbot.waitSignal(pane.line_requested) as asked:
        click(pane.cards[0].title, double=True)
    assert asked.args == [BROADCAST.file, 9]


def test_copies(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["eigh"], (SEED_MISMATCH,)), qtbot)
    click(pane.cards[0].copy_button)
    assert QGuiApplication.clipboard().text() == "out.backward()  # then read z.grad"
    pane.cards[0].copied.emit("text")
    text = QGuiApplication.clipboard().text()
    assert "18 | out.backward(z)" in text and "expected [ ], received [164]" in text
    pane.cards[0].copied.emit("markdown")
    assert QGuiApplication.clipboard().text().startswith("### Error: The seed gradient")


def test_buttons_that_can_do_nothing_say_why(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["eigh"], (OTHER,)), qtbot)
    card = pane.cards[0]
    assert not card.show_button.isEnabled() and card.show_button.toolTip()
    assert not card.copy_button.isEnabled()


def test_a_rule_can_be_hidden_and_shown_again(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["eigh"], (SEED_MISMATCH, OTHER)), qtbot)
    pane.cards[0].hidden.emit()
    settle(pane)
    assert list(pane.cards) == [1]
    pane._show_hidden()
    settle(pane)
    assert list(pane.cards) == [0, 1]


@pytest.mark.parametrize(("name", "words"), [("mlp", "found in 1,100 steps."), ("", "no backward pass ran")])
def test_nothing_found(name: str, words: str, recordings: dict[str, Path], tmp_path: Path, qtbot: QtBot) -> None:
    path = recordings[name] if name else TraceBuilder(tmp_path / "run.gradviz").save()
    pane = shown(ProblemsPane, hub_on(path), qtbot)
    assert not pane.cards
    assert any(words in label.text() for label in pane.findChildren(QLabel))


def test_passes_that_were_not_kept_are_told(tmp_path: Path, qtbot: QtBot) -> None:
    builder = TraceBuilder(tmp_path / "run.gradviz")
    builder.note("no-pass-kept", "5 backward passes ran.", count=5)
    pane = shown(ProblemsPane, hub_on(builder.save()), qtbot)
    assert any("5 backward passes ran, and none was kept" in label.text() for label in pane.findChildren(QLabel))


def test_very_many_findings(recordings: dict[str, Path], qtbot: QtBot) -> None:
    many = tuple(replace(SEED_MISMATCH, line=number) for number in range(1, 301))
    pane = shown(ProblemsPane, hub_on(recordings["eigh"], many), qtbot)
    assert len(pane.cards) == 100
    assert any("200 more" in label.text() for label in pane.findChildren(QLabel))


WORDS = replace(SEED_MISMATCH, changes=(), fix="Let the vjp return an array of shape [5].")
COMMAND = replace(WORDS, fix="/usr/bin/python3 -m pip install scipy")


def test_a_fix_in_words_is_no_line_of_code(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(ProblemsPane, hub_on(recordings["eigh"], (WORDS, COMMAND), finding=0), qtbot)
    words, command = pane.cards[0], pane.cards[1]
    assert not words.findChildren(ChangeLines)
    assert "To mend it: Let the vjp return an array of shape" in texts(pane, 0)
    assert not words.copy_button.isEnabled() and words.copy_button.toolTip()
    assert command.copy_button.isEnabled()


def test_while_it_is_looked_for_problems_nobody_says_that_there_are_none(
    recordings: dict[str, Path], qtbot: QtBot
) -> None:
    hub = hub_on(recordings["mlp"])
    pane = shown(ProblemsPane, hub, qtbot)
    for examining, words in ((True, "Looking for problems"), (False, "No problems found")):
        hub.change(None, examining=examining)
        settle(pane)
        assert words in "".join(label.text() for label in pane.findChildren(QLabel) if label.isVisible())
