"""One pane at a time on a built recording: made, shown, and driven by clicks and keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.diagnose.finding import Finding
from gradviz.document.hub import Hub, View
from gradviz.gui.panes.pane import Pane
from gradviz.gui.theme import Theme
from gradviz.trace.reader import Trace

P = TypeVar("P", bound=Pane)


class Watcher:
    """Another pane: remembers what the hub told it."""

    def __init__(self, hub: Hub) -> None:
        self.heard: list[str] = []
        for topic in ("pass", "position", "selection", "finding"):
            hub.listen(topic, self, self._note(topic))

    def _note(self, topic: str) -> Callable[[View], None]:
        return lambda view: self.heard.append(topic)


def hub_on(path: Path, findings: tuple[Finding, ...] = (), **fields: object) -> Hub:
    """A hub that looks at the first pass of a recording."""
    hub, trace = Hub(), Trace(path)
    passes = trace.passes()
    hub.change(trace=trace, pass_id=passes[0].id if passes else None, findings=findings, **fields)
    return hub


def shown(kind: type[P], hub: Hub, qtbot: QtBot, size: tuple[int, int] = (420, 500), mode: str = "light") -> P:
    """The pane, on the screen and caught up."""
    theme = Theme(mode)
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theme.install(application)
    pane = kind(hub, theme, None)
    theme.setParent(pane)
    qtbot.addWidget(pane)
    pane.resize(*size)
    with qtbot.waitExposed(pane):
        pane.show()
    settle(pane)
    return pane


def settle(pane: Pane) -> None:
    """What the pane heard is shown."""
    pane.catch_up()
    QApplication.processEvents()
    QApplication.processEvents()


def click(widget: QWidget, at: QPoint | None = None, double: bool = False) -> None:
    """The left button, at a place or in the middle."""
    place = at if at is not None else widget.rect().center()
    press = QTest.mouseDClick if double else QTest.mouseClick
    press(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, modifier)
