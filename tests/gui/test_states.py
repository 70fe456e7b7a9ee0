"""States of the window: still recording, sudden ends, faults of ours, themes, the welcome page's shape."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gradviz.document.process_tree import descendants
from gradviz.document.settings import Settings
from gradviz.draw.tokens import DARK, LIGHT
from gradviz.gui.app import catch_errors
from gradviz.gui.window import Window
from tests.gui.driving import LONG, Person
from tests.gui.test_running import script

TWO_PASSES = """
import torch
x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
input("go on? ")
(x * 3).sin().sum().backward()
"""
DIES = """
import os, signal, torch

class Crash(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, grad):
        os.kill(os.getpid(), signal.SIGSEGV)

x = torch.ones(3, requires_grad=True)
Crash.apply(x).sum().backward()
"""
WAITS = "import time\nprint('started', flush=True)\ntime.sleep(600)\n"


@pytest.fixture
def person(window: Window, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


def test_passes_show_while_the_script_still_runs(person: Person, tmp_path: Path) -> None:
    # WHEN the first pass is over and the script waits
    person.open(script(tmp_path, TWO_PASSES))
    person.command("run")
    person.until(lambda: person.window.document.state.waiting, LONG)
    person.until(lambda: person.window.hub.view.pass_id is not None)
    # THEN it can be stepped through already
    person.command("step")
    assert person.position == 1
    assert person.window.document.state.running
    # AND the end keeps the place, and brings the rest
    person.window.document.send_line("yes")
    person.until(lambda: not person.window.document.state.running, LONG)
    person.until_settled()
    trace = person.window.hub.view.trace
    assert trace is not None
    assert len(trace.passes()) == 2
    assert person.position == 1


def test_a_process_that_dies_in_backward_is_told_with_its_node(person: Person, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("not on this platform: signals")
    person.open(script(tmp_path, DIES))
    person.run()
    assert "segmentation fault" in person.told("death")
    assert "CrashBackward" in person.told("death")
    assert person.canvas.loaded is not None


def test_closing_the_window_ends_the_script(person: Person, tmp_path: Path) -> None:
    before = set(descendants(os.getpid()))
    person.open(script(tmp_path, WAITS))
    person.command("run")
    person.until(lambda: "started" in person.output.text.toPlainText(), LONG)
    # WHEN
    person.window.close()
    question = person.window.quitting.question
    assert question is not None
    person.click(next(each for each in question.buttons() if each.text() == "Stop and quit"))
    # THEN
    person.until(lambda: not set(descendants(os.getpid())) - before)


def test_an_interrupt_ends_the_program_without_a_question(person: Person, tmp_path: Path) -> None:
    person.open(script(tmp_path, WAITS))
    person.command("run")
    person.until(lambda: "started" in person.output.text.toPlainText(), LONG)
    # WHEN Ctrl+C in the terminal that it was started from
    person.window.quitting.agree()
    person.window.close()
    # THEN
    assert person.window.quitting.question is None
    assert not person.window.isVisible()


def test_a_fault_of_ours_becomes_a_strip(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr("threading.excepthook", sys.excepthook)
    monkeypatch.setattr(sys, "__excepthook__", lambda *_: None)
    catch_errors(person.window)
    try:
        raise ZeroDivisionError("a test")
    except ZeroDivisionError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert "ZeroDivisionError: a test" in person.told("fault")


def test_the_theme_changes_live_and_is_remembered(person: Person, recordings: dict[str, Path]) -> None:
    person.open(recordings["mlp"])
    person.command("theme_dark")
    assert person.window.theme.tokens is DARK
    person.until(lambda: not person.window.theme.changing())
    pixel = person.window.grab().toImage().pixelColor(700, 20).name().upper()
    assert pixel == DARK.window
    person.command("theme_light")
    assert person.window.theme.tokens is LIGHT
    assert Settings().choice("theme") == "light"


@pytest.mark.parametrize(("width", "columns"), [(1440, 4), (1180, 3), (900, 2)])
def test_the_gallery_reflows(person: Person, width: int, columns: int) -> None:
    person.window.resize(width, 900)
    person.until(lambda: person.window.welcome.gallery.columns() == columns)
    rows: dict[int, int] = {}
    for card in person.window.welcome.gallery.cards():
        rows[card.y()] = rows.get(card.y(), 0) + 1
    assert max(rows.values()) == columns


def test_the_gallery_shows_the_rest_when_asked(person: Person) -> None:
    before = len(person.window.welcome.gallery.cards())
    person.click(person.window.welcome.more)
    assert len(person.window.welcome.gallery.cards()) > before
    assert not person.window.welcome.more.isVisible()


def test_the_command_can_be_copied(person: Person) -> None:
    person.click(person.window.welcome.copy_button)
    assert QGuiApplication.clipboard().text() == "gradviz record train.py -o run.gradviz"


def test_cards_open_with_the_keyboard(person: Person) -> None:
    card = person.window.welcome.gallery.cards()[0]
    chosen: list[object] = []
    person.window.welcome.example_chosen.disconnect()
    person.window.welcome.example_chosen.connect(chosen.append)
    card.setFocus()
    person.qtbot.keyClick(card, Qt.Key.Key_Space)
    assert chosen == [card.example]


def test_docks_come_back_where_they_were(person: Person, recordings: dict[str, Path]) -> None:
    person.open(recordings["mlp"])
    person.window.docks["problems"].hide()
    person.command("close")
    assert person.window.docks["steps"].isHidden()
    person.open(recordings["eigh"])
    assert person.window.docks["problems"].isHidden()
    assert not person.window.docks["steps"].isHidden()
    person.command("reset_layout")
    assert not person.window.docks["problems"].isHidden()
