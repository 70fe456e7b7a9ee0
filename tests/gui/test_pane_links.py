"""In the real window: links bring Source to the front, Problems counts, the Inspector's offer runs the script again."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.gui.panes.inspector import InspectorPane
from gradviz.gui.panes.problems import ProblemsPane
from gradviz.gui.panes.source import SourcePane
from gradviz.gui.window import Window
from tests.gui.driving import Person
from tests.gui.panes import click


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Person:
    """With a silent broadcast open: its finding is shown."""
    person = Person(window, qtbot)
    person.open(recordings["broadcast"])
    return person


def pane(person: Person, name: str) -> object:
    return person.window.docks.panes[name]


def test_a_finding_is_counted_and_shown_in_all_panes(person: Person) -> None:
    problems, source, inspector = (pane(person, name) for name in ("problems", "source", "inspector"))
    assert isinstance(problems, ProblemsPane) and isinstance(source, SourcePane)
    assert isinstance(inspector, InspectorPane)
    person.until(lambda: problems.cards)
    title = person.window.docks["problems"].windowTitle()
    assert title.split() == [person.window.docks.title("problems"), "1"]
    person.until(lambda: source.view.marks)
    assert source.file.endswith("fit_line.py")
    person.until(lambda: inspector.page is not None and inspector.page.heading_text == "SubBackward0")


def test_a_link_brings_source_to_the_front(person: Person) -> None:
    problems, source = pane(person, "problems"), pane(person, "source")
    assert isinstance(problems, ProblemsPane) and isinstance(source, SourcePane)
    person.window.docks.front("output")
    person.until(lambda: problems.cards)
    card = problems.cards[0]
    card.line_requested.emit(card.finding.file, 6)
    person.until(lambda: source.isVisible() and source.view.chosen == 6)
    assert "fit_line.py" in person.window.docks["source"].windowTitle()


def test_the_offer_to_record_again_says_what_is_missing(person: Person) -> None:
    # GIVEN a recording whose script isn't on this computer, at a step without values
    inspector = pane(person, "inspector")
    assert isinstance(inspector, InspectorPane)
    person.window.hub.change(position=0, selection=Selection())
    person.until(lambda: inspector.page is not None and inspector.page.heading_text == "MeanBackward0")
    assert inspector.page is not None
    # WHEN the offer is taken
    inspector.page.record_requested.emit()
    # THEN a strip tells what stands in the way
    person.until(lambda: person.told("record"))


def test_a_step_that_was_clicked_moves_the_other_panes(person: Person) -> None:
    inspector, source = pane(person, "inspector"), pane(person, "source")
    assert isinstance(inspector, InspectorPane) and isinstance(source, SourcePane)
    table = person.steps.table
    index = person.steps.model.index(4, 1)
    click(table.viewport(), table.visualRect(index).center())
    person.until(lambda: inspector.page is not None and inspector.page.heading_text == "AddmmBackward0")
    person.until(lambda: source.view.current == 9)
    assert person.position == 3
