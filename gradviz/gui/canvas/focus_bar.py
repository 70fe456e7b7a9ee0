"""The panel over the canvas that says what stands out, and is the one place to change and to leave it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from gradviz.gui.elided_label import ElidedLabel
from gradviz.gui.theme import Theme
from gradviz.scene.focus import AROUND, Focus

INSET, HIGH = 12, 34
LEAST_WORDS = 60


class FocusBar(QFrame):
    """Lies over the graph, at its upper left corner."""

    left = Signal()
    hops_chosen = Signal(int)
    hide_chosen = Signal(bool)

    def __init__(self, theme: Theme, view: QWidget, end: Callable[[], int]) -> None:
        """`end`: how far to the right it may reach, in px of the view."""
        super().__init__(view)
        self._theme, self._end, self._hops = theme, end, 1
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation, True)  # a press here isn't one on the graph
        self.setAccessibleName(self.tr("Focus"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 8, 2)
        row.setSpacing(4)
        self.words = ElidedLabel(self)
        self.words.setProperty("role", "strong")
        self.words.mode = Qt.TextElideMode.ElideMiddle  # a parameter's name differs in its end
        self.fewer = self._step(self.tr("One hop fewer ([)"), -1)
        self.hops = QLabel(self)
        self.hops.setProperty("role", "secondary")
        self.more = self._step(self.tr("One hop more (])"), 1)
        self.count = QLabel(self)
        self.count.setProperty("role", "secondary")
        self.rest = QPushButton(self.tr("Hide the rest"), self)
        self.rest.setProperty("role", "toggle")
        self.rest.setCheckable(True)
        self.rest.setToolTip(self.tr("Off: the rest is dimmed (H)"))
        self.rest.toggled.connect(self.hide_chosen)
        self.leave = QPushButton(self.tr("Show everything"), self)
        self.leave.setProperty("role", "link")
        self.leave.setToolTip(self.tr("Leave the focus (Esc in the canvas)"))
        self.leave.clicked.connect(lambda _on=False: self.left.emit())
        for widget in (self.words, self.fewer, self.hops, self.more, self.count, self.rest, self.leave):
            row.addWidget(widget)
        row.insertSpacing(1, 4)
        row.insertSpacing(6, 4)
        theme.changed.connect(self._dress)
        self._dress()
        view.installEventFilter(self)
        self.hide()

    def tell(self, title: str, focus: Focus, boxes: int, whole: int, hides: bool) -> None:
        """Show what stands out, without telling it back."""
        self._hops = focus.hops
        self.words.setText(title)
        self.words.setToolTip(title)
        blocked = QSignalBlocker(self.rest)
        self.rest.setChecked(hides)
        del blocked
        around = focus.kind == AROUND
        for widget in (self.fewer, self.hops, self.more):
            widget.setVisible(around)
        self.fewer.setEnabled(focus.hops > 1)
        self.hops.setText(self.tr("1 hop") if focus.hops == 1 else self.tr("{count} hops").format(count=focus.hops))
        self.count.setText(self.tr("{shown} of {all}").format(shown=f"{boxes:,}", all=f"{whole:,}"))
        self.count.setToolTip(self.tr("So many of the boxes that are drawn stand out"))
        self.show()
        self._place()
        self.raise_()

    def _step(self, words: str, by: int) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setIconSize(QSize(14, 14))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda _on=False: self.hops_chosen.emit(self._hops + by))
        return button

    def _dress(self) -> None:
        self.fewer.setIcon(self._theme.icon("minus"))
        self.more.setIcon(self._theme.icon("plus"))

    def _place(self) -> None:
        wide = self.words.fontMetrics().horizontalAdvance(self.words.text()) + 4
        self.words.setFixedWidth(wide)
        over = self.sizeHint().width() - (self._end() - 2 * INSET)
        if over > 0:
            self.words.setFixedWidth(max(LEAST_WORDS, wide - over))
        self.setGeometry(INSET, INSET, self.sizeHint().width(), HIGH)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False
