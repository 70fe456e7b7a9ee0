"""The theme that all of the window shares: tokens, palette, icons, style sheet; light, dark or the system's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication

from gradviz.draw import fonts, icons
from gradviz.draw.tokens import BODY, DARK, LIGHT, TextStyle, Tokens
from gradviz.gui.style_sheet import style_sheet

if TYPE_CHECKING:
    from gradviz.gui.dressing import Dressing
    from gradviz.gui.motion import Motion

MODES = ("system", "light", "dark")


class Theme(QObject):
    """Which tokens hold now. Widgets that paint themselves read `tokens` when they paint, and repaint on `changed`,
    which comes a few turns of the event loop after the tokens, when all else is in the new colours too.
    """

    changed = Signal()

    def __init__(self, mode: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.mode = mode if mode in MODES else "system"
        self.tokens: Tokens = self._resolve()
        self.smooth = True
        self._motion: Motion | None = None
        self._dressing: Dressing | None = None
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)

    @property
    def dark(self) -> bool:
        return self.tokens is DARK

    @property
    def reduced_motion(self) -> bool:
        """True when the system asks for less motion: nothing glides then."""
        if self._motion is None:
            from gradviz.gui.motion import Motion  # late: nothing glides before the first paint

            self._motion = Motion(self)
            self._motion.ask_desktop(os.environ)
        return self._motion.reduced()

    @property
    def moves(self) -> bool:
        """Whether things glide to their places: the person can turn it off, and so can the system."""
        return self.smooth and not self.reduced_motion

    def set_mode(self, mode: str) -> None:
        """Follow the system, or hold light or dark."""
        self.mode = mode if mode in MODES else "system"
        self._use(self._resolve())

    def install(self, application: QApplication) -> None:
        """Give the application this theme's palette, font and style sheet; they are made for the style "Fusion"."""
        application.setFont(self.font(BODY))
        application.setPalette(palette(self.tokens))
        application.setStyleSheet(style_sheet(self.tokens))

    def color(self, token: str) -> QColor:
        return QColor(self.tokens.color(token))

    def font(self, style: TextStyle, weight: int = 0) -> QFont:
        """The interface's or the fixed-width font in a style of the tokens."""
        return fonts.font(style, weight)

    def icon(self, name: str, ink: str = "text", size: int = 16) -> QIcon:
        """An icon of `draw.icons` in this theme's colours; ask again on `changed`."""
        return icons.icon(name, self.tokens, size, ink)

    def _system_changed(self) -> None:
        if self.mode == "system":
            self._use(self._resolve())

    def _resolve(self) -> Tokens:
        if self.mode == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if self.mode == "dark" else LIGHT

    def _use(self, tokens: Tokens) -> None:
        if tokens is self.tokens:
            return
        self.tokens = tokens
        application = QApplication.instance()
        if isinstance(application, QApplication):
            from gradviz.gui.dressing import Dressing  # late: it isn't needed for the first paint

            self._dressing = self._dressing or Dressing(self.changed.emit, self)
            self._dressing.begin(application, style_sheet(tokens), palette(tokens))
        else:
            self.changed.emit()

    def changing(self) -> bool:
        """Whether widgets are still being dressed; nothing is painted meanwhile."""
        return self._dressing is not None and self._dressing.busy()


def palette(tokens: Tokens) -> QPalette:
    """The tokens as a palette, for all that the style sheet doesn't reach: item views, disabled text, placeholders."""
    made = QPalette()
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    everywhere = {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.pane,
        role.AlternateBase: tokens.canvas,
        role.Text: tokens.text,
        role.Button: tokens.window,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.on_fill,
        role.Highlight: tokens.accent_soft,
        role.HighlightedText: tokens.text,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.ToolTipBase: tokens.pane,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.text2,
        role.Mid: tokens.border,
        role.Midlight: tokens.border,
        role.Dark: tokens.control,
        role.Light: tokens.pane,
        role.Shadow: tokens.border,
        role.Accent: tokens.accent,
    }
    for each, value in everywhere.items():
        made.setColor(each, QColor(value))
    for each in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText, role.Link):
        made.setColor(group.Disabled, each, QColor(tokens.disabled))
    return made
