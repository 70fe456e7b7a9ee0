"""Every command of the window as one table: name, words, keys, icon. Menus, toolbar and the page of keys read it."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from gradviz.document.actions import Actions, Availability
from gradviz.gui.theme import Theme

CONTEXT = "Commands"


@dataclass(frozen=True)
class Command:
    """One entry. `keys` are as Qt writes them; `tip` what the tooltip says when the words don't suffice."""

    name: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    checkable: bool = False


def _c(
    name: str, text: object, keys: tuple[str, ...] = (), icon: str = "", tip: str = "", checkable: bool = False
) -> Command:
    return Command(name, str(text), keys, icon, tip, checkable)  # QT_TRANSLATE_NOOP's stub says object


COMMANDS: tuple[Command, ...] = (
    _c("open", QT_TRANSLATE_NOOP("Commands", "Open…"), ("Ctrl+O",), "open", "Open a script or a recording"),
    _c("open_function", QT_TRANSLATE_NOOP("Commands", "Open a function…"), (), "module"),
    _c("save", QT_TRANSLATE_NOOP("Commands", "Save recording as…"), ("Ctrl+S",), "save", "Save the recording"),
    _c("export", QT_TRANSLATE_NOOP("Commands", "Export picture…"), ("Ctrl+E",)),
    _c("copy_image", QT_TRANSLATE_NOOP("Commands", "Copy as image"), ("Ctrl+Shift+C",), "copy"),
    _c("recordings", QT_TRANSLATE_NOOP("Commands", "Unsaved recordings…")),
    _c("close", QT_TRANSLATE_NOOP("Commands", "Close"), ("Ctrl+W",)),
    _c("quit", QT_TRANSLATE_NOOP("Commands", "Quit"), ("Ctrl+Q",)),
    _c(
        "find",
        QT_TRANSLATE_NOOP("Commands", "Find anything…"),
        ("Ctrl+K", "Ctrl+F"),
        "search",
        "Find a node, module, line, shape, problem or command",
    ),
    _c("copy_finding", QT_TRANSLATE_NOOP("Commands", "Copy problem as text"), ()),
    _c("copy_finding_markdown", QT_TRANSLATE_NOOP("Commands", "Copy problem as Markdown"), ()),
    _c("open_line", QT_TRANSLATE_NOOP("Commands", "Open line in my editor"), ("Ctrl+Shift+E",)),
    _c("editor", QT_TRANSLATE_NOOP("Commands", "Editor…"), (), "", "Choose the editor that lines are opened in"),
    _c("run", QT_TRANSLATE_NOOP("Commands", "Run"), ("F5",), "run", "Run the script and record it"),
    _c("stop", QT_TRANSLATE_NOOP("Commands", "Stop"), ("Shift+F5",), "stop", "Stop the script"),
    _c("run_settings", QT_TRANSLATE_NOOP("Commands", "Run settings")),
    _c("first", QT_TRANSLATE_NOOP("Commands", "First step"), (), "first", "First step (Home in canvas and Steps)"),
    _c("back", QT_TRANSLATE_NOOP("Commands", "Step back"), ("F11", ","), "back"),
    _c("step", QT_TRANSLATE_NOOP("Commands", "Step"), ("F10", "."), "step"),
    _c("last", QT_TRANSLATE_NOOP("Commands", "Last step"), (), "last", "Last step (End in canvas and Steps)"),
    _c("previous_finding", QT_TRANSLATE_NOOP("Commands", "Previous problem"), ("Shift+F8",), "previous_finding"),
    _c("next_finding", QT_TRANSLATE_NOOP("Commands", "Next problem"), ("F8",), "next_finding"),
    _c("previous_pass", QT_TRANSLATE_NOOP("Commands", "Previous backward pass"), ("Ctrl+PgUp",)),
    _c("next_pass", QT_TRANSLATE_NOOP("Commands", "Next backward pass"), ("Ctrl+PgDown",)),
    _c("fit", QT_TRANSLATE_NOOP("Commands", "Fit graph"), ("F",), "fit", "Fit the graph into the view"),
    _c("zoom_in", QT_TRANSLATE_NOOP("Commands", "Zoom in"), ("Ctrl++", "Ctrl+="), "plus"),
    _c("zoom_out", QT_TRANSLATE_NOOP("Commands", "Zoom out"), ("Ctrl+-",), "minus"),
    _c("zoom_reset", QT_TRANSLATE_NOOP("Commands", "Zoom to 100 %"), ("Ctrl+0",)),
    _c("view_back", QT_TRANSLATE_NOOP("Commands", "Previous view"), ("Alt+Left", "Back"), "view_back"),
    _c("view_forward", QT_TRANSLATE_NOOP("Commands", "Next view"), ("Alt+Right", "Forward"), "view_forward"),
    _c("focus_around", QT_TRANSLATE_NOOP("Commands", "Focus on neighbours"), ("N",)),
    _c("focus_before", QT_TRANSLATE_NOOP("Commands", "Focus on what leads here"), ("I",)),
    _c("focus_after", QT_TRANSLATE_NOOP("Commands", "Focus on what follows"), ("O",)),
    _c("focus_both", QT_TRANSLATE_NOOP("Commands", "Focus on what leads here and follows"), ("B",)),
    _c("focus_path", QT_TRANSLATE_NOOP("Commands", "Focus on the path from the loss…"), ("P",)),
    _c("focus_hide", QT_TRANSLATE_NOOP("Commands", "Hide what isn't in focus"), ("H",), checkable=True),
    _c("focus_off", QT_TRANSLATE_NOOP("Commands", "Show everything"), (), "", "Leave the focus (Esc in the canvas)"),
    _c("across", QT_TRANSLATE_NOOP("Commands", "Draw from left to right"), (), "across", "", True),
    _c("fold_all", QT_TRANSLATE_NOOP("Commands", "Fold all modules")),
    _c("open_all", QT_TRANSLATE_NOOP("Commands", "Open all modules")),
    _c("theme_system", QT_TRANSLATE_NOOP("Commands", "As the system"), checkable=True),
    _c("theme_light", QT_TRANSLATE_NOOP("Commands", "Light"), checkable=True),
    _c("theme_dark", QT_TRANSLATE_NOOP("Commands", "Dark"), checkable=True),
    _c("smooth", QT_TRANSLATE_NOOP("Commands", "Move smoothly"), checkable=True),
    _c("next_pane", QT_TRANSLATE_NOOP("Commands", "Next pane"), ("F6",)),
    _c("previous_pane", QT_TRANSLATE_NOOP("Commands", "Previous pane"), ("Shift+F6",)),
    _c("reset_layout", QT_TRANSLATE_NOOP("Commands", "Put all panes back")),
    _c("shortcuts", QT_TRANSLATE_NOOP("Commands", "Keyboard shortcuts"), ("F1",)),
    _c("guide", QT_TRANSLATE_NOOP("Commands", "Guide")),
    _c("about", QT_TRANSLATE_NOOP("Commands", "About gradviz")),
)


