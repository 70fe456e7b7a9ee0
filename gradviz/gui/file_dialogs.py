"""Asks for files: what to open, where to save; the only modal boxes there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QCheckBox, QFileDialog, QGridLayout

from gradviz.document.recordings import SUFFIX

if TYPE_CHECKING:
    from gradviz.gui.window import Window


class FileDialogs(QObject):
    """The file dialogs of one window. They are Qt's own where something is added to them, else the platform's."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window

    def ask_open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Open a script or a recording"),
            self._folder(),
            self.tr("Python scripts and recordings (*.py *.gradviz);;All files (*)"),
        )
        if name:
            self._window.open_path(Path(name))

    def ask_function(self) -> None:
        """Choose a script, then one of its functions in the Run pane."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Open a function of a script"), self._folder(), self.tr("Python scripts (*.py)")
        )
        if not name:
            return
        self._window.stop_opening()
        if self._window.document.open(Path(name)):
            self._window.docks.front("run")

    def ask_save(self) -> None:
        """Ask where to save; the box says that the file carries the script's source, and offers to leave it out."""
        state = self._window.document.state
        named = state.script or state.recording
        dialog = QFileDialog(self._window, self.tr("Save recording"), self._folder())
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Recordings (*{suffix})").format(suffix=SUFFIX))
        dialog.setDefaultSuffix(SUFFIX[1:])
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)  # a native one takes no further widgets
        dialog.selectFile((named.stem if named is not None else "run") + SUFFIX)
        source = QCheckBox(self.tr("With the script's source (whoever opens the file can read it)"), dialog)
        source.setObjectName("with_source")
        source.setChecked(True)
        layout = dialog.layout()
        if isinstance(layout, QGridLayout):
            layout.addWidget(source, layout.rowCount(), 0, 1, layout.columnCount())
        dialog.accepted.connect(lambda: self.save(Path(dialog.selectedFiles()[0]), source.isChecked()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save(self, path: Path, with_source: bool) -> None:
        self._window.document.save_as(path, with_source)

    def _folder(self) -> str:
        state = self._window.document.state
        return str(state.script.parent) if state.script is not None else ""
