"""What all panes share: they hear the hub, gather what changed, and show it once, when they are seen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gradviz.document.hub import TOPICS, Hub, View
from gradviz.errors import TraceError
from gradviz.gui.panes.turns import Turns
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme


class Pane(QWidget):
    """A subclass says in `refresh` what it shows; it is called once after a burst of changes, and not while hidden."""

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hub, self.theme = hub, theme
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        set_role(self, "pane")
        self._changed: set[str] = set(TOPICS)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._in_turn)
        self._turns = Turns.of_application()
        for topic in TOPICS:
            hub.listen(topic, self, self._listener(topic))
        theme.changed.connect(self.theme_changed)
        self.destroyed.connect(lambda *_, owner=self, hub=hub: hub.forget(owner))

    def _listener(self, topic: str) -> Callable[[View], None]:
        return lambda view: self.heard(topic)

    def heard(self, topic: str) -> None:
        """Something changed; shown in one of the next turns of the event loop."""
        self._changed.add(topic)
        if self.isVisible():
            self._soon.start()

    def _in_turn(self) -> None:
        if self._turns.take():
            self.catch_up()
        else:
            self._soon.start()

    def catch_up(self) -> None:
        """Show now what changed since the last time."""
        self._soon.stop()
        changed, self._changed = frozenset(self._changed), set()
        if not changed:
            return
        try:
            self.refresh(self.hub.view, changed)
        except TraceError as error:
            self.show_damage(str(error))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.catch_up()

    def theme_changed(self) -> None:
        """Colours are others now; what was made with them is made again."""
        for topic in TOPICS:
            self.heard(topic)
        self.update()

    def refresh(self, view: View, changed: frozenset[str]) -> None:
        """Show `view`; `changed` are the hub's topics."""
        raise NotImplementedError

    def show_damage(self, sentence: str) -> None:
        """A part of the file that this pane needs is damaged."""
        raise NotImplementedError


def no_pass_words(view: View) -> str:
    """In place of a pass: whether one may come; "" without a recording. Raises TraceError."""
    if view.trace is None:
        return ""
    if view.trace.run().status == "recording":
        return QCoreApplication.translate("Pane", "No backward pass so far.")
    return QCoreApplication.translate("Pane", "No backward pass was recorded.")


def page_scroller(name: str, parent: QWidget) -> QScrollArea:
    """A scroll area for a page that is as wide as the pane.

    There is always room for the scroll bar, though it is seen only when needed: where it takes its room as it comes,
    a page that is built part by part is laid out twice at each part.
    """
    area = QScrollArea(parent)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    bar = area.verticalScrollBar()
    bar.setEnabled(False)
    bar.rangeChanged.connect(lambda low, high: bar.setEnabled(low < high))
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setAccessibleName(name)
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return area


def words_page(words: str) -> QWidget:
    """A page that only says something."""
    page = QWidget()
    page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    set_role(page, "pane")
    label = QLabel(words, page)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    set_role(label, "secondary")
    rows = QVBoxLayout(page)
    rows.setContentsMargins(16, 12, 16, 12)
    rows.addWidget(label)
    rows.addStretch(1)
    return page
