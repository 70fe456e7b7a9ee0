"""Shows how much room the unsaved recordings take, when they go, and lets a person clear them now."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from gradviz.document.recordings import KEPT_BYTES, KEPT_DAYS, Recordings
from gradviz.gui.output import size_words


class RecordingsDialog(QDialog):
    """`keep` is the recording that is open: it stays."""

    def __init__(self, recordings: Recordings, keep: Path | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._recordings, self._keep = recordings, keep
        self.setWindowTitle(self.tr("Unsaved recordings"))
        column = QVBoxLayout(self)
        column.setSpacing(12)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        rule = self.tr("They go after {days} days, or earlier, the oldest first, when they exceed {size}.")
        column.addWidget(QLabel(rule.format(days=KEPT_DAYS, size=size_words(KEPT_BYTES)), self))
        folder = QLabel(str(recordings.folder), self)
        folder.setProperty("role", "mono")
        column.addWidget(folder)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.clear_button = QPushButton(self.tr("Delete them now"), self)
        self.clear_button.clicked.connect(self._clear)
        box.addButton(self.clear_button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.reject)
        column.addWidget(box)
        self._show()

    def _show(self) -> None:
        kept = self._recordings.kept()
        words = self.tr("{count} recordings that were not saved take {size}.")
        self.words.setText(words.format(count=kept.count, size=size_words(kept.size)))
        self.clear_button.setEnabled(kept.count > (1 if self._keep is not None else 0))

    def _clear(self) -> None:
        self._recordings.clear(self._keep)
        self._show()
