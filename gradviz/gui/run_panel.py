"""The Run pane: what is run, by which Python, with which arguments, input and environment, and what is recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.diagnosing import Post
from gradviz.document.functions import list_functions
from gradviz.document.settings import LEVELS, RunSettings
from gradviz.document.state import State
from gradviz.errors import NotStartedError
from gradviz.gui.commands import Commands
from gradviz.gui.function_form import FunctionForm
from gradviz.gui.interpreter_field import InterpreterField
from gradviz.gui.steady import NumberField, SteadyBox

STDIN = ("typed", "none", "text", "file")


class RunPanel(QWidget):
    """A form over RunSettings. `edited` brings the new settings each time something was changed."""

    edited = Signal(object)  # RunSettings

    def __init__(self, commands: Commands, post: Post, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = RunSettings()
        self._stamp: object = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget(scroll)
        page.setProperty("role", "pane")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page = QVBoxLayout(page)
        self._page.setContentsMargins(16, 12, 16, 12)
        self._page.setSpacing(4)
        scroll.setWidget(page)
        column.addWidget(scroll, 1)
        self.function = FunctionForm(page)
        self.interpreter = InterpreterField(post, page)
        self._build(page)
        self._page.addStretch(1)
        column.addWidget(self._foot(commands))

    # -- building
    def _build(self, page: QWidget) -> None:
        self._head(self.tr("Run"))
        self._page.addWidget(self.function)
        self._head(self.tr("Interpreter"))
        self._page.addWidget(self.interpreter)
        self.arguments = self._line(self.tr("Arguments"), "--epochs 3 data.csv", code=True)
        self.cwd = self._line(self.tr("Working folder"), self.tr("the script's folder"), browse=self._browse_cwd)
        self._head(self.tr("Input"))
        self.stdin_kind = SteadyBox(page)
        words = (
            self.tr("typed in Output while it runs"),
            self.tr("none"),
            self.tr("this text"),
            self.tr("from a file"),
        )
        for kind, text in zip(STDIN, words):
            self.stdin_kind.addItem(text, kind)
        self.stdin_kind.setAccessibleName(self.tr("Where the script's input comes from"))
        self._page.addWidget(self.stdin_kind)
        self.stdin_text = self._text("", self.tr("Input text"))
        self.stdin_file = self._row(self.tr("Input file"), browse=self._browse_stdin)
        self._head(self.tr("Environment"))
        self.environment = self._text("NAME=value", self.tr("Environment variables, one NAME=value a line"))
        self._recording(page)
        for edit in (*page.findChildren(QLineEdit), *page.findChildren(QPlainTextEdit)):
            edit.setAcceptDrops(False)  # a dropped file is opened by the window
        self.function.changed.connect(self._edited)
        self.interpreter.chosen.connect(lambda _: self._edited())
        self.stdin_kind.activated.connect(lambda _: self._edited())
        for field in (self.stdin_text, self.environment):
            field.textChanged.connect(self._edited)

    def _recording(self, page: QWidget) -> None:
        form = QFormLayout()
        form.setContentsMargins(0, 10, 0, 0)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(6)
        self.level = SteadyBox(page)
        for level, words in zip(LEVELS, (self.tr("Shapes"), self.tr("Summaries"), self.tr("Values"))):
            self.level.addItem(words, level)
        self.passes = SteadyBox(page)
        self.passes.setEditable(True)
        self.passes.addItems(["all", "first", "last"])
        self.passes.setToolTip(self.tr("Which backward passes to keep: all, first, last, or numbers from 0 like 0,4"))
        self.timeout = NumberField(page)
        self.timeout.setRange(0, 86_400)
        self.timeout.setDecimals(0)
        self.timeout.setSuffix(" s")
        self.timeout.setSpecialValueText(self.tr("never"))
        for words, widget in (
            (self.tr("Level"), self.level),
            (self.tr("Passes"), self.passes),
            (self.tr("Stop after"), self.timeout),
        ):
            label = QLabel(words, page)
            label.setBuddy(widget)
            form.addRow(label, widget)
        self._page.addLayout(form)
        self.level.activated.connect(lambda _: self._edited())
        self.passes.editTextChanged.connect(lambda _: self._edited())
        self.timeout.valueChanged.connect(lambda _: self._edited())

    def _foot(self, commands: Commands) -> QWidget:
        foot = QWidget(self)
        row = QHBoxLayout(foot)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        self.run_button = QPushButton(commands["run"].text(), foot)
        self.stop_button = QPushButton(commands["stop"].text(), foot)
        for button, name in ((self.run_button, "run"), (self.stop_button, "stop")):
            action = commands[name]
            button.clicked.connect(action.trigger)
            button.setToolTip(action.toolTip())
            button.setEnabled(action.isEnabled())
            action.changed.connect(lambda b=button, a=action: (b.setEnabled(a.isEnabled()), b.setToolTip(a.toolTip())))
            row.addWidget(button, 1)
        return foot

    def _head(self, words: str) -> None:
        label = QLabel(words)
        label.setProperty("role", "caption")
        label.setContentsMargins(0, 8, 0, 0)
        self._page.addWidget(label)

    def _line(self, words: str, hint: str, code: bool = False, browse: Callable[[], None] | None = None) -> QLineEdit:
        self._head(words)
        field = self._row(words, browse)
        field.setPlaceholderText(hint)
        if code:
            field.setProperty("role", "code")
        return field

    def _row(self, words: str, browse: Callable[[], None] | None = None) -> QLineEdit:
        field = QLineEdit(self)
        field.setAccessibleName(words)
        field.textEdited.connect(lambda _: self._edited())
        if browse is None:
            self._page.addWidget(field)
            return field
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        button = QPushButton("…", holder)
        button.setProperty("role", "small")
        button.setFixedWidth(32)
        button.setAccessibleName(self.tr("Choose {what}").format(what=words.lower()))
        button.setToolTip(self.tr("Choose {what}").format(what=words.lower()))
        button.clicked.connect(lambda checked=False: browse())
        row.addWidget(field, 1)
        row.addWidget(button)
        self._page.addWidget(holder)
        return field

    def _text(self, hint: str, words: str) -> QPlainTextEdit:
        field = QPlainTextEdit(self)
        field.setProperty("role", "field")
        field.setPlaceholderText(hint)
        field.setAccessibleName(words)
        field.setTabChangesFocus(True)
        field.setFixedHeight(58)
        self._page.addWidget(field)
        return field

    # -- showing and reading
    def show_settings(self, state: State, settings: RunSettings) -> None:
        """Show how the open script is run."""
        stamp = (state.script, state.phase)
        if settings == self._settings and stamp == self._stamp:
            return
        script_stays = self._stamp is not None and stamp[0] == self._stamp[0]  # type: ignore[index]  # a tuple
        self._settings, self._stamp = settings, stamp
        self.setEnabled(state.script is not None)
        if state.script is None or (script_stays and self.isAncestorOf(self.focusWidget() or self)):
            return
        blockers = [QSignalBlocker(each) for each in self.findChildren(QWidget)]
        try:
            functions = list_functions(state.script)
        except NotStartedError:
            functions = ()  # running it tells the reason, with its line
        self.function.show_functions(
            functions, settings.function, settings.function_arguments, settings.seed_expressions
        )
        self.interpreter.show_choice(state.script, settings.interpreter)
        self._fill(settings)
        del blockers
        self._show_stdin()

    def _fill(self, settings: RunSettings) -> None:
        self.arguments.setText(settings.arguments)
        self.cwd.setText(settings.cwd)
        self.stdin_kind.setCurrentIndex(STDIN.index(settings.stdin_kind))
        self.stdin_text.setPlainText(settings.stdin if settings.stdin_kind == "text" else "")
        self.stdin_file.setText(settings.stdin if settings.stdin_kind == "file" else "")
        self.environment.setPlainText("\n".join(f"{name}={value}" for name, value in settings.environment))
        self.level.setCurrentIndex(LEVELS.index(settings.level))
        self.passes.setEditText(settings.passes)
        self.timeout.setValue(settings.timeout)

    def settings(self) -> RunSettings:
        """What stands in the form."""
        function = self.function.function()
        kind = str(self.stdin_kind.currentData())
        lines = [line.partition("=") for line in self.environment.toPlainText().splitlines()]
        arguments, seeds = dict(self._settings.function_arguments), dict(self._settings.seed_expressions)
        if function:
            arguments[function] = self.function.expressions()
            seeds[function] = self.function.seed_text()
        return replace(
            self._settings,
            function=function,
            function_arguments=arguments,
            seed_expressions={name: text for name, text in seeds.items() if text.strip()},
            interpreter=str(self.interpreter.currentData() or ""),
            arguments=self.arguments.text(),
            cwd=self.cwd.text().strip(),
            stdin_kind=kind,
            stdin={"text": self.stdin_text.toPlainText(), "file": self.stdin_file.text()}.get(kind, ""),
            environment=tuple((name.strip(), value) for name, mark, value in lines if mark and name.strip()),
            level=str(self.level.currentData()),
            passes=self.passes.currentText().strip() or "all",
            timeout=self.timeout.value(),
        )

    def _edited(self) -> None:
        self._show_stdin()
        self._settings = self.settings()
        self.edited.emit(self._settings)

    def _show_stdin(self) -> None:
        kind = self.stdin_kind.currentData()
        self.stdin_text.setVisible(kind == "text")
        holder = self.stdin_file.parentWidget()
        if holder is not None:
            holder.setVisible(kind == "file")
        self.arguments.setEnabled(not self.function.function())

    def _browse_cwd(self) -> None:
        name = QFileDialog.getExistingDirectory(self, self.tr("Choose the working folder"), self.cwd.text())
        if name:
            self.cwd.setText(name)
            self._edited()

    def _browse_stdin(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Choose the input file"), self.stdin_file.text())
        if name:
            self.stdin_file.setText(name)
            self._edited()
