"""The menu bar, from the table of commands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu

from gradviz.gui.commands import Commands

FOCUS = ("focus_around", "focus_before", "focus_after", "focus_both", "focus_path")
# "" is a separator, "@name" a menu that the window fills itself
MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        str(QT_TRANSLATE_NOOP("Menus", "&File")),
        ("open", "open_function", "@recent", "", "save", "export", "recordings", "", "close", "quit"),
    ),
    (
        str(QT_TRANSLATE_NOOP("Menus", "&Edit")),
        ("find", "", "copy_image", "copy_finding", "copy_finding_markdown", "", "open_line", "editor"),
    ),
    (
        str(QT_TRANSLATE_NOOP("Menus", "&View")),
        ("view_back", "view_forward", "", "fit", "zoom_in", "zoom_out", "zoom_reset", "", "@theme", "smooth"),
    ),
    (str(QT_TRANSLATE_NOOP("Menus", "&Run")), ("run", "stop", "", "run_settings", "open_function")),
    (
        str(QT_TRANSLATE_NOOP("Menus", "&Step")),
        ("step", "back", "first", "last", "", "next_finding", "previous_finding", "", "next_pass", "previous_pass"),
    ),
    (
        str(QT_TRANSLATE_NOOP("Menus", "&Graph")),
        ("@graph", "across", "", "fold_all", "open_all", "", *FOCUS, "", "focus_hide", "focus_off"),
    ),
    (str(QT_TRANSLATE_NOOP("Menus", "&Window")), ("@docks", "", "next_pane", "previous_pane", "", "reset_layout")),
    (str(QT_TRANSLATE_NOOP("Menus", "&Help")), ("guide", "shortcuts", "", "about")),
)
THEMES = ("theme_system", "theme_light", "theme_dark")
Fill = Callable[[], list[QAction]]


class Menus(QObject):
    """The menus of one window. `on_fill` fills "recent", "graph" and "docks" just before they show.

    The underlined letters show while Alt is pressed or the bar has the keyboard, as on most desktops: otherwise the
    titles stand without them. (A style of our own could hide them too, but to make one costs a start 25 ms.)
    """

    def __init__(self, window: QMainWindow, commands: Commands, on_fill: dict[str, Fill]) -> None:
        super().__init__(window)
        self._commands, self._on_fill = commands, on_fill
        self._bar = bar = window.menuBar()
        self._titled: list[tuple[QMenu, str]] = []
        bar.installEventFilter(self)
        for title, entries in MENUS:
            words = QCoreApplication.translate("Menus", title)
            menu = bar.addMenu(plain_title(words))
            self._titled.append((menu, words))
            menu.setToolTipsVisible(True)
            for entry in entries:
                self._add(menu, entry)

    def show_letters(self, shown: bool) -> None:
        """Underline the letters that open the menus with Alt, or take them away."""
        for menu, words in self._titled:
            title = words if shown else plain_title(words)
            if menu.title() != title:
                menu.setTitle(title)

    def alt(self, pressed: bool) -> None:
        """The window tells that Alt went down or up."""
        self.show_letters(pressed or self._bar.hasFocus())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self.show_letters(True)
        elif event.type() == QEvent.Type.FocusOut:
            self.show_letters(False)
        return False

    def _add(self, menu: QMenu, entry: str) -> None:
        if not entry:
            menu.addSeparator()
        elif entry == "@theme":
            self._add_themes(menu.addMenu(QCoreApplication.translate("Menus", "Theme")))
        elif entry == "@recent":
            recent = menu.addMenu(QCoreApplication.translate("Menus", "Recent"))
            recent.aboutToShow.connect(lambda: self._refill(recent, "recent"))
        elif entry.startswith("@"):
            name = entry[1:]
            marker = menu.addSeparator()
            menu.aboutToShow.connect(lambda: self._fill_before(menu, marker, name))
        else:
            menu.addAction(self._commands[entry])

    def _add_themes(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        for name in THEMES:
            menu.addAction(group.addAction(self._commands[name]))

    def _refill(self, menu: QMenu, name: str) -> None:
        menu.clear()
        fill = self._on_fill.get(name)
        for action in fill() if fill else []:
            menu.addAction(action)
        menu.setEnabled(True)
        if menu.isEmpty():
            nothing = menu.addAction(QCoreApplication.translate("Menus", "Nothing yet"))
            nothing.setEnabled(False)

    def _fill_before(self, menu: QMenu, marker: QAction, name: str) -> None:
        fill = self._on_fill.get(name)
        for action in fill() if fill else []:
            if action not in menu.actions():
                menu.insertAction(marker, action)


def plain_title(words: str) -> str:
    """A menu's title without the mark of its letter."""
    return words.replace("&", "")
