"""Settings that change only when a person means them to: not by a wheel that passes over, nor by stray arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QWidget

BESIDE = 6  # px: a style sheet's padding doesn't reach into a number field
ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End)


class SteadyBox(QComboBox):
    """Arrow keys open its list, where Return chooses."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_from_wheel(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ARROWS and not self.isEditable():
            self.showPopup()
            return
        super().keyPressEvent(event)


class NumberField(QDoubleSpinBox):
    """A number without buttons. To leave them out by setButtonSymbols gives, under a style sheet, a field 1 px wide."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lineEdit().setTextMargins(BESIDE, 0, BESIDE, 0)
        keep_from_wheel(self)


def keep_from_wheel(field: QWidget) -> None:
    """The wheel moves what is around the field, until the field has the keyboard."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # by Tab and click, not by the wheel
    field.installEventFilter(_WheelGuard(field))


class _WheelGuard(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent) and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()  # the page below it scrolls
            return True
        return False
