"""Runs one function instead of the whole script: the list of functions, a field for each argument, the seed."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gradviz.document.functions import Function, Parameter
from gradviz.gui.steady import SteadyBox


class FunctionForm(QWidget):
    """Emits `changed` when something was edited."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self.choice = SteadyBox(self)
        self.choice.setAccessibleName(self.tr("What to run"))
        self.choice.setSizeAdjustPolicy(SteadyBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(18)
        self.choice.activated.connect(self._chosen)
        column.addWidget(self.choice)
        self._about = QLabel(self)
        self._about.setProperty("role", "secondary")
        self._about.setWordWrap(True)
        column.addWidget(self._about)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(12)
        self._form.setVerticalSpacing(6)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        column.addLayout(self._form)
        self.fields: dict[str, QLineEdit] = {}
        self.seed: QLineEdit | None = None
        self._functions: tuple[Function, ...] = ()
        self._given: Mapping[str, Mapping[str, str]] = {}
        self._seeds: Mapping[str, str] = {}

    def show_functions(
        self,
        functions: tuple[Function, ...],
        chosen: str,
        given: Mapping[str, Mapping[str, str]],
        seeds: Mapping[str, str],
    ) -> None:
        """List `functions`; `given` are the remembered expressions by function and argument, `seeds` by function."""
        self._functions, self._given, self._seeds = functions, given, seeds
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItem(self.tr("The whole script"), "")
            for function in functions:
                names = ", ".join(parameter.name for parameter in function.parameters)
                self.choice.addItem(f"{function.name}({names})", function.name)
                if function.documentation:
                    tip = Qt.ItemDataRole.ToolTipRole
                    self.choice.setItemData(self.choice.count() - 1, function.documentation, tip)
            self.choice.setCurrentIndex(max(0, self.choice.findData(chosen)))
        self._fill()

    def function(self) -> str:
        """The chosen function's name, "" = the whole script."""
        return str(self.choice.currentData() or "")

    def expressions(self) -> dict[str, str]:
        return {name: field.text() for name, field in self.fields.items() if field.text().strip()}

    def seed_text(self) -> str:
        return self.seed.text() if self.seed is not None else ""

    def missing(self) -> tuple[str, ...]:
        """Required arguments that nobody gave."""
        function = self._current()
        if function is None:
            return ()
        given = self.expressions()
        return tuple(p.name for p in function.parameters if p.required and p.name not in given)

    def _chosen(self, index: int) -> None:
        self._fill()
        self.changed.emit()

    def _current(self) -> Function | None:
        return next((each for each in self._functions if each.name == self.function()), None)

    def _fill(self) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        self.fields, self.seed = {}, None
        function = self._current()
        self._about.setVisible(function is not None)
        if function is None:
            return
        words = function.documentation or self.tr("Its file is loaded first; its __main__ block is skipped.")
        self._about.setText(words)
        given = self._given.get(function.name, {})
        for parameter in function.parameters:
            self._add_argument(parameter, given.get(parameter.name, ""), function.framework)
        if not function.calls_backward:
            self._add_seed(self._seeds.get(function.name, ""))

    def _add_argument(self, parameter: Parameter, text: str, framework: str) -> None:
        field = QLineEdit(text, self)
        field.setProperty("role", "code")
        field.setAccessibleName(self.tr("Argument {name}").format(name=parameter.name))
        example = self.tr("an expression, like {example}").format(example=f"{framework}.ones(3)")
        hint = parameter.default or parameter.annotation or example
        field.setPlaceholderText(hint)
        field.setToolTip(self.tr("A Python expression; the names of the file, and of its framework, can be used in it"))
        field.textEdited.connect(lambda _: self.changed.emit())
        self.fields[parameter.name] = field
        label = QLabel(parameter.name + ("" if parameter.required else self.tr(" (optional)")), self)
        label.setBuddy(field)
        self._form.addRow(label, field)

    def _add_seed(self, text: str) -> None:
        self.seed = QLineEdit(text, self)
        self.seed.setProperty("role", "code")
        function = self._current()
        framework = function.framework if function is not None else "torch"
        self.seed.setPlaceholderText(f"{framework}.ones_like(output)")
        self.seed.setAccessibleName(self.tr("Seed gradient"))
        self.seed.setToolTip(
            self.tr(
                "gradviz runs backward from what the function returns. When that isn't a scalar, it needs a seed "
                "of its shape: a weight for each entry. It is called output here. Left empty, all weights are 1."
            )
        )
        self.seed.textEdited.connect(lambda _: self.changed.emit())
        label = QLabel(self.tr("Seed gradient"), self)
        label.setBuddy(self.seed)
        self._form.addRow(label, self.seed)
