"""Chooses the Python that runs the script: candidates with version and frameworks, asked for in a thread."""

from __future__ import annotations

import os
import threading
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gradviz.document.diagnosing import Post
from gradviz.document.interpreters import Interpreter, candidates, probe
from gradviz.errors import NotStartedError
from gradviz.gui.steady import SteadyBox

OTHER = "…other"
WIDEST_LIST = 640
NAMES = {"torch": "torch", "autograd": "autograd", "tensorflow": "TensorFlow"}


class InterpreterField(SteadyBox):
    """One row per interpreter; "" (the usual choice) is the app's own."""

    chosen = Signal(str)

    def __init__(self, post: Post, parent: QWidget) -> None:
        super().__init__(parent)
        self._post = post
        self._script: Path | None = None
        self._wish = 0
        self._choice = ""
        self._words: dict[str, str] = {}  # path -> what is known of it
        self.threads: list[threading.Thread] = []
        self.setAccessibleName(self.tr("Interpreter"))
        self.setSizeAdjustPolicy(SteadyBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.activated.connect(self._activated)

    def show_choice(self, script: Path | None, interpreter: str) -> None:
        """List what could run `script`, with the present choice."""
        if script == self._script and self.count():
            self._select(interpreter)
            return
        self._script = script
        self._wish += 1
        wish = self._wish
        with QSignalBlocker(self):
            self.clear()
            self._words = {}
            for path, origin in candidates(script):
                self._add("" if origin == "own" else path, self._origin_words(origin), path)
            self.addItem(self.tr("Other…"), OTHER)
            self._tell_apart()
        self._select(interpreter)
        paths = [(path, origin) for path, origin in candidates(script)]
        if interpreter and interpreter not in [path for path, _ in paths]:
            paths.append((interpreter, "chosen"))

        def work() -> None:
            for path, origin in paths:
                found, trouble = None, ""
                try:
                    found = probe(path, origin)
                except NotStartedError as error:
                    trouble = str(error)
                self._post(partial(self._learned, wish, path, origin, found, trouble))

        thread = threading.Thread(target=work, name="interpreters", daemon=True)
        self.threads = [each for each in self.threads if each.is_alive()] + [thread]
        thread.start()

    def _learned(self, wish: int, path: str, origin: str, found: Interpreter | None, trouble: str) -> None:
        if wish != self._wish:
            return
        row = self.findData("" if origin == "own" else path)
        if row < 0:
            return
        if found is None:
            self.setItemData(row, trouble, Qt.ItemDataRole.ToolTipRole)
            self._words.pop(path, None)
            self.setItemText(row, self.tr("{path} (can't be used)").format(path=path))
        else:
            self._words[path] = interpreter_words(found) + f" · {self._origin_words(origin)}"
        self._tell_apart()

    def _tell_apart(self) -> None:
        """Those that read alike, as two venvs above a script do, also say where they are."""
        heard = list(self._words.values())
        for path, words in self._words.items():
            row = self.findData(path, Qt.ItemDataRole.ToolTipRole)  # the data of gradviz's own is ""
            if row >= 0:
                self.setItemText(row, words if heard.count(words) == 1 else f"{words} · {short_path(path)}")

    def _add(self, data: str, words: str, path: str) -> None:
        self.addItem(words, data)
        self._words[path] = words
        self.setItemData(self.count() - 1, path, Qt.ItemDataRole.ToolTipRole)

    def showPopup(self) -> None:
        """As wide as what it lists."""
        self.view().setMinimumWidth(min(WIDEST_LIST, self.view().sizeHintForColumn(0) + 16))
        super().showPopup()

    def _select(self, interpreter: str) -> None:
        self._choice = interpreter
        with QSignalBlocker(self):
            row = self.findData(interpreter)
            if row < 0:
                self.insertItem(self.count() - 1, interpreter, interpreter)
                row = self.findData(interpreter)
                self.setItemData(row, interpreter, Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(row)

    def _origin_words(self, origin: str) -> str:
        return {
            "own": self.tr("gradviz's own"),
            "beside": self.tr("beside the script"),
            "venv": self.tr("active venv"),
            "conda": self.tr("active conda"),
            "path": self.tr("on the path"),
        }.get(origin, self.tr("chosen"))

    def _activated(self, index: int) -> None:
        data = self.itemData(index)
        if data != OTHER:
            self._choice = data
            self.chosen.emit(data)
            return
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Choose a Python interpreter"))
        self._select(name or self._choice)
        if name:
            self.chosen.emit(name)


def short_path(path: str) -> str:
    """As one writes it: with ~ for one's own folder."""
    home = str(Path.home())
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def interpreter_words(found: Interpreter) -> str:
    """Version and frameworks: "Python 3.12.1, torch"."""
    frameworks = [NAMES.get(name, name) for name in found.frameworks]
    return f"Python {found.version}, " + (", ".join(frameworks) if frameworks else "no framework")
