"""The canvas's header: what is shown, and the switches for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from gradviz.draw.tokens import TAB_STRIP
from gradviz.gui.canvas.crumbs import Crumbs
from gradviz.gui.elided_label import ElidedLabel
from gradviz.gui.theme import Theme

SWITCHES = ("across", "wrap", "shapes", "modules", "views", "constants", "legend")


OFF_AT_FIRST = ("across", "legend")


class CanvasHeader(QFrame):
    """Signals name the switch that a person turned."""

    switched = Signal(str, bool)
    zoom_requested = Signal(float)  # factor
    reset_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("role", "bar")
        self.setFixedHeight(TAB_STRIP)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(2)
        self.crumbs = Crumbs(theme, self)
        self.counts = ElidedLabel(self)
        self.counts.setProperty("role", "secondary")
        self.counts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self.crumbs)
        row.addSpacing(8)
        row.addWidget(self.counts, 1)
        row.addSpacing(8)
        words = {
            "across": ("", self.tr("Draw from left to right (D)")),
            "wrap": (self.tr("Wrap"), self.tr("Fold a long graph into columns, or into rows")),
            "shapes": (self.tr("Shapes"), self.tr("Write the gradient's shape beside each edge")),
            "modules": (self.tr("Modules"), self.tr("Frame and fold the nodes of each module")),
            "views": (self.tr("Views"), self.tr("Show views, transposes, expands and leaves (V)")),
            "constants": (self.tr("Constants"), self.tr("Show the operands without gradient that a problem names")),
            "legend": (self.tr("Legend"), self.tr("Explain colours and forms")),
        }
        words_alone = {"across": self.tr("Left to right")}  # of those that show an icon only
        self.switches: dict[str, QPushButton] = {}
        for name in SWITCHES:
            button = QPushButton(words[name][0], self)
            button.setProperty("role", "toggle")
            button.setCheckable(True)
            button.setChecked(name not in OFF_AT_FIRST)
            button.setToolTip(words[name][1])
            button.setAccessibleName(words_alone.get(name, words[name][0]))
            button.toggled.connect(lambda on, name=name: self.switched.emit(name, on))
            self.switches[name] = button
            row.addWidget(button)
        row.addSpacing(8)
        self.minus = self._tool(self.tr("Zoom out (−)"), 0.8)
        self.percent = QPushButton(self)
        self.percent.setProperty("role", "toggle")
        self.percent.setToolTip(self.tr("Zoom to 100 % (0)"))
        self.percent.setMinimumWidth(48)
        self.percent.clicked.connect(lambda _on=False: self.reset_requested.emit())
        self.plus = self._tool(self.tr("Zoom in (+)"), 1.25)
        for widget in (self.minus, self.percent, self.plus):
            row.addWidget(widget)
        theme.changed.connect(self._dress)
        self._dress()
        self.show_zoom(1.0)

    def show_counts(self, counts: str) -> None:
        self.counts.setText(counts)
        self.counts.setToolTip(counts)

    def show_zoom(self, zoom: float) -> None:
        percent = zoom * 100
        self.percent.setText(f"{percent:.0f} %" if percent >= 1 else f"{percent:.1f} %")

    def show_switch(self, name: str, on: bool) -> None:
        """Show a state that was set elsewhere, without telling it back."""
        button = self.switches[name]
        blocked = button.blockSignals(True)
        button.setChecked(on)
        button.blockSignals(blocked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, what is rarely turned goes first; the Graph menu has all of them."""
        width = self.width()
        for name, needed in (("constants", 860), ("legend", 800), ("views", 680), ("wrap", 600), ("across", 540)):
            self.switches[name].setVisible(width >= needed)
        super().resizeEvent(event)

    def _tool(self, words: str, factor: float) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setIconSize(QSize(14, 14))
        button.clicked.connect(lambda _on=False: self.zoom_requested.emit(factor))
        return button

    def _dress(self) -> None:
        self.minus.setIcon(self._theme.icon("minus"))
        self.plus.setIcon(self._theme.icon("plus"))
        self.switches["wrap"].setIcon(self._theme.icon("wrap", "text2"))
        self.switches["across"].setIcon(self._theme.icon("across", "text2"))
