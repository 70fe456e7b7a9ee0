"""Work in turns of the event loop: one pane a turn, its painting in a turn of its own, large scenes after all panes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.gui.panes import patience
from gradviz.gui.panes.patience import Patience
from gradviz.gui.panes.turns import Turns
from gradviz.gui.still import Still


class Worker(QObject):
    """Asks for turns until it has had them all, as a pane does."""

    def __init__(self, name: str, wanted: int, log: list[str], worked: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._name, self._left, self._log, self._worked = name, wanted, log, worked
        self._turns = Turns.of_application()
        self._soon = QTimer(self)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._ask)
        self._soon.start()

    def _ask(self) -> None:
        if self._turns.take():
            self._log.append(self._name)
            self._worked()
            self._left -= 1
            if not self._left:
                self._soon.stop()


class Sheet(QWidget):
    """Notes when it is painted."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self._log = log

    def paintEvent(self, event: QPaintEvent) -> None:
        self._log.append("painted")


@pytest.fixture
def log(qapp: QApplication, qtbot: QtBot) -> list[str]:
    qtbot.waitUntil(Turns.of_application().quiet)
    return []


@pytest.fixture
def sheet(log: list[str], qtbot: QtBot) -> Sheet:
    made = Sheet(log)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: bool(log))
    log.clear()
    return made


def test_what_one_changed_is_painted_before_the_next_works(log: list[str], sheet: Sheet, qtbot: QtBot) -> None:
    workers = [Worker(name, 1, log, sheet.update) for name in ("steps", "source")]
    qtbot.waitUntil(lambda: len(log) == 4)
    assert log[1::2] == ["painted", "painted"]
    assert set(log[::2]) == {"steps", "source"}
    del workers


def test_a_large_scene_waits_for_all_who_work(log: list[str], qtbot: QtBot) -> None:
    owner = QObject()
    waits = Patience(lambda: log.append("scene"), owner)
    # WHEN it is asked for first
    waits.start(waits=True)
    workers = [Worker(name, 2, log) for name in ("steps", "source")]
    # THEN it comes last, and once
    qtbot.waitUntil(lambda: "scene" in log)
    assert log[-1] == "scene"
    assert sorted(log[:-1]) == ["source", "source", "steps", "steps"]
    del workers


def test_a_small_scene_waits_for_nobody(log: list[str], qtbot: QtBot) -> None:
    owner = QObject()
    soon = Patience(lambda: log.append("scene"), owner)
    assert Turns.of_application().take()
    soon.start(waits=False)
    soon.start(waits=False)
    qtbot.waitUntil(lambda: not Turns.of_application().busy())
    assert log == ["scene"]


def test_patience_ends(log: list[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    # GIVEN somebody who never stops, and no patience left
    monkeypatch.setattr(patience, "LONGEST", 0.0)
    owner = QObject()
    waits = Patience(lambda: log.append("scene"), owner)
    worker = Worker("steps", 1_000_000, log)
    # WHEN
    waits.start(waits=True)
    # THEN
    qtbot.waitUntil(lambda: "scene" in log)
    del worker


def test_nothing_is_painted_while_parts_are_arranged(log: list[str], sheet: Sheet, qtbot: QtBot) -> None:
    still = Still(sheet)
    still.begin()
    sheet.update()
    sheet.repaint()
    # THEN not even what asks for it at once
    assert not log and not sheet.updatesEnabled()
    qtbot.waitUntil(lambda: log == ["painted"])
    assert sheet.updatesEnabled()


def test_what_does_not_show_yet_is_not_held(log: list[str], qtbot: QtBot) -> None:
    hidden = Sheet(log)
    qtbot.addWidget(hidden)
    Still(hidden).begin()
    assert hidden.updatesEnabled()
