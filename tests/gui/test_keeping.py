"""Saving, reopening and exporting, through the window."""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from gradviz.draw.picture import Picture
from gradviz.draw.telling import Tell
from gradviz.export.picture_file import Drawing, write_picture
from gradviz.gui import exporting
from gradviz.gui.export_dialog import ExportDialog
from gradviz.gui.window import Window
from gradviz.scene.model import States
from tests.gui.driving import Person


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Person:
    person = Person(window, qtbot)
    person.open(recordings["mlp"])
    return person


@pytest.mark.parametrize("with_source", [True, False])
def test_saved_recordings_open_again(person: Person, tmp_path: Path, with_source: bool) -> None:
    # WHEN
    place = tmp_path / "kept.gradviz"
    person.controller.dialogs.save(place, with_source)
    person.until(lambda: person.told("save"))
    # THEN what is in it is said, and is so
    assert ("with the script's source" in person.told("save")) == with_source
    with closing(sqlite3.connect(place)) as connection:
        (texts,) = connection.execute("SELECT count(data) FROM source").fetchone()
    assert (texts > 0) == with_source
    person.open(place)
    assert person.window.timeline.where_text() == "Step 1 of 11 · NllLossBackward0"


def test_a_folder_that_can_not_be_written_is_told(person: Person, tmp_path: Path) -> None:
    person.controller.dialogs.save(tmp_path / "nowhere" / "kept.gradviz", True)
    person.until(lambda: person.told("save"))
    assert "can't be written" in person.told("save")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "dot", "graphml"])
def test_exports(person: Person, tmp_path: Path, ending: str) -> None:
    # GIVEN
    dialog = export_dialog(person)
    dialog.format.setCurrentIndex(dialog.format.findData(ending))
    drawing = dialog.drawing()
    dialog.reject()
    # WHEN
    place = tmp_path / f"graph.{ending}"
    person.controller.canvas_link.export(place, drawing)
    person.until(lambda: str(place) in person.told("export"))  # how far it is may be told before
    # THEN
    assert "Exported" in person.told("export")
    beginning = {"svg": b"<", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph", "graphml": b"<"}[ending]
    assert place.read_bytes().startswith(beginning)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "json"])
def test_an_export_that_takes_long_is_told_and_can_be_given_up(
    person: Person, tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a drawing that goes on only when it is let
    goes_on, place = threading.Event(), tmp_path / f"graph.{ending}"

    def slowly(done: int, total: int, tell: Tell) -> None:
        tell(done, total)
        assert goes_on.wait(60)
        tell(done, total)

    def write(picture: Picture, states: States, path: Path, drawing: Drawing, tell: Tell) -> str:
        return write_picture(picture, states, path, drawing, lambda done, total: slowly(done, total, tell))

    monkeypatch.setattr(exporting, "write_picture", write)
    # WHEN
    person.controller.canvas_link.export(place, Drawing())
    person.until(lambda: person.told("export"))
    # THEN
    assert re.search(rf"graph.{ending}: 0 of \d\d+ boxes and edges", person.told("export"))
    assert not person.window.commands["export"].isEnabled()
    # WHEN
    cancel = person.window.strips.standing()["export"].action
    assert cancel is not None
    person.click(cancel)
    goes_on.set()
    # THEN
    person.until(lambda: person.window.commands["export"].isEnabled())
    assert "export" not in person.window.strips.standing()
    assert list(tmp_path.glob("*graph*")) == []


def test_scale_and_part_of_a_png(person: Person, tmp_path: Path) -> None:
    dialog = export_dialog(person)
    dialog.format.setCurrentIndex(dialog.format.findData("png"))
    dialog.part.setCurrentIndex(dialog.part.findData("visible"))
    dialog.scale.setValue(1)
    drawing = dialog.drawing()
    dialog.reject()
    assert drawing.area == person.canvas.view.view.area()
    sizes = []
    for scale in (1.0, 2.0):
        place = tmp_path / f"at_{scale:g}.png"
        person.controller.canvas_link.export(place, replace(drawing, scale=scale))
        person.until(place.exists)
        person.until(lambda p=place: str(p) in person.told("export"))  # type: ignore[misc]  # bound now
        sizes.append(QImage(str(place)).width())
    assert sizes[1] == pytest.approx(2 * sizes[0], abs=2)


def test_what_a_format_lacks_can_not_be_chosen(person: Person) -> None:
    dialog = export_dialog(person)
    dialog.format.setCurrentIndex(dialog.format.findData("dot"))
    assert not dialog.scale.isEnabled()
    assert not dialog.transparent.isEnabled()
    dialog.reject()


def test_copy_as_image(person: Person) -> None:
    QGuiApplication.clipboard().clear()
    person.command("copy_image")
    assert not QGuiApplication.clipboard().image().isNull()


@pytest.mark.parametrize("name", ["shortcuts", "about", "recordings"])
def test_help_opens_and_closes(person: Person, name: str) -> None:
    person.command(name)
    dialog = person.window.findChild(QDialog)
    assert dialog is not None
    dialog.reject()


def export_dialog(person: Person) -> ExportDialog:
    person.command("export")
    dialog = person.window.findChild(ExportDialog)
    assert isinstance(dialog, ExportDialog)
    return dialog
