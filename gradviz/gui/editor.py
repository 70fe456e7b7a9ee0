"""Opens a place of the source in the person's editor, and the dialog where the command for it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QProcess, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from gradviz.document.editor import fault_of, started_as, usual_command
from gradviz.gui.outside import open_outside

if TYPE_CHECKING:
    from gradviz.gui.window import Window

CHOICE = "editor"


class Editor(QObject):
    """What opens a line outside; the command is remembered among the window's choices."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        window.commands.bind("editor", self.choose)

    def open(self, file: str, line: int) -> None:
        """Start the editor at a line; what stands in the way is told in a strip."""
        strips = self._window.strips
        if not Path(file).is_file():
            strips.tell("editor", "note", self.tr("{file} isn't on this computer.").format(file=file))
            return
        strips.take_back("editor")
        command = self._window.settings.choice(CHOICE) or usual_command()
        if not command:
            open_outside(Path(file))
            return
        try:
            program, *arguments = started_as(command, file, line)
        except ValueError:
            self._failed(command)
            return
        if not QProcess.startDetached(program, arguments, str(Path(file).parent))[0]:
            self._failed(command)

    def _failed(self, command: str) -> None:
        words = self.tr("The editor could not be started: {command}").format(command=command)
        self._window.strips.tell("editor", "error", words, self.tr("Choose another"), self.choose)

    def choose(self) -> None:
        """Ask for the command."""
        settings = self._window.settings

        def remember(command: str) -> None:
            settings.remember_choice(CHOICE, command)
            if not self._window.shows_welcome():
                self._window.strips.take_back("editor")

        EditorDialog(settings.choice(CHOICE), usual_command(), remember, self._window).open()


class EditorDialog(QDialog):
    """`choose` is called with the command, "" = the usual one."""

    def __init__(self, chosen: str, usual: str, choose: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Editor"))
        column = QVBoxLayout(self)
        column.setSpacing(8)
        words = QLabel(self.tr("The command that opens a line of the source. {file} and {line} are filled in."), self)
        column.addWidget(words)
        self.field = QLineEdit(chosen, self)
        self.field.setProperty("role", "code")
        self.field.setMinimumWidth(420)
        self.field.setPlaceholderText(usual or self.tr("the program that the desktop has for the file"))
        self.field.setAccessibleName(self.tr("Editor command"))
        words.setBuddy(self.field)
        column.addWidget(self.field)
        self.fault = QLabel(self)
        self.fault.setProperty("role", "error")
        column.addWidget(self.fault)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Ok | standard.Cancel, self)
        self.buttons.accepted.connect(lambda: choose(self.field.text().strip()))
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        self.field.textChanged.connect(lambda _text: self._check())
        self._check()

    def _check(self) -> None:
        fault = fault_of(self.field.text())
        self.fault.setText(fault_words(fault))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not fault)


def fault_words(fault: str) -> str:
    """A fault of the command, in words."""
    return {
        "quotes": QCoreApplication.translate("EditorDialog", "A quotation mark isn't closed."),
        "file": QCoreApplication.translate("EditorDialog", "The command doesn't say where {file} goes."),
    }.get(fault, "")
