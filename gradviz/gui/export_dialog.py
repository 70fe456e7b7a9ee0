"""Exports the graph as a picture or a graph file: what, how, where."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from gradviz.draw.tokens import THEMES
from gradviz.export.formats import FORMATS, PICTURES
from gradviz.export.picture_file import Drawing
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.steady import NumberField
from gradviz.gui.style_sheet import set_role


class ExportDialog(QDialog):
    """Remembers nothing; the canvas's scene is what is written."""

    def __init__(self, canvas: Canvas, stem: str, dark: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Export picture"))
        self._canvas, self._stem = canvas, stem
        self.format, self.part, self.colours = QComboBox(self), QComboBox(self), QComboBox(self)
        for name, words in FORMATS.items():
            self.format.addItem(f"{words} (.{name})", name)
        self.part.addItem(self.tr("The whole graph"), "whole")
        self.part.addItem(self.tr("What is on the canvas"), "visible")
        self.colours.addItem(self.tr("Light"), "light")
        self.colours.addItem(self.tr("Dark"), "dark")
        self.colours.setCurrentIndex(int(dark))
        self.scale = NumberField(self)
        self.scale.setRange(0.25, 8)
        self.scale.setSingleStep(0.5)
        self.scale.setDecimals(2)
        self.scale.setValue(2)
        self.scale.setSuffix(" ×")
        self.transparent = QCheckBox(self.tr("Transparent background"), self)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        for words, widget in (
            (self.tr("Format"), self.format),
            (self.tr("Part"), self.part),
            (self.tr("Colours"), self.colours),
            (self.tr("Scale"), self.scale),
        ):
            label = QLabel(words, self)
            label.setBuddy(widget)
            form.addRow(label, widget)
        form.addRow("", self.transparent)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Save | standard.Cancel, self)
        save = self.buttons.button(standard.Save)
        save.setText(self.tr("Export…"))
        set_role(save, "filled")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(16)
        column.addLayout(form)
        column.addWidget(self.buttons)
        self.format.currentIndexChanged.connect(self._allow)
        self._allow()

    def chosen_format(self) -> str:
        return str(self.format.currentData())

    def drawing(self) -> Drawing:
        """The choices in the form of the exporter."""
        area = None
        if self.part.currentData() == "visible" and self.part.isEnabled():
            area = self._canvas.view.view.area()
        return Drawing(
            tokens=THEMES[str(self.colours.currentData())],
            scale=self.scale.value(),
            transparent=self.transparent.isChecked() and self.transparent.isEnabled(),
            area=area,
            title=self._stem,
        )

    def ask_place(self, folder: str) -> Path | None:
        """Where to write; None = cancelled."""
        form = self.chosen_format()
        words = self.tr("Export as {format}").format(format=form.upper())
        name, _ = QFileDialog.getSaveFileName(
            self, words, str(Path(folder) / f"{self._stem}.{form}"), f"{form.upper()} (*.{form})"
        )
        if not name:
            return None
        path = Path(name)
        return path if path.suffix.lower() == f".{form}" else path.with_name(f"{path.name}.{form}")

    def _allow(self) -> None:
        """What a format doesn't have can't be chosen."""
        form = self.chosen_format()
        for widget in (self.part, self.colours, self.transparent):
            widget.setEnabled(form in PICTURES)
        self.scale.setEnabled(form == "png")
