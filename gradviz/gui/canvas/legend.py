"""The legend: what the icons and forms mean, over the graph's lower left corner."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.draw.cards import draw_outline
from gradviz.draw.surface import QtSurface, text_width
from gradviz.draw.tokens import DASH_CONSTANT, LIST
from gradviz.gui.theme import Theme
from gradviz.scene.model import Kind

ROW, PAD, COLUMN = 24.0, 12.0, 24.0


class Legend(QWidget):
    """States by their icons, kinds by their outlines."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, True)
        self.states = (
            ("done", self.tr("Done")),
            ("current", self.tr("Current")),
            ("pending", self.tr("Not yet reached")),
            ("never", self.tr("Never reached")),
            ("error", self.tr("Failed, mismatch")),
        )
        self.kinds = (
            (Kind.BUILTIN, self.tr("Built in")),
            (Kind.LEAF, self.tr("Leaf")),
            (Kind.CUSTOM, self.tr("Custom function")),
            (Kind.SEED, self.tr("Seed gradient")),
            (Kind.CONSTANT, self.tr("Constant")),
        )
        theme.changed.connect(self.update)
        self.resize(self.sizeHint())
        self.hide()

    def _widths(self) -> tuple[float, float]:
        left = max(text_width(words, LIST) for _, words in self.states) + 24
        return left, max(text_width(words, LIST) for _, words in self.kinds) + 40

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._widths()) + 2 * PAD + COLUMN), round(5 * ROW + 2 * PAD - 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            surface = QtSurface(painter, self._theme.tokens)
            rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            surface.rect(rect.x(), rect.y(), rect.width(), rect.height(), 8, "pane", "border")
            second = PAD + self._widths()[0] + COLUMN
            for at, (name, words) in enumerate(self.states):
                middle = PAD + at * ROW + ROW / 2 - 2
                surface.icon(name, PAD, middle - 8)
                surface.text(PAD + 24, middle, words, LIST, "text")
            for at, (kind, words) in enumerate(self.kinds):
                middle = PAD + at * ROW + ROW / 2 - 2
                dash = DASH_CONSTANT if kind == Kind.CONSTANT else ()
                with surface.moved(second, middle - 7, 0.5):
                    draw_outline(surface, kind, (0, 0, 56, 28), 0, "node", "control", 1.0, dash)
                surface.text(second + 40, middle, words, LIST, "text")
        finally:
            painter.end()
