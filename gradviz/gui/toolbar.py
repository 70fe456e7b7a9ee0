"""The toolbar: open, save, Run, Stop, stepping, findings, fit; at the right the recording level and the search box."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from gradviz.document.settings import LEVELS
from gradviz.draw.tokens import TOOLBAR
from gradviz.gui.commands import Commands
from gradviz.gui.steady import SteadyBox
from gradviz.gui.theme import Theme

GROUPS = (
    ("open", "save"),
    ("run", "stop"),
    ("first", "back", "step", "last"),
    ("previous_finding", "next_finding"),
    ("view_back", "view_forward", "fit"),
)


class Toolbar(QToolBar):
    """One bar; Run is the only filled button of the window."""

    level_chosen = Signal(str)

    def __init__(self, window: QMainWindow, commands: Commands, theme: Theme) -> None:
        super().__init__(window)
        self._commands, self._theme = commands, theme
        self.setObjectName("toolbar")
        self.setWindowTitle(self.tr("Toolbar"))
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setFixedHeight(TOOLBAR)
        self.setIconSize(QSize(16, 16))
        commands.refresh_icons(only=[name for group in GROUPS for name in group])
        for number, group in enumerate(GROUPS):
            if number:
                self.addSeparator()
            for name in group:
                self._add(name)
        spacer = QWidget(self)
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        self.level = self._level()
        self.find_button = FindButton(commands["find"], theme, self)
        self.addWidget(self.find_button)
        theme.changed.connect(self._paint_run)
        commands["run"].changed.connect(self._follow_run)
        self._follow_run()

    def _add(self, name: str) -> None:
        action = self._commands[name]
        if name == "run":
            self.run_button = QPushButton("\u2002" + self._commands["run"].text(), self)  # away from the icon
            self.run_button.setProperty("role", "filled")
            self.run_button.setAccessibleName(self._commands["run"].text())
            self.run_button.setMinimumWidth(68)
            self.run_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard where it is
            self.run_button.clicked.connect(action.trigger)
            holder = QWidget(self)
            row = QHBoxLayout(holder)
            row.setContentsMargins(0, 0, 4, 0)
            row.addWidget(self.run_button)
            self.addWidget(holder)
            return
        self.addAction(action)
        button = self.widgetForAction(action)
        if isinstance(button, QToolButton):
            button.setAccessibleName(action.text())
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _level(self) -> SteadyBox:
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 10, 0)
        row.setSpacing(8)
        label = QLabel(self.tr("Level"), holder)
        label.setProperty("role", "secondary")
        combo = SteadyBox(holder)
        words = {
            "shapes": (self.tr("Shapes"), self.tr("Names, shapes, dtypes and lines: the fastest")),
            "summaries": (self.tr("Summaries"), self.tr("Also statistics of every gradient, and small samples")),
            "values": (self.tr("Values"), self.tr("Also the values, within 256 MiB")),
        }
        for level in LEVELS:
            combo.addItem(words[level][0], level)
            combo.setItemData(combo.count() - 1, words[level][1], Qt.ItemDataRole.ToolTipRole)
        combo.setCurrentIndex(LEVELS.index("summaries"))
        combo.setToolTip(self.tr("How much the next run records"))
        combo.setAccessibleName(self.tr("Level"))
        combo.activated.connect(lambda index: self.level_chosen.emit(combo.itemData(index)))
        label.setBuddy(combo)
        row.addWidget(label)
        row.addWidget(combo)
        self.addWidget(holder)
        return combo

    def show_level(self, level: str) -> None:
        self.level.setCurrentIndex(max(0, self.level.findData(level)))

    def _follow_run(self) -> None:
        action = self._commands["run"]
        self.run_button.setEnabled(action.isEnabled())
        self.run_button.setToolTip(action.toolTip())
        self._paint_run()

    def _paint_run(self) -> None:
        ink = "on_fill" if self.run_button.isEnabled() else "disabled"
        self.run_button.setIcon(self._theme.icon("run", ink))


class FindButton(QPushButton):
    """Looks like a field; a press opens the search palette."""

    def __init__(self, action: QAction, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        keys = QKeySequence("Ctrl+K").toString(QKeySequence.SequenceFormat.NativeText)
        self.setText(self.tr("Find anything") + "    " + keys)
        self.setProperty("role", "find")
        self.setFixedWidth(208)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip(action.toolTip())
        self.setAccessibleName(self.tr("Find anything"))
        self.clicked.connect(action.trigger)
        self._theme = theme
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setIcon(self._theme.icon("search", "text2"))
