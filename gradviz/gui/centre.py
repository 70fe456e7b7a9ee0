"""The middle of the window at work: strips, below them the canvas, or words where there is no graph to show."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gradviz.gui.strips import Strips
from gradviz.gui.theme import Theme


@dataclass(frozen=True)
class Offer:
    """A line of a message with a link or a button: what, where, and what a click does."""

    title: str
    detail: str = ""
    link: str = ""
    follow: Callable[[], object] | None = None
    button: str = ""
    act: Callable[[], object] | None = None


class Centre(QWidget):
    """Strips over a stack of canvas and message."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.strips = Strips(theme, self)
        self._stack = QStackedWidget(self)
        self.message = Message(self)
        self._stack.addWidget(self.message)
        column.addWidget(self.strips)
        column.addWidget(self._stack, 1)
        self.canvas: QWidget | None = None

    def set_canvas(self, canvas: QWidget) -> None:
        self.canvas = canvas
        self._stack.addWidget(canvas)
        self._stack.setCurrentWidget(canvas)

    def show_graph(self) -> None:
        self.message.stop_clock()
        if self.canvas is not None:
            self._stack.setCurrentWidget(self.canvas)

    def show_message(
        self, heading: str, text: str = "", offers: Sequence[Offer] = (), clock: float | None = None
    ) -> None:
        """Words in place of the graph. `clock` = when the run began: a running time stands under the heading."""
        self.message.tell(heading, text, offers, clock)
        self._stack.setCurrentWidget(self.message)

    def shows_message(self) -> bool:
        return self._stack.currentWidget() is self.message


class Message(QScrollArea):
    """A heading, a sentence, and rows that offer something."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._began: float | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(500)
        self._clock.timeout.connect(self._tick)
        self._time: QLabel | None = None
        self.heading = ""
        self.buttons: list[QPushButton] = []

    def tell(self, heading: str, text: str, offers: Sequence[Offer], clock: float | None) -> None:
        self.stop_clock()
        self.heading = heading
        self.buttons = []
        page = QFrame(self)
        page.setProperty("role", "canvas")
        column = QVBoxLayout(page)
        column.setContentsMargins(48, 48, 48, 48)
        column.setSpacing(8)
        column.addWidget(_label(heading, "title"))
        if clock is not None:
            self._time, self._began = _label("", "secondary"), clock
            column.addWidget(self._time)
            self._tick()
            self._clock.start()
        if text:
            column.addWidget(_label(text, "body-secondary"))
        column.addSpacing(8)
        for offer in offers:
            column.addWidget(self._row(offer))
        column.addStretch(1)
        self.setWidget(page)

    def stop_clock(self) -> None:
        self._clock.stop()
        self._time = None

    def _tick(self) -> None:
        if self._time is not None and self._began is not None:
            self._time.setText(self.tr("{seconds} s").format(seconds=int(time.time() - self._began)))

    def _row(self, offer: Offer) -> QWidget:
        row = QFrame(self)
        row.setProperty("role", "panel")
        line = QHBoxLayout(row)
        line.setContentsMargins(12, 6, 8, 6)
        line.setSpacing(12)
        line.addWidget(_label(offer.title, "mono" if offer.detail else "body"))
        if offer.detail:
            line.addWidget(_label(offer.detail, "secondary"))
        line.addStretch(1)
        for text, handler, role in ((offer.link, offer.follow, "link"), (offer.button, offer.act, "")):
            if text and handler is not None:
                button = QPushButton(text, row)
                button.setProperty("role", role)
                button.clicked.connect(lambda checked=False, handler=handler: handler())
                line.addWidget(button)
                self.buttons.append(button)
        return row


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(role in ("title", "body-secondary"))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
