"""Fields that have to be read whole: the pass in the timeline, the scale of an export, the list of interpreters."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from gradviz.document.interpreters import Interpreter
from gradviz.gui import interpreter_field
from gradviz.gui.export_dialog import ExportDialog
from gradviz.gui.interpreter_field import InterpreterField
from gradviz.gui.window import Window
from gradviz.trace.reader import Trace
from tests.builders import TraceBuilder
from tests.gui.driving import Person


@pytest.fixture
def person(window: Window, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


def long_loop(path: Path) -> Trace:
    """One pass that stands for 123,456, called on line 1,234."""
    building = TraceBuilder(path, text="x = x * 2\n" * 2000)
    one = building.backward(building.at(1234))
    one.root(one.node("MulBackward0", [3]), [3]).seed([3])
    one.end("completed")
    building.writer.update("backward", 0, repeats=123_456)
    building.commit()
    building.writer.close()
    return Trace(path)


def test_the_pass_is_written_out(person: Person, recordings: dict[str, Path], tmp_path: Path) -> None:
    person.open(recordings["mlp"])
    long_loop(tmp_path / "long.gradviz").close()
    # WHEN
    person.open(tmp_path / "long.gradviz")
    # THEN
    chooser = person.window.timeline.chooser
    assert chooser.currentText() == "Backward 1 of 123456 · line 1234"
    option = QStyleOptionComboBox()
    chooser.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    inside = chooser.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, chooser)
    assert chooser.fontMetrics().horizontalAdvance(chooser.currentText()) <= inside.width() - 2


def test_the_scale_of_an_export_can_be_read(person: Person, recordings: dict[str, Path]) -> None:
    person.open(recordings["mlp"])
    # WHEN
    dialog = ExportDialog(person.canvas, "mlp", False, person.window)
    dialog.show()
    # THEN
    field = dialog.scale.lineEdit()
    need = field.fontMetrics().horizontalAdvance("2.00 ×")
    assert field.text() == "2.00 ×"
    assert field.width() - field.textMargins().left() - field.textMargins().right() > need
    dialog.close()


def test_what_was_exported_is_not_told_of_the_next_script(
    person: Person, recordings: dict[str, Path], tmp_path: Path
) -> None:
    person.open(recordings["mlp"])
    person.window.strips.tell("export", "note", "Exported to mlp.png.")
    # WHEN
    person.open(recordings["eigh"])
    # THEN
    assert person.told("export") == ""


def test_interpreters_that_read_alike_say_where_they_are(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN two environments above a script, and an interpreter like no other
    one, two, other = (str(tmp_path / name / "bin" / "python") for name in ("one", "two", "other"))
    found = ((one, "beside"), (two, "beside"), (other, "path"))
    monkeypatch.setattr(interpreter_field, "candidates", lambda script: found)
    monkeypatch.setattr(interpreter_field, "probe", lambda path, origin: Interpreter(path, "3.12.1", (), origin))
    # WHEN
    field = InterpreterField(person.window.post, person.window)
    field.show_choice(tmp_path / "script.py", "")
    person.until(lambda: all("3.12.1" in field.itemText(row) for row in range(3)))
    # THEN
    words = [field.itemText(field.findData(path)) for path in (one, two, other)]
    assert words[0] == f"Python 3.12.1, no framework · beside the script · {interpreter_field.short_path(one)}"
    assert words[1].endswith(interpreter_field.short_path(two))
    assert words[2] == "Python 3.12.1, no framework · on the path"
    for thread in field.threads:
        thread.join()
