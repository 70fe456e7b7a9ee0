"""Chooses the Python that runs scripts which have none of their own chosen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from gradviz.document.diagnosing import Post
from gradviz.gui.interpreter_field import InterpreterField


class InterpreterDialog(QDialog):
    """`choose` is called with the path, "" = gradviz's own."""

    def __init__(self, chosen: str, choose: Callable[[str], object], post: Post, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Interpreter"))
        column = QVBoxLayout(self)
        column.setSpacing(12)
        words = self.tr("Scripts run under this Python, unless another one is chosen for them in Run.")
        column.addWidget(QLabel(words, self))
        self.field = InterpreterField(post, self)
        self.field.setMinimumWidth(420)
        self.field.show_choice(None, chosen)
        column.addWidget(self.field)
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(standard.Ok | standard.Cancel, self)
        box.accepted.connect(lambda: choose(str(self.field.currentData() or "")))
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column.addWidget(box)
