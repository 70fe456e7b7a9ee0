"""The strip over the graph: one sentence, one action. Tells what takes long, and what a layout has to say."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

PATIENCE_MS = 300  # an arrangement that takes longer is told


class CanvasStrip(QFrame):
    """`cancelled`: the person doesn't want to wait for the layout."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip-note")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        self.words = QLabel(self)
        self.action = QPushButton(self)
        self.action.setProperty("role", "link")
        self.action.clicked.connect(lambda _on=False: self._acted())
        row.addWidget(self.words, 1)
        row.addWidget(self.action)
        self._arranging = False
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self.show)
        self.hide()

    def arranging(self, count: int) -> None:
        """Appear if the layout of `count` boxes takes long."""
        self._arranging = True
        self.words.setText(self.tr("Arranging {count} nodes…").format(count=f"{count:,}"))
        self.action.setText(self.tr("Cancel"))
        self._patience.start()

    def tell(self, text: str) -> None:
        """A sentence that can be closed; "" takes the strip back."""
        self._arranging = False
        self._patience.stop()
        self.words.setText(text)
        self.action.setText(self.tr("Close"))
        self.setVisible(bool(text))

    def _acted(self) -> None:
        arranging = self._arranging
        self.tell("")
        if arranging:
            self.cancelled.emit()
