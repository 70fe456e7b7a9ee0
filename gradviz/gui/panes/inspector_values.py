"""The values of a gradient: figures of all entries, heat map and histogram of what was kept, or why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSpinBox, QVBoxLayout, QWidget

from gradviz.document.sample_values import (
    Floats,
    Slice,
    deviation,
    histogram,
    number_text,
    slice_of,
    slices,
    stats_of,
    values_of,
)
from gradviz.gui.panes.inspector_section import caption
from gradviz.gui.panes.plot_loader import PlotLoader
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme
from gradviz.scene.words import shape_text
from gradviz.trace.model import Sample, Spec, Stats

if TYPE_CHECKING:
    from gradviz.gui.panes import inspector_plots


@dataclass(frozen=True)
class Values:
    """One tensor that can be looked at: its name in the chooser, its description, figures and kept numbers."""

    label: str
    spec: Spec | None
    stats: Stats | None
    sample: Callable[[], Sample | None]


class ValuesView(QWidget):
    """Shows one of several Values. `record_requested` asks for a run that keeps them."""

    record_requested = Signal()
    described = Signal(str)  # dtype and shape of what is shown, for the section's heading

    def __init__(self, theme: Theme, loader: PlotLoader, choices: Sequence[Values], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._loader, self._choices = theme, loader, tuple(choices)
        self._numbers: Floats | None = None
        self._part: Slice | None = None
        self._locked = False
        self.description = ""
        self._heat: inspector_plots.HeatMap | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._layout.addLayout(self._controls())
        self._plots = QWidget(self)
        self._plot_rows = QVBoxLayout(self._plots)
        self._plot_rows.setContentsMargins(0, 0, 0, 0)
        self._plot_rows.setSpacing(2)
        self._layout.addWidget(self._plots)
        self._read_out = caption(theme, "", self)
        self._layout.addWidget(self._read_out)
        self._nothing = self._kept_nothing()
        self._layout.addWidget(self._nothing)
        self._figures = QWidget(self)
        QGridLayout(self._figures).setContentsMargins(0, 2, 0, 0)
        self._layout.addWidget(self._figures)
        loader.ready.connect(self._draw)
        self._choose(0)

    # -- parts
    def _controls(self) -> QHBoxLayout:
        self.chooser = QComboBox(self)
        self.chooser.addItems([choice.label for choice in self._choices])
        self.chooser.setVisible(len(self._choices) > 1)
        self.chooser.setAccessibleName(self.tr("Which gradient"))
        self.chooser.currentIndexChanged.connect(self._choose)
        self.scale = QComboBox(self)
        self.scale.addItems([self.tr("Symmetric"), self.tr("Full range")])
        self.scale.setAccessibleName(self.tr("Colour scale"))
        self.scale.currentIndexChanged.connect(self._draw)
        self.slice = QSpinBox(self)
        self.slice.setPrefix(self.tr("slice "))
        self.slice.setAccessibleName(self.tr("Slice of the leading dimensions"))
        self.slice.valueChanged.connect(self._draw)
        row = QHBoxLayout()
        row.setSpacing(6)
        for control in (self.chooser, self.slice, self.scale):
            control.setStyleSheet("font-size: 12px;")
            row.addWidget(control, 3 if control is self.chooser else 2)
        for combo in (self.chooser, self.scale):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(6)
        return row

    def _kept_nothing(self) -> QWidget:
        box = QWidget(self)
        rows = QVBoxLayout(box)
        rows.setContentsMargins(0, 4, 0, 4)
        self._why = QLabel(self.tr("Values weren't kept for this step."), box)
        self._why.setWordWrap(True)
        set_role(self._why, "secondary")
        self.record = QPushButton(self.tr("Record again with values"), box)
        self.record.clicked.connect(self.record_requested)
        rows.addWidget(self._why)
        line = QHBoxLayout()
        line.addWidget(self.record)
        line.addStretch(1)
        rows.addLayout(line)
        return box

    # -- showing
    def _choose(self, number: int) -> None:
        if not 0 <= number < len(self._choices):
            return
        choice = self._choices[number]
        sample = choice.sample() if choice.spec is not None else None
        self._sample = sample
        self._numbers = values_of(sample) if sample is not None else None
        self._locked = False
        count = slices(self._numbers) if self._numbers is not None else 1
        self.slice.setRange(1, max(1, count))
        self.slice.setSuffix(self.tr(" of {count}").format(count=f"{count:,}"))
        self.slice.setVisible(count > 1)
        kept = self._numbers is not None and self._numbers.size > 0
        self.scale.setVisible(kept)
        self._plots.setVisible(kept)
        self._nothing.setVisible(not kept and choice.spec is not None)
        self._show_figures(choice)
        words = "None" if choice.spec is None else f"{choice.spec.dtype} · {shape_text(choice.spec.shape)}"
        self.description = words
        self.described.emit(words)
        if kept:
            self._loader.begin()
            self._draw()
        else:
            self._read_out.setText("")

    def kept(self) -> bool:
        return self._numbers is not None

    def _draw(self) -> None:
        """The pictures, as soon as there is something to draw them with."""
        if self._numbers is None or not self._numbers.size:
            return
        if not self._loader.loaded:
            self._read_out.setText(self.tr("Loading the plots…"))
            return
        from gradviz.gui.panes import inspector_plots as plots  # the loader has loaded it: this costs nothing now

        if self._heat is None:
            self._heat = plots.HeatMap(self._theme, self._plots)
            self._bar = plots.ColorBar(self._theme, self._plots)
            self._bars = plots.HistogramPlot(self._theme, self._plots)
            for widget in (self._heat, self._bar, self._bars):
                self._plot_rows.addWidget(widget)
            self._heat.pointed.connect(self._point)
            self._heat.picked.connect(self._pick)
        self._part = slice_of(self._numbers, self.slice.value() - 1)
        limits = limits_of(self._numbers, symmetric=self.scale.currentIndex() == 0)
        self._heat.show_slice(self._part, limits)
        self._bar.show_limits(limits)
        bars = histogram(self._numbers)
        self._bars.setVisible(bool(bars.counts.any()))
        self._bars.show_histogram(bars)
        self._rest()

    def _rest(self) -> None:
        """The caption while the pointer is elsewhere: what was left out."""
        part = self._part
        assert part is not None and self._numbers is not None
        words = []
        zeros = int((self._numbers == 0).sum())
        if zeros:
            words.append(self.tr("{count} zeros not drawn in the histogram").format(count=f"{zeros:,}"))
        steps = self._sample.strides if self._sample is not None else ()
        thinned = max([part.row_step, part.column_step, *steps[-2:]])
        if thinned > 1:
            words.append(self.tr("every {number}th row and column").format(number=thinned))
        if part.folded:
            rows, columns = -(-self._numbers.size // part.columns), part.columns
            words.append(self.tr("{rows} rows of {columns}").format(rows=f"{rows:,}", columns=f"{columns:,}"))
        self._read_out.setText(" · ".join(words))

    def _point(self, row: int, column: int) -> None:
        if self._locked or self._part is None:
            return
        if row < 0:
            self._rest()
        else:
            self._read_out.setText(self.value_text(row, column))

    def _pick(self, row: int, column: int) -> None:
        """A click locks the read-out, a second one frees it."""
        self._locked = not self._locked
        self._read_out.setText(self.value_text(row, column))

    def value_text(self, row: int, column: int) -> str:
        """'[3, 12] = 0.0123' for a cell of the picture, in indices of the tensor."""
        part, numbers = self._part, self._numbers
        assert part is not None and numbers is not None
        steps = (1, 1) if self._sample is None else (*[1] * (2 - len(self._sample.strides)), *self._sample.strides)[-2:]
        index: tuple[int, ...]
        if numbers.ndim < 2:
            index = ((row * part.row_step * part.columns + column * part.column_step) * steps[1],) * numbers.ndim
        else:
            leading = np.unravel_index(self.slice.value() - 1, numbers.shape[:-2]) if numbers.ndim > 2 else ()
            last = (row * part.row_step * steps[0], column * part.column_step * steps[1])
            index = (*(int(at) for at in leading), *last)
        return f"{shape_text(index)} = {number_text(float(part.cells[row, column]))}"

    def _show_figures(self, choice: Values) -> None:
        grid = self._figures.layout()
        assert isinstance(grid, QGridLayout)
        grid.setVerticalSpacing(1)
        while (item := grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        stats = choice.stats
        whole = self._sample is not None and all(step == 1 for step in self._sample.strides)
        if (stats is None or stats.nans < 0) and whole and self._numbers is not None:
            stats = stats_of(self._numbers)
        self.figures = figure_texts(stats, choice.spec)
        for at, (name, text) in enumerate(self.figures):
            label, value = QLabel(name, self._figures), QLabel(text, self._figures)
            set_role(label, "caption")
            set_role(value, "mono")
            if name in ("NaN", "Inf") and text not in ("0", "–"):
                set_role(value, "error")
            grid.addWidget(label, at // 4 * 2, at % 4)
            grid.addWidget(value, at // 4 * 2 + 1, at % 4)
        self._figures.setVisible(bool(self.figures))


def figure_texts(stats: Stats | None, spec: Spec | None) -> list[tuple[str, str]]:
    """min, max, mean, std; norm, NaN, Inf, zeros. Empty where none were taken."""
    if stats is None or stats.nans < 0 or spec is None:
        return []
    sizes = [size for size in spec.shape if isinstance(size, int)]
    count = math.prod(sizes) if len(sizes) == len(spec.shape) else 0
    zeros = f"{stats.zeros:,}" if stats.zeros < 10 or not count else f"{100 * stats.zeros / count:.3g} %"
    spread = deviation(stats, count)
    return [
        ("min", number_text(stats.min)),
        ("max", number_text(stats.max)),
        ("mean", number_text(stats.mean)),
        ("std", "–" if math.isnan(spread) else number_text(spread)),
        ("norm", number_text(stats.norm)),
        ("NaN", f"{stats.nans:,}"),
        ("Inf", f"{stats.infs:,}"),
        ("zeros", zeros),
    ]


def limits_of(values: Floats, symmetric: bool) -> tuple[float, float]:
    """The values at the ends of the colour scale; never equal."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if symmetric:
        limit = max(abs(low), abs(high)) or 1.0
        return -limit, limit
    return (low, high) if high > low else (low - (abs(low) or 1.0), high + (abs(high) or 1.0))
