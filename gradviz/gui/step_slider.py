"""The slider of the timeline: ticks with numbers, the part that has run, findings above, the marker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QToolTip, QWidget

from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import TICK
from gradviz.gui.theme import Theme

MARGIN = 10  # room at both ends for the marker
TROUGH_Y = 18
TROUGH = 6
LABEL_ROOM = 44  # px between two numbers, at least
TICK_ROOM = 6
MARK_SIZE = 11


@dataclass(frozen=True)
class Mark:
    """A finding on the line."""

    position: int
    severity: str


class StepSlider(QAbstractSlider):
    """Positions 0..steps: at k < steps the marker stands on tick k + 1, the current step; at the end past them."""

    moved = Signal(int)  # a person asked for this position

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._planned = 0
        self._marks: tuple[Mark, ...] = ()
        self._wrong = False
        self.describe: Callable[[int], str] = lambda position: ""
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Step"))
        self.setPageStep(10)
        theme.changed.connect(self.update)

    def show_steps(self, steps: int, planned: int, position: int, marks: tuple[Mark, ...], wrong: bool) -> None:
        """Show `steps` steps that ran of `planned`; `wrong` = the marker stands where the engine refused."""
        self._planned, self._marks, self._wrong = max(planned, steps), marks, wrong
        self.setRange(0, steps)
        self.setValue(position)
        self.setEnabled(self._planned > 0)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 40)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 40)

    def x_of(self, position: float) -> float:
        """The middle of a position on the screen."""
        room = self.width() - 2 * MARGIN
        return MARGIN + room * position / max(1, self._planned)

    def position_at(self, x: float) -> int:
        room = max(1, self.width() - 2 * MARGIN)
        return max(0, min(self.maximum(), round((x - MARGIN) / room * self._planned)))

    # -- events
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._ask(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._ask(self.position_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if turn:
            self._ask(self.value() + (1 if turn < 0 else -1))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        page = self.pageStep()
        by = {keys.Key_Right: 1, keys.Key_Left: -1, keys.Key_PageDown: page, keys.Key_PageUp: -page}
        if event.key() in by:
            self._ask(self.value() + by[keys(event.key())])
        elif event.key() == keys.Key_Home:
            self._ask(0)
        elif event.key() == keys.Key_End:
            self._ask(self.maximum())
        else:
            event.ignore()  # up and down belong to nobody here

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.describe(self.position_at(event.pos().x())) if self._planned else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def _ask(self, position: int) -> None:
        bounded = max(0, min(position, self.maximum()))
        if bounded != self.value():
            self.setValue(bounded)
            self.moved.emit(bounded)

    # -- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_trough(painter)
        if self._planned:
            self._paint_ticks(painter)
            self._paint_marks(painter)
            self._paint_marker(painter)
        painter.end()

    def _paint_trough(self, painter: QPainter) -> None:
        tokens = self._theme.tokens
        left, right = self.x_of(0), self.width() - MARGIN
        whole = QRectF(left, TROUGH_Y - TROUGH / 2, right - left, TROUGH)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.border))
        painter.drawRoundedRect(whole, TROUGH / 2, TROUGH / 2)
        if self._planned and self.value() > 0:
            whole.setRight(self.x_of(self.value()))
            painter.setBrush(QColor(tokens.done))
            painter.drawRoundedRect(whole, TROUGH / 2, TROUGH / 2)

    def _paint_ticks(self, painter: QPainter) -> None:
        tokens = self._theme.tokens
        apart = (self.width() - 2 * MARGIN) / max(1, self._planned)
        every, labelled = _interval(TICK_ROOM / apart), _interval(LABEL_ROOM / apart)
        if apart * every < TICK_ROOM * 2:
            every = labelled  # a crowd of ticks says nothing
        painter.setFont(self._theme.font(TICK))
        ran = self.maximum()
        ticks = {*range(labelled, self._planned + 1, labelled), *range(every, self._planned + 1, every)}
        for number in sorted(ticks):
            on_label = number % labelled == 0
            x = round(self.x_of(number - 1)) + 0.5
            pen = QPen(QColor(tokens.control if number <= ran else tokens.never), 1)
            if number > ran:
                pen.setDashPattern([2, 2])
            painter.setPen(pen)
            painter.drawLine(QPointF(x, TROUGH_Y - 6), QPointF(x, TROUGH_Y + 6))
            if on_label:
                painter.setPen(QColor(tokens.text2))
                wide = painter.fontMetrics().horizontalAdvance(str(number)) + 2.0
                left = max(0.0, min(x - wide / 2, self.width() - wide))  # the last one isn't cut
                painter.drawText(QRectF(left, TROUGH_Y + 7, wide, 12), Qt.AlignmentFlag.AlignCenter, str(number))

    def _paint_marks(self, painter: QPainter) -> None:
        for mark in self._marks:
            x = self.x_of(mark.position)
            draw_icon(painter, mark.severity, x - MARK_SIZE / 2, 0, self._theme.tokens, MARK_SIZE)

    def _paint_marker(self, painter: QPainter) -> None:
        x, tokens = self.x_of(self.value()), self._theme.tokens
        shape = QPolygonF(
            [QPointF(x - 5, 11), QPointF(x + 5, 11), QPointF(x + 5, 22), QPointF(x, 27), QPointF(x - 5, 22)]
        )
        painter.setPen(QPen(QColor(tokens.window), 1.5))
        painter.setBrush(QColor(tokens.error if self._wrong else tokens.accent))
        painter.drawPolygon(shape)


def _interval(at_least: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50 … that isn't below."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if step * factor >= at_least:
                return step * factor
        step *= 10
