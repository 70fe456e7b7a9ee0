"""A change of theme: in turns, with nothing painted half-way, and whole in the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.draw.tokens import DARK, LIGHT
from gradviz.gui.theme import Theme


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme("light")
    made.install(qapp)
    yield made
    made.set_mode("light")


@pytest.fixture
def page(qtbot: QtBot, theme: Theme) -> QWidget:
    """A small window with what a sheet dresses."""
    made = QWidget()
    made.setProperty("role", "pane")
    rows = QVBoxLayout(made)
    filled = QPushButton("Run", made)
    filled.setProperty("role", "filled")
    rows.addWidget(filled)
    own = QLabel("with a sheet of its own", made)
    own.setStyleSheet("padding: 2px")
    rows.addWidget(own)
    qtbot.addWidget(made)
    made.resize(300, 120)
    with qtbot.waitExposed(made):
        made.show()
    return made


def background(page: QWidget) -> QColor:
    button = page.findChild(QPushButton)
    assert isinstance(button, QPushButton)
    return button.grab().toImage().pixelColor(8, button.height() // 2)


def test_nothing_is_painted_until_all_is_dressed(theme: Theme, page: QWidget, qtbot: QtBot) -> None:
    heard: list[bool] = []
    theme.changed.connect(lambda: heard.append(page.updatesEnabled()))
    assert background(page) == QColor(LIGHT.accent)
    # WHEN
    theme.set_mode("dark")
    # THEN the tokens hold at once, the widgets follow in later turns
    assert theme.tokens is DARK
    assert theme.changing() and not page.updatesEnabled() and not heard
    qtbot.waitUntil(lambda: not theme.changing())
    # AND who paints by himself heard of it before anything was painted
    assert heard == [False]
    assert page.updatesEnabled()
    assert background(page) == QColor(DARK.accent)


def test_a_second_change_overtakes_the_first(theme: Theme, page: QWidget, qtbot: QtBot) -> None:
    theme.set_mode("dark")
    theme.set_mode("light")
    qtbot.waitUntil(lambda: not theme.changing())
    assert page.updatesEnabled()
    assert background(page) == QColor(LIGHT.accent)


def test_it_is_done_at_once_where_nothing_shows(theme: Theme, page: QWidget) -> None:
    page.hide()
    # WHEN
    theme.set_mode("dark")
    # THEN
    assert not theme.changing()
    assert background(page) == QColor(DARK.accent)


def test_a_window_may_close_meanwhile(theme: Theme, page: QWidget, qtbot: QtBot) -> None:
    other = QWidget()
    with qtbot.waitExposed(other):
        other.show()
    theme.set_mode("dark")
    # WHEN
    other.close()
    other.deleteLater()
    # THEN
    qtbot.waitUntil(lambda: not theme.changing())
    assert background(page) == QColor(DARK.accent)


def test_a_fault_half_way_leaves_the_window_painted(
    theme: Theme, page: QWidget, qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(palette: object) -> None:
        raise RuntimeError("no palette")

    monkeypatch.setattr(qapp, "setPalette", fails)
    # WHEN
    with qtbot.captureExceptions() as faults:
        theme.set_mode("dark")
        qtbot.waitUntil(lambda: not theme.changing())
    # THEN
    assert len(faults) == 1
    assert page.updatesEnabled()
    monkeypatch.undo()
    theme.install(qapp)
