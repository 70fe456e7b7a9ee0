"""The values of a gradient: figures of all entries, heat map and histogram of what was kept, or why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gradviz.document.sample_values import (
    Floats,
    Kept,
    Slice,
    deviation,
    histogram,
    slice_of,
    slices,
    stats_of,
    values_of,
)
from gradviz.gui.panes.inspector_section import Figures, caption
from gradviz.gui.panes.plot_loader import PlotLoader
from gradviz.gui.panes.slice_picker import SlicePicker
from gradviz.gui.theme import Theme
from gradviz.scene.words import number_text, shape_text
from gradviz.trace.model import Sample, Spec, Stats

if TYPE_CHECKING:
    from gradviz.gui.panes.inspector_plots import Plots


@dataclass(frozen=True)
class Values:
    """One tensor that can be looked at: its name in the chooser, its description, figures and kept numbers."""

    label: str
    spec: Spec | None
    stats: Stats | None
    sample: Callable[[], Sample | None]


class ValuesView(QWidget):
    """Shows one of several Values; made once and used for page after page. The page of the moment is told dtype and
    shape of what is shown, and asked for a run that keeps values.
    """

    def __init__(self, theme: Theme, loader: PlotLoader, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._loader = theme, loader
        self._choices: tuple[Values, ...] = ()
        self._kept: Kept | None = None
        self._numbers: Floats | None = None  # of what is kept
        self._part: Slice | None = None
        self._locked = False
        self._described: Callable[[str], None] = nobody
        self._record: Callable[[str], None] = nobody
        self.description = ""
        self.plots: Plots | None = None
        self.record: QPushButton | None = None
        self.slice: SlicePicker | None = None
        self.rows = QVBoxLayout(self)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.rows.setSpacing(6)
        self._controls = QHBoxLayout()
        self.chooser = combo([], self.tr("Which gradient"), self)
        self.scale = combo([self.tr("Symmetric"), self.tr("Full range")], self.tr("Colour scale"), self)
        self._controls.addWidget(self.chooser, 3)
        self._controls.addWidget(self.scale, 2)
        self.rows.addLayout(self._controls)
        self._read_out = caption("", self)
        self.rows.addWidget(self._read_out)
        self.figures = Figures(theme, self)
        self.rows.addWidget(self.figures)
        self.chooser.currentIndexChanged.connect(self._choose)
        self.scale.currentIndexChanged.connect(self._draw)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._draw)
        loader.ready.connect(self._draw)
        loader.failed.connect(self._read_out.setText)

    def show_choices(
        self, choices: Sequence[Values], described: Callable[[str], None], record: Callable[[str], None]
    ) -> None:
        self._choices, self._described, self._record = tuple(choices), described, record
        self.chooser.blockSignals(True)
        self.chooser.clear()
        self.chooser.addItems([choice.label for choice in choices])
        self.chooser.blockSignals(False)
        self.chooser.setVisible(len(choices) > 1)
        self._choose(0)

    def forget(self) -> None:
        """The page goes: nobody is told any more."""
        self._described = self._record = nobody

    # -- showing
    def _choose(self, number: int) -> None:
        if not 0 <= number < len(self._choices):
            return
        choice = self._choices[number]
        sample = choice.sample() if choice.spec is not None else None
        self._kept = values_of(sample) if sample is not None else None
        self._numbers = self._kept.values if self._kept is not None else None
        self._locked = False
        kept = self._numbers is not None and self._numbers.size > 0
        self._offer_slices(slices(self._numbers) if self._numbers is not None else 1)
        self.scale.setVisible(kept)
        if self.plots is not None:
            self.plots.setVisible(kept)
        self._offer_record(not kept and choice.spec is not None)
        self._show_figures(choice)
        words = "None" if choice.spec is None else f"{choice.spec.dtype} · {shape_text(choice.spec.shape)}"
        self.description = words
        self._described(words)
        self._read_out.setVisible(kept)
        if kept:
            self._loader.begin()
            self._soon.start(0)  # the words first, then the pictures

    def _offer_slices(self, count: int) -> None:
        """Buttons for the leading dimensions, where there are more than two."""
        if self.slice is None and count > 1:
            self.slice = SlicePicker(self._theme, self)
            self.slice.moved.connect(self._draw)
            self.rows.insertWidget(1, self.slice)
        if self.slice is not None:
            self.slice.offer(count)
            self.slice.setVisible(count > 1)

    def _offer_record(self, missing: bool) -> None:
        """Why there are no pictures, and what can be done."""
        if self.record is None and missing:
            self._why = QLabel(self.tr("Values weren't kept for this step."), self)
            self._why.setWordWrap(True)
            self._why.setProperty("role", "secondary")
            self.record = QPushButton(self.tr("Record again with values"), self)
            self.record.clicked.connect(lambda: self._record("values"))
            self.rows.insertWidget(self.rows.indexOf(self._read_out), self._why)
            self.rows.insertWidget(self.rows.indexOf(self._read_out), self.record, 0, Qt.AlignmentFlag.AlignLeft)
        if self.record is not None:
            self.record.setVisible(missing)
            self._why.setVisible(missing)

    def kept(self) -> bool:
        return self._numbers is not None

    def _draw(self) -> None:
        """The pictures, as soon as there is something to draw them with."""
        if self._numbers is None or not self._numbers.size:
            return
        if not self._loader.loaded:
            self._read_out.setText(self.tr("Loading the plots…"))
            return
        if self.plots is None:
            from gradviz.gui.panes.inspector_plots import Plots  # the loader has loaded it: this costs nothing now

            self.plots = Plots(self._theme, self)
            self.rows.insertWidget(self.rows.indexOf(self._read_out), self.plots)
            self.plots.pointed.connect(self._point)
            self.plots.picked.connect(self._pick)
        self._part = slice_of(self._numbers, self.slice_number())
        limits = limits_of(self._numbers, symmetric=self.scale.currentIndex() == 0)
        self.plots.show_values(self._part, limits, histogram(self._numbers))
        self.plots.show()
        self._rest()

    def slice_number(self) -> int:
        return self.slice.number if self.slice is not None else 0

    def _rest(self) -> None:
        """The caption while the pointer is elsewhere: what was left out."""
        part = self._part
        assert part is not None and self._numbers is not None
        words = []
        zeros = int((self._numbers == 0).sum())
        if zeros:
            words.append(self.tr("{count} zeros not drawn in the histogram").format(count=f"{zeros:,}"))
        steps = self._kept.steps if self._kept is not None else ()
        thinned = max([part.row_step, part.column_step, *steps[-2:]])
        if thinned > 1:
            words.append(self.tr("1 row and column in {number} drawn").format(number=thinned))
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
        kept = self._kept.steps if self._kept is not None else ()
        steps = (*[1] * (2 - len(kept)), *kept)[-2:]
        index: tuple[int, ...]
        if numbers.ndim < 2:
            index = ((row * part.row_step * part.columns + column * part.column_step) * steps[1],) * numbers.ndim
        else:
            leading = np.unravel_index(self.slice_number(), numbers.shape[:-2]) if numbers.ndim > 2 else ()
            last = (row * part.row_step * steps[0], column * part.column_step * steps[1])
            index = (*(int(at) for at in leading), *last)
        return f"{shape_text(index)} = {number_text(float(part.cells[row, column]))}"

    def _show_figures(self, choice: Values) -> None:
        stats = choice.stats
        if (stats is None or stats.nans < 0) and self._kept is not None and self._kept.whole:
            stats = stats_of(self._kept.values)
        self.figures.show_figures(figure_texts(stats, choice.spec))


class ValuesPool:
    """Views for the pages of one pane: a combo box, let alone a plot, costs too much to be made at every step."""

    def __init__(self, theme: Theme, loader: PlotLoader, home: QWidget) -> None:
        self._theme, self._loader, self._home = theme, loader, home
        # One is there before it is asked for: the pane is made while nobody waits.
        self._made: list[ValuesView] = [ValuesView(theme, loader, home)]
        self._free: list[ValuesView] = self._made[:]
        self._made[0].hide()

    def take(
        self,
        parent: QWidget,
        choices: Sequence[Values],
        described: Callable[[str], None],
        record: Callable[[str], None],
    ) -> ValuesView:
        if not self._free:
            self._made.append(ValuesView(self._theme, self._loader, self._home))
            self._free.append(self._made[-1])
        view = self._free.pop()
        view.setParent(parent)
        view.show_choices(choices, described, record)
        view.show()
        return view

    def take_back(self) -> None:
        """The page that holds them goes; they stay, and nobody listens to them any more."""
        for view in self._made:
            view.forget()
            view.hide()
            view.setParent(self._home)
        self._free = self._made[::-1]


def nobody(words: str) -> None:
    """Takes what nobody asked for."""


def combo(items: Sequence[str], name: str, parent: QWidget) -> QComboBox:
    """A chooser that doesn't push the page wider than the pane."""
    made = QComboBox(parent)
    made.addItems(list(items))
    made.setAccessibleName(name)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    made.setMinimumContentsLength(4)
    return made


def figure_texts(stats: Stats | None, spec: Spec | None) -> list[tuple[str, str]]:
    """min, max, mean, std; norm, NaN, Inf, zeros. Empty where none were taken."""
    if stats is None or stats.nans < 0 or spec is None:
        return []
    sizes = [size for size in spec.shape if isinstance(size, int)]
    count = math.prod(sizes) if len(sizes) == len(spec.shape) else 0
    zeros = f"{stats.zeros:,}" if stats.zeros < 10 or not count else f"{100 * stats.zeros / count:.3g} %"
    if stats.zeros < 0:  # of large tensors they aren't counted
        zeros = "–"
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
