"""A ring of 2 px in the accent colour, 2 px outside the control that the keyboard acts on, for the whole program."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QWindow
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from gradviz.gui.theme import Theme

OUTSIDE = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QAbstractSpinBox, QTabBar)
GAP, WIDTH = 2, 2
_MOVED = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Hide)


class FocusRing(QObject):
    """Follows the keyboard focus. The ring shows only while the keyboard is what the person uses."""

    def __init__(self, theme: Theme, application: QApplication) -> None:
        super().__init__(application)
        self._theme = theme
        self._ring: _Ring | None = None
        self._keyboard = False
        application.focusChanged.connect(self._focus_changed)

    def watch(self, window: QWindow) -> None:
        """Learn from a shown window whether keyboard or mouse is in use; an app-wide filter would see every event."""
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.KeyPress:
            if not self._keyboard:
                self._keyboard = True
                self._show(QApplication.focusWidget())
        elif kind == QEvent.Type.MouseButtonPress:
            self._keyboard = False
            self._drop()
        elif kind in _MOVED and self._ring is not None and self._ring.target is watched:
            self._show(self._ring.target)
        return False

    def _focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if self._keyboard:
            self._show(new)

    def _drop(self) -> None:
        ring = self._ring
        if ring is not None and isValid(ring.target):
            ring.target.destroyed.disconnect(self._let_go)
            ring.target.removeEventFilter(self)
        self._let_go()

    def _let_go(self) -> None:
        """Panes rebuild their pages: the target, and with its window the ring, may be gone without a word to us."""
        ring, self._ring = self._ring, None
        if ring is not None and isValid(ring):
            ring.hide()
            ring.deleteLater()

    def _show(self, target: QWidget | None) -> None:
        self._drop()
        if target is None or not target.isVisible() or isinstance(target, QScrollBar):
            return
        outside = isinstance(target, OUTSIDE)
        takes_focus = isinstance(target, QAbstractScrollArea) or target.focusPolicy() != Qt.FocusPolicy.NoFocus
        if not outside and not takes_focus:
            return
        host = target.window()
        target.installEventFilter(self)
        self._ring = ring = _Ring(target, host, self._theme, outside)
        target.destroyed.connect(self._let_go)
        ring.show()
        ring.raise_()


class _Ring(QWidget):
    def __init__(self, target: QWidget, host: QWidget, theme: Theme, outside: bool) -> None:
        super().__init__(host)
        self.target, self._theme = target, theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        grow = GAP + WIDTH if outside else 0
        place = QRect(target.mapTo(host, QPoint(0, 0)), target.size()).adjusted(-grow, -grow, grow, grow)
        self.setGeometry(place.intersected(host.rect()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.accent), WIDTH))
        half = WIDTH / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), 5, 5)
        painter.end()
