"""Trying a fix, on its card: the button's words, the second run as it goes, and what it showed."""

from __future__ import annotations

import time

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gradviz.document.state import Trying
from gradviz.document.trial import Trial
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import ICON
from gradviz.gui.panes.problems_words import sentence_html
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme

TEXT_LEFT = ICON + 8
SECOND = 1000  # ms
SIGNS = {"completed": "done", "failed": "error"}  # any other outcome shows nothing of the fix


def try_words(kind: str) -> str:
    """What the button says, by the kind of rewrite."""
    words = {
        "none": QCoreApplication.translate("Trial", "Try with seed 1"),
        "ones": QCoreApplication.translate("Trial", "Try with ones"),
        "mean": QCoreApplication.translate("Trial", "Try with the mean"),
        "reshape": QCoreApplication.translate("Trial", "Try reshaped"),
        "expand": QCoreApplication.translate("Trial", "Try expanded"),
        "cast": QCoreApplication.translate("Trial", "Try cast"),
        "rows": QCoreApplication.translate("Trial", "Try row by row"),
        "batched": QCoreApplication.translate("Trial", "Try as a batch"),
        "unbatched": QCoreApplication.translate("Trial", "Try without batch"),
    }
    return words.get(kind, QCoreApplication.translate("Trial", "Try this"))


class TrialRow(QWidget):
    """A sign, a sentence, and Stop while the second run goes on; hidden while there is nothing to tell."""

    stop_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sign = "note"
        self._started = 0.0
        self._stopping = False
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setWordWrap(True)
        set_role(self.words, "body")
        self.stop = QPushButton(theme.icon("stop"), self.tr("Stop"), self)
        self.stop.setStyleSheet("padding: 3px 9px; font-size: 12px;")
        self.stop.clicked.connect(self.stop_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(TEXT_LEFT, 2, 0, 2)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        row.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        self._clock = QTimer(self)
        self._clock.setInterval(SECOND)
        self._clock.timeout.connect(self._tick)
        self.hide()

    def show_running(self, trying: Trying) -> None:
        """The second run goes on."""
        self._started, self._stopping, self._sign = trying.started, trying.stopping, "current"
        self.stop.show()
        self.stop.setEnabled(not trying.stopping)
        self._tick()
        self._clock.start()
        self.show()
        self.update()

    def show_result(self, trial: Trial | None) -> None:
        """It is over, or never was."""
        self._clock.stop()
        self.stop.hide()
        self.setVisible(trial is not None)
        if trial is not None:
            self._sign = SIGNS.get(trial.outcome, "note")
            self.words.setText(sentence_html(trial.message, self._theme, False))
        self.update()

    def _tick(self) -> None:
        if self._stopping:
            self.words.setText(self.tr("Stopping…"))
            return
        seconds = max(0, int(time.time() - self._started))
        self.words.setText(self.tr("Running the script again… {seconds} s").format(seconds=seconds))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        top = 3 if self.stop.isHidden() else (self.height() - ICON) / 2
        draw_icon(painter, self._sign, 0, top, self._theme.tokens, ICON)
        painter.end()
