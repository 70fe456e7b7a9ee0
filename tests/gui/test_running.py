"""Running scripts from the window, with the real recorder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.document.process_tree import descendants
from gradviz.gui.panes.problems import ProblemsPane
from gradviz.gui.window import Window
from gradviz.resources_path import resources_path
from tests.gui.driving import LONG, Person

MISMATCH = """
import torch
z = torch.ones(3, requires_grad=True)
out = (z * 2).sum()
out.backward(z)
"""
ENDLESS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("started", flush=True)
while True:
    time.sleep(0.05)
"""
ASKS = """
name = input("name? ")
print("hello", name)
"""
TRAINING = """
import time
import torch
weight = torch.ones(3, requires_grad=True)
try:
    while True:
        (weight * 2).sum().backward()
        time.sleep(0.01)
finally:
    print("the last words", flush=True)
"""
NO_BACKWARD = """
import torch
weight = torch.ones(3, requires_grad=True)
loss = (weight * 2).sum()
print(loss.item())
"""
CUT = """
import torch
weight = torch.ones(3, requires_grad=True)
(weight * 2).sum().backward()
loss = torch.tensor(float((weight * 2).sum().detach()))
loss.backward()
"""
FUNCTION = """
import torch

def energy(x, power=2):
    return (x ** power)

if __name__ == "__main__":
    raise SystemExit("not this")
"""


