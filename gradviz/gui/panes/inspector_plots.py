"""Heat map and histogram of kept values. Imports pyqtgraph, so PlotLoader loads it, away from the window."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gradviz.document.sample_values import Histogram, Slice
from gradviz.draw.tokens import CELL, TICK
from gradviz.gui.theme import Theme
from gradviz.scene.words import number_text

HEAT_HEIGHT = 132
LEAST_CELL = 4  # px of a cell of a small picture before it is handed over, so that its hatching shows
Pixels = NDArray[np.uint8]


class Plots(QWidget):
    """Heat map, its colours and a histogram. `pointed` (row, column) follows the pointer, (-1, -1) outside."""

    pointed = Signal(int, int)
    picked = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heat, self.bar, self.bars = HeatMap(theme, self), ColorBar(theme, self), HistogramPlot(theme, self)
        self.axis = Axis(theme, self)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        for widget in (self.heat, self.bar, self.bars, self.axis):
            rows.addWidget(widget)
        self.heat.pointed.connect(self.pointed)
        self.heat.picked.connect(self.picked)

    def show_values(self, part: Slice, limits: tuple[float, float], bars: Histogram) -> None:
        self.heat.show_slice(part, limits)
        self.bar.show_limits(limits)
        self.bars.setVisible(bool(bars.counts.any()))
        self.bars.show_histogram(bars)
        self.axis.setVisible(bool(bars.counts.any()) and bars.measured)
        self.axis.show_limits((float(bars.edges[0]), float(bars.edges[-1])))


class Picture(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """One view box that fills the widget: no axes, no menu, no panning. The wheel belongs to the page it stands on."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self._theme = theme
        self.box = pg.ViewBox(border=None, enableMouse=False, enableMenu=False)
        self.box.setDefaultPadding(0)
        self.setCentralItem(self.box)
        self.ci = self.box
        self.setFrameShape(self.Shape.NoFrame)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def show_range(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.setBackground(self._theme.color("pane"))
        self.box.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)


class HeatMap(Picture):
    """One slice as a picture. `pointed` (row, column) follows the pointer, (-1, -1) outside; `picked` is a click."""

    pointed = Signal(int, int)
    picked = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._shape = (0, 0)
        self._image = pg.ImageItem(axisOrder="row-major")
        self.box.addItem(self._image)
        self.box.invertY(True)
        self.setMouseTracking(True)
        self.scene().sigMouseMoved.connect(self._moved)
        self.scene().sigMouseClicked.connect(self._clicked)

    def show_slice(self, part: Slice, limits: tuple[float, float]) -> None:
        """Colours between `limits`; NaN hatched, infinities in the colour of text."""
        rows, columns = part.cells.shape
        self._shape = (rows, columns)
        self.setFixedHeight(heat_height(rows, columns))
        if not rows or not columns:
            self._image.clear()
            return
        self._image.setImage(colored(part, limits, self._theme), levels=(0, 255))
        self._image.setRect(0, 0, columns, rows)
        self.show_range((0, columns), (0, rows))

    def cell_at(self, position: QPointF) -> tuple[int, int]:
        """The row and column under a point of the scene, (-1, -1) outside."""
        at = self.box.mapSceneToView(position)
        row, column = int(np.floor(at.y())), int(np.floor(at.x()))
        inside = 0 <= row < self._shape[0] and 0 <= column < self._shape[1]
        return (row, column) if inside else (-1, -1)

    def _moved(self, position: QPointF) -> None:
        self.pointed.emit(*self.cell_at(position))

    def _clicked(self, event: object) -> None:
        row, column = self.cell_at(event.scenePos())  # type: ignore[attr-defined]  # pyqtgraph's own event
        if row >= 0:
            self.picked.emit(row, column)


