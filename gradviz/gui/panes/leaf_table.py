"""A painted table of leaves and the state of their .grad: name, shape, bar of the norm on a log scale, norm or None."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.draw.tokens import CELL, SHAPE
from gradviz.gui.theme import Theme
from gradviz.scene.words import number_text, shape_text
from gradviz.trace.model import Leaf

ROW_HEIGHT = 22
BAR_WIDTH, BAR_HEIGHT = 62, 10
FIGURE = 58
LOWEST, HIGHEST = 1e-6, 10.0  # norms at the ends of a bar


def bar_length(norm: float, highest: float = HIGHEST) -> float:
    """0 … 1 on the log scale that the whole window shares; `highest` where norms are larger than usual."""
    if not norm > 0 or not math.isfinite(norm):
        return 0.0
    lowest = highest / (HIGHEST / LOWEST)
    return min(1.0, max(0.04, math.log(norm / lowest) / math.log(highest / lowest)))


def norm_of(leaf: Leaf) -> float:
    """The norm of .grad: NaN where it holds NaN or wasn't taken, −1 without a gradient."""
    if leaf.grad_spec is None:
        return -1.0
    return leaf.grad_stats.norm if leaf.grad_stats is not None else math.nan


def is_frozen(leaf: Leaf) -> bool:
    """It has no gradient, and was to have none."""
    return not leaf.requires_grad and leaf.grad_spec is None


def draw_bar(painter: QPainter, box: QRectF, norm: float, theme: Theme, highest: float = HIGHEST) -> None:
    """A bar in its trough; hatched and full where there is no gradient or it is NaN."""
    painter.setPen(Qt.PenStyle.NoPen)
    if norm >= 0 and math.isfinite(norm):
        painter.fillRect(box, theme.color("note_soft"))
        filled = QRectF(box.left(), box.top(), box.width() * bar_length(norm, highest), box.height())
        painter.fillRect(filled, theme.color("done"))
        return
    painter.save()
    painter.setClipRect(box)
    painter.setPen(QPen(QColor(theme.color("error")), 1.2))
    x = box.left() - box.height()
    while x < box.right():
        painter.drawLine(int(x), int(box.bottom()), int(x + box.height()), int(box.top()))
        x += 5
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


class LeafTable(QWidget):
    """`chosen` tells the leaf that was clicked."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, leaves: Sequence[Leaf], strip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.leaves, self._strip = theme, tuple(leaves), strip
        metrics = QFontMetricsF(theme.font(SHAPE))
        widths = (metrics.horizontalAdvance(shape_text(leaf.spec.shape)) for leaf in self.leaves)
        self._shape_width = max(widths, default=0.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.at = -1  # the row that the arrow keys are on
        self.setAccessibleName("\n".join(f"{self.name(leaf)} {self.figure(leaf)}" for leaf in self.leaves[:200]))

    def name(self, leaf: Leaf) -> str:
        """Without the module's own path in front."""
        return leaf.name.removeprefix(self._strip) or "?"

    def figure(self, leaf: Leaf) -> str:
        """The norm, or the word in its place."""
        norm = norm_of(leaf)
        if norm < 0:
            return self.tr("frozen") if is_frozen(leaf) else "None"
        if leaf.grad_stats is not None and leaf.grad_stats.nans > 0:
            return "NaN"
        return "–" if math.isnan(norm) else number_text(norm)

    def sizeHint(self) -> QSize:
        return QSize(240, ROW_HEIGHT * len(self.leaves))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, ROW_HEIGHT * len(self.leaves))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = int(event.position().y()) // ROW_HEIGHT
        if 0 <= at < len(self.leaves):
            self.chosen.emit(self.leaves[at].id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go from leaf to leaf, Enter chooses."""
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.at = max(0, min(len(self.leaves) - 1, self.at + (1 if key == Qt.Key.Key_Down else -1)))
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and 0 <= self.at < len(self.leaves):
            self.chosen.emit(self.leaves[self.at].id)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = event.pos().y() // ROW_HEIGHT
            if 0 <= at < len(self.leaves):
                leaf = self.leaves[at]
                words = f"{leaf.name}  {shape_text(leaf.spec.shape)}  {leaf.spec.dtype}\n.grad: {self.figure(leaf)}"
                QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        first = max(0, event.rect().top() // ROW_HEIGHT)
        last = min(len(self.leaves), event.rect().bottom() // ROW_HEIGHT + 1)
        for at in range(first, last):
            if at == self.at and self.hasFocus():
                painter.fillRect(0, at * ROW_HEIGHT, self.width(), ROW_HEIGHT, self._theme.color("accent_soft"))
            self._row(painter, QRectF(0, at * ROW_HEIGHT, self.width(), ROW_HEIGHT), self.leaves[at])
        painter.end()

    def _row(self, painter: QPainter, box: QRectF, leaf: Leaf) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        right = box.right() - FIGURE
        bar = QRectF(right - BAR_WIDTH, box.top() + (ROW_HEIGHT - BAR_HEIGHT) / 2, BAR_WIDTH, BAR_HEIGHT)
        names = max((bar.left() - 8) * 0.4, bar.left() - 14 - self._shape_width)
        self._text(painter, QRectF(0, box.top(), names - 6, ROW_HEIGHT), self.name(leaf), "text", False)
        shape = QRectF(names, box.top(), bar.left() - 8 - names, ROW_HEIGHT)
        self._text(painter, shape, shape_text(leaf.spec.shape), "text2", True)
        frozen, figure = is_frozen(leaf), self.figure(leaf)
        if not frozen:
            draw_bar(painter, bar, norm_of(leaf), self._theme)
        wrong = figure in ("None", "NaN")
        painter.setFont(self._theme.font(SHAPE, 600 if wrong else 400))
        painter.setPen(self._theme.color("error" if wrong else "text2" if frozen else "text"))
        room = QRectF(right, box.top(), FIGURE, ROW_HEIGHT)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, figure)

    def _text(self, painter: QPainter, box: QRectF, text: str, token: str, small: bool) -> None:
        painter.setFont(self._theme.font(SHAPE if small else CELL))
        painter.setPen(self._theme.color(token))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