@pytest.fixture
def person(window: Window, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


def script(folder: Path, text: str, name: str = "script.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def shown_total(person: Person) -> int:
    """The 42 of 'Backward 1 of 42 · line 3'."""
    found = re.search(r" of ([0-9]+)", person.window.timeline.chooser.currentText())
    return int(found[1]) if found is not None else 0


def test_a_faulty_script_runs_and_shows_where_it_went_wrong(person: Person, tmp_path: Path) -> None:
    # GIVEN a path with a space and CJK
    folder = tmp_path / "my 脚本"
    folder.mkdir()
    person.open(script(folder, MISMATCH))
    # WHEN
    person.run()
    # THEN
    view = person.window.hub.view
    assert [finding.rule for finding in view.findings][:1] == ["seed-shape-mismatch"]
    assert view.selection.kind == "seed"
    assert "Raised before step 1" in person.window.timeline.where_text()
    assert "RuntimeError" in person.window.status.words()
    assert "RuntimeError" in person.output.text.toPlainText()


def test_running_again_keeps_step_and_selection(person: Person) -> None:
    person.open(resources_path("examples", "mlp_training.py"))
    person.run()
    person.command("step")
    person.command("step")
    # WHEN
    person.run()
    # THEN
    assert person.position == 2


def test_a_changed_file_asks_to_run_again(person: Person, tmp_path: Path) -> None:
    path = script(tmp_path, "print('one')\n")
    person.open(path)
    person.run()
    path.write_text("print('two, and longer')\n", encoding="utf-8")
    # WHEN
    person.window.document.look_at_file()
    # THEN
    assert "has changed" in person.told("changed")
    button = person.window.strips.standing()["changed"].action
    assert button is not None
    person.click(button)
    person.until(lambda: "two, and longer" in person.output.text.toPlainText(), LONG)
    person.until_settled()
    assert person.told("changed") == ""


def test_stop_ends_the_script_and_its_children_within_a_second(person: Person, tmp_path: Path) -> None:
    person.open(script(tmp_path, ENDLESS))
    before = set(descendants(os.getpid()))
    person.command("run")
    person.until(lambda: "started" in person.output.text.toPlainText(), LONG)
    assert len(set(descendants(os.getpid())) - before) >= 2
    # WHEN
    began = time.monotonic()
    person.press(Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    person.until(lambda: not person.window.document.state.running)
    # THEN (a second for the processes; the rest is this machine)
    assert person.window.hub.view.trace is not None
    assert person.window.hub.view.trace.run().status == "stopped"
    assert person.window.hub.view.trace.run().seconds is not None
    person.until(lambda: not set(descendants(os.getpid())) - before)
    assert time.monotonic() - began < 10


def test_a_script_that_asks_gets_what_is_typed(person: Person, tmp_path: Path) -> None:
    person.open(script(tmp_path, ASKS))
    person.command("run")
    person.until(lambda: person.window.document.state.waiting, LONG)
    assert "waits for input" in person.window.status.words()
    # WHEN
    person.qtbot.keyClicks(person.output.input, "Ada")
    person.qtbot.keyClick(person.output.input, Qt.Key.Key_Return)
    # THEN
    person.until(lambda: "hello Ada" in person.output.text.toPlainText())
    person.until_settled()


def test_input_given_as_text(person: Person, tmp_path: Path) -> None:
    person.open(script(tmp_path, ASKS))
    panel = person.run_panel
    panel.stdin_kind.setCurrentIndex(panel.stdin_kind.findData("text"))
    panel.stdin_text.setPlainText("Emmy\n")
    person.run()
    assert "hello Emmy" in person.output.text.toPlainText()


def test_one_function_runs_with_arguments_and_backward_from_its_result(person: Person, tmp_path: Path) -> None:
    # GIVEN
    path = script(tmp_path, FUNCTION)
    person.open(path)
    person.window.docks.front("run")
    form = person.run_panel.function
    assert form.choice.findData("energy") > 0
    # WHEN
    form.choice.setCurrentIndex(form.choice.findData("energy"))
    form.choice.activated.emit(form.choice.currentIndex())
    assert set(form.fields) == {"x", "power"}
    person.qtbot.keyClicks(form.fields["x"], "torch.ones(3, requires_grad=True)")
    assert form.seed is not None
    person.qtbot.keyClicks(form.seed, "torch.tensor([1.0, 2.0, 3.0])")
    person.run()
    # THEN
    trace = person.window.hub.view.trace
    assert trace is not None
    assert [(each.phase, each.outcome) for each in trace.passes()] == [("offered", "completed")]
    assert trace.run().function == "energy"
    assert person.window.windowTitle().startswith("script.py::energy")
    # AND the expressions are remembered for this script
    remembered = person.window.settings.run_settings(path)
    assert remembered.arguments_of("energy")["x"] == "torch.ones(3, requires_grad=True)"


def test_a_pass_without_a_graph_says_why(person: Person, tmp_path: Path) -> None:
    person.open(script(tmp_path, CUT))
    # WHEN
    person.run()
    # THEN the second pass, which the finding is about, has words in place of a graph
    window, centre = person.window, person.window.centre
    trace = window.hub.view.trace
    assert trace is not None
    first, second = trace.passes()
    assert (first.nodes > 0, second.nodes, window.hub.view.pass_id) == (True, 0, second.id)
    assert centre.shows_message()
    assert "no graph" in centre.message.heading
    # AND the link goes to the line that cut it
    person.click(next(button for button in centre.message.buttons if button.text() == "script.py:5"))
    assert (window.hub.view.selection.kind, window.hub.view.selection.line) == ("line", 5)
    # AND the first pass has its graph
    window.hub.change(None, pass_id=first.id)
    person.until_settled()
    assert not centre.shows_message()


def test_a_script_without_backward_offers_its_tensors(person: Person, tmp_path: Path) -> None:
    person.open(script(tmp_path, NO_BACKWARD))
    person.run()
    message = person.window.centre.message
    assert person.window.centre.shows_message()
    assert "no backward pass ran" in message.heading
    # WHEN
    offer = next(button for button in message.buttons if button.text() == "Run backward from it")
    person.click(offer)
    person.until(lambda: person.window.hub.view.pass_id is not None, LONG)
    person.until_settled()
    # THEN
    trace = person.window.hub.view.trace
    assert trace is not None
    assert trace.passes()[0].phase == "offered"
    assert not person.window.centre.shows_message()


def test_a_flood_of_output_leaves_the_window_alive(person: Person, tmp_path: Path) -> None:
    flood = "import sys\nfor _ in range(1500):\n    sys.stdout.write('x' * 65535 + '\\n')\nprint('the end')\n"
    person.open(script(tmp_path, flood))
    person.run()
    text = person.output.text.toPlainText()
    assert "the end" in text
    assert len(text) < 20_000_000


def test_from_welcome_to_a_finding(person: Person) -> None:
    card = next(card for card in person.window.welcome.gallery.cards() if card.example.id == "silent_broadcast")
    person.click(card)
    person.until(lambda: person.window.document.state.phase == "ended", LONG)
    person.until_settled()
    assert person.window.hub.view.findings[0].rule == "silent-broadcast"
    assert not person.window.shows_welcome()


def test_an_interpreter_without_the_framework_offers_another(person: Person, tmp_path: Path) -> None:
    # GIVEN a script whose torch can't be found, as in a bare interpreter
    text = "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n"
    person.open(script(tmp_path, text))
    person.run()
    assert "torch isn't installed" in person.told("interpreter")
    button = person.window.strips.standing()["interpreter"].action
    assert button is not None
    person.click(button)
    assert person.window.focusWidget() is person.run_panel.interpreter


def test_quit_asks_while_a_script_runs(person: Person, tmp_path: Path) -> None:
    # GIVEN
    person.open(script(tmp_path, ENDLESS))
    person.command("run")
    person.until(lambda: "started" in person.output.text.toPlainText(), LONG)
    window, quitting = person.window, person.window.quitting
    # WHEN one quits, and thinks better of it
    person.press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: quitting.question is not None)
    person.qtbot.keyClick(quitting.question, Qt.Key.Key_Escape)
    # THEN
    person.until(lambda: quitting.question is None)
    assert window.isVisible()
    assert window.document.state.phase == "running"
    # AND a yes ends both (the fixtures see to it that nothing is left)
    person.press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: quitting.question is not None)
    assert quitting.question is not None
    person.click(next(each for each in quitting.question.buttons() if each.text() == "Stop and quit"))
    person.until(lambda: not window.isVisible())


def test_counts_grow_while_a_loop_runs(person: Person, tmp_path: Path) -> None:
    # GIVEN a loop that goes on until it is stopped
    person.open(script(tmp_path, TRAINING))
    window = person.window
    assert window.timeline.chooser.currentText() == "No backward pass"
    # WHEN
    person.command("run")
    # THEN what is told of it grows
    person.until(lambda: shown_total(person) > 2, LONG)
    before = shown_total(person)
    person.until(lambda: shown_total(person) > before, LONG)
    problems = window.docks.panes["problems"]
    assert isinstance(problems, ProblemsPane)
    assert "when the run ends" in problems.empty_words(window.hub.view)
    # AND Stop lets the script end as Ctrl+C does
    person.command("stop")
    person.until_settled()
    assert "the last words" in person.output.text.toPlainText()
    assert "Stopped" in window.status.words()


def test_stop_interrupts_though_the_program_ignores_interrupts() -> None:
    """A window that a shell script started in the background."""
    code = """
import signal, subprocess, sys
from gradviz.gui.app import let_scripts_be_interrupted
signal.signal(signal.SIGINT, signal.SIG_IGN)
let_scripts_be_interrupted()
ask = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
subprocess.run([sys.executable, "-c", ask], check=True)
signal.raise_signal(signal.SIGINT)
print("alive")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "alive"]