class HistogramPlot(Picture):
    """Bars; a dotted line stands at zero where it lies within."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setFixedHeight(56)

    def show_histogram(self, data: Histogram) -> None:
        self.box.clear()
        width = np.diff(data.edges)
        color = self._theme.color("accent")
        bars = pg.BarGraphItem(
            x0=data.edges[:-1] + width * 0.06, width=width * 0.88, height=data.counts, pen=None, brush=color
        )
        self.box.addItem(bars)
        low, high = float(data.edges[0]), float(data.edges[-1])
        if low < 0 < high:
            pen = pg.mkPen(self._theme.color("text2"), width=1, style=Qt.PenStyle.DotLine)
            self.box.addItem(pg.InfiniteLine(0, angle=90, pen=pen))
        self.box.addItem(pg.InfiniteLine(0, angle=0, pen=pg.mkPen(self._theme.color("control"), width=1)))
        self.show_range((low, high), (0, 1.04 * max(1, int(data.counts.max()))))


class Axis(QWidget):
    """The figures at both ends of a scale and at its middle; `TOP` px stay free above them."""

    TOP = 0

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._limits = (-1.0, 1.0)
        self.setFixedHeight(self.TOP + 15)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_limits(self, limits: tuple[float, float]) -> None:
        self._limits = limits
        self.update()

    def texts(self) -> tuple[str, str, str]:
        low, high = self._limits
        return number_text(low), number_text(low / 2 + high / 2), number_text(high)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._theme.color("text2"))
        painter.setFont(self._theme.font(CELL if self.width() > 600 else TICK))
        sides = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for text, side in zip(self.texts(), sides):
            painter.drawText(0, self.TOP, self.width(), 15, int(side) | int(Qt.AlignmentFlag.AlignTop), text)
        painter.end()


class ColorBar(Axis):
    """The colours of the heat map, above their figures."""

    TOP = 11

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        gradient = QLinearGradient(0, 0, self.width(), 0)
        for at in (0.0, 0.25, 0.5, 0.75, 1.0):
            gradient.setColorAt(at, self._color(at))
        painter.fillRect(0, 2, self.width(), 8, gradient)
        painter.end()
        super().paintEvent(event)

    def _color(self, at: float) -> QColor:
        low, high = self._limits
        value = np.array([low + (high - low) * at])
        red, green, blue = tint(value, self._limits, self._theme)[0]
        return QColor(int(red), int(green), int(blue))


def heat_height(rows: int, columns: int) -> int:
    """Flat for few rows, never higher than the page can bear."""
    return int(min(HEAT_HEIGHT, max(36, rows * (12 if columns > 24 else 16))))


def tint(values: NDArray[np.float64], limits: tuple[float, float], theme: Theme) -> NDArray[np.float64]:
    """(..., 3) colours of finite values: low and high at the limits, the neutral colour at zero or in the middle."""
    low_color, zero_color, high_color = (
        np.array([color.red(), color.green(), color.blue()], float)
        for color in (theme.color("heat_low"), theme.color("heat_zero"), theme.color("heat_high"))
    )
    low, high = limits
    middle = 0.0 if low <= 0 <= high else (low + high) / 2
    below = np.clip((middle - values) / max(middle - low, 1e-300), 0, 1)[..., None]
    above = np.clip((values - middle) / max(high - middle, 1e-300), 0, 1)[..., None]
    low_side, high_side = zero_color + (low_color - zero_color) * below, zero_color + (high_color - zero_color) * above
    mixed: NDArray[np.float64] = np.where(below > 0, low_side, high_side)
    return mixed


def colored(part: Slice, limits: tuple[float, float], theme: Theme) -> Pixels:
    """The picture, (rows, columns, 4), enlarged where cells are few so that the hatching of NaN can be seen."""
    cells = part.cells
    scale = max(1, min(16, 256 // max(cells.shape)))
    scale = max(scale, LEAST_CELL) if max(cells.shape) <= 64 else scale
    with np.errstate(all="ignore"):
        pixels = np.concatenate(
            (tint(np.nan_to_num(cells), limits, theme), np.full((*cells.shape, 1), 255.0)), axis=-1
        ).astype(np.uint8)
    text, error, soft = (theme.color(name) for name in ("text", "error", "error_soft"))
    pixels[np.isinf(cells)] = (text.red(), text.green(), text.blue(), 255)
    pixels[part.blank] = (0, 0, 0, 0)
    pixels = pixels.repeat(scale, 0).repeat(scale, 1)
    missing = (np.isnan(cells) & ~part.blank).repeat(scale, 0).repeat(scale, 1)
    y, x = np.indices(missing.shape)
    stripe = (x + y) % 6 < 3 if scale > 1 else np.ones_like(missing)
    pixels[missing & stripe] = (error.red(), error.green(), error.blue(), 255)
    pixels[missing & ~stripe] = (soft.red(), soft.green(), soft.blue(), 255)
    return pixels