class Commands(QObject):
    """The commands as QActions of one window, kept enabled or not, with the reason in the tooltip."""

    def __init__(self, window: QMainWindow, actions: Actions, theme: Theme) -> None:
        super().__init__(window)
        self._actions, self._theme = actions, theme
        self._asks: dict[str, Callable[[], Availability]] = {}
        self._told: dict[str, Availability] = {}  # what each action says now: saying it again costs
        self.by_name: dict[str, QAction] = {}
        for command in COMMANDS:
            action = QAction(self.text(command), window)
            action.setObjectName(command.name)
            action.setShortcuts([QKeySequence(key) for key in command.keys])
            action.setCheckable(command.checkable)
            window.addAction(action)
            self.by_name[command.name] = action
        for name in actions.names():
            self.bind(name, partial(actions.do, name), partial(actions.availability, name))
        theme.changed.connect(lambda: self.refresh_icons())

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def bind(self, name: str, handler: Callable[[], object], ask: Callable[[], Availability] | None = None) -> None:
        """Call `handler` when the command is given; `ask` tells whether it can be, now."""
        self.by_name[name].triggered.connect(lambda checked=False: handler())
        if ask is not None:
            self._asks[name] = ask

    def refresh(self) -> None:
        """Ask every command whether it can be given now."""
        for command in COMMANDS:
            ask = self._asks.get(command.name)
            state = ask() if ask is not None else Availability(True)
            if self._told.get(command.name) != state:
                self._told[command.name] = state
                action = self.by_name[command.name]
                action.setEnabled(state.enabled)
                action.setToolTip(self.tooltip(command, state))

    def reason(self, name: str) -> str:
        """Why a command can't be given now; "" where it can."""
        told = self._told.get(name)
        return told.reason if told is not None and not told.enabled else ""

    def refresh_icons(self, only: Container[str] | None = None) -> None:
        """Draw the icons; those of menus alone can wait until after the first paint."""
        for command in COMMANDS:
            if command.icon and (only is None or command.name in only):
                self.by_name[command.name].setIcon(self._theme.icon(command.icon))

    def text(self, command: Command) -> str:
        return QCoreApplication.translate(CONTEXT, command.text)

    def tooltip(self, command: Command, state: Availability) -> str:
        """What it does, its key, and why it can't be done now."""
        words = QCoreApplication.translate(CONTEXT, command.tip or command.text)
        if command.keys:
            words += f" ({key_words(command)})"
        if not state.enabled and state.reason:
            words += "\n" + QCoreApplication.translate("Reasons", state.reason)
        return words


def key_words(command: Command) -> str:
    """The keys as the platform writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(key).toString(native) for key in command.keys)
