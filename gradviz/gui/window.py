"""The one window: its bars, docks and middle. The Document knows what is open, the Hub what one looks at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from gradviz.document.actions import NO_RECORDING, Actions, Availability
from gradviz.document.document import Document
from gradviz.document.gallery import load_gallery
from gradviz.document.hub import Hub
from gradviz.document.settings import Settings
from gradviz.gui.commands import Commands
from gradviz.gui.menus import Menus
from gradviz.gui.post import Post
from gradviz.gui.quitting import Quitting
from gradviz.gui.status_line import StatusLine
from gradviz.gui.theme import Theme
from gradviz.gui.toolbar import Toolbar
from gradviz.gui.welcome import Welcome

if TYPE_CHECKING:  # what the welcome page, which is painted first, doesn't need
    from gradviz.gui.centre import Centre
    from gradviz.gui.docks import Docks
    from gradviz.gui.opening import Opening
    from gradviz.gui.strips import Strips
    from gradviz.gui.timeline import Timeline
    from gradviz.gui.work import Work

USUAL_SIZE = (1440, 900)


class Window(QMainWindow):
    """Builds the parts and shows either the welcome page or the work on a document."""

    def __init__(self, theme: Theme, settings: Settings, post: Post) -> None:
        super().__init__()
        self.theme, self.settings, self.post = theme, settings, post
        self.hub = Hub()
        self.actions_on_hub = Actions(self.hub)
        self.document = Document(self.hub, settings, post)
        self.setObjectName("gradviz")
        self.setAcceptDrops(True)
        self.commands = Commands(self, self.actions_on_hub, theme)
        self.toolbar = Toolbar(self, self.commands, theme)
        self.addToolBar(self.toolbar)
        self.status = StatusLine(self, theme)
        self.setStatusBar(self.status)
        self.welcome = Welcome(load_gallery(), theme, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.welcome)
        self.setCentralWidget(self._pages)
        self._controller: QObject | None = None
        self._work: Work | None = None
        self.fills: dict[str, Callable[[], list[QAction]]] = {"docks": self._dock_actions}
        self.menus = Menus(self, self.commands, self.fills)
        self._work_state: QByteArray | None = self._remembered("state")
        self._opening: Opening | None = None
        self.quitting = Quitting(self)
        self._restore_geometry()
        self.show_welcome()
        self._bind_window_commands()

    # -- parts
    def _dock_actions(self) -> list[QAction]:
        if self.shows_welcome():
            return []
        return [dock.toggleViewAction() for dock in self.docks.by_name.values()]

    def _bind_window_commands(self) -> None:
        for mode in ("system", "light", "dark"):
            self.commands.bind(f"theme_{mode}", partial(self.set_theme, mode))
        self.commands[f"theme_{self.theme.mode}"].setChecked(True)
        self.theme.smooth = self.settings.choice("smooth", "on") == "on"
        self.commands["smooth"].setChecked(self.theme.smooth)
        self.commands.bind("smooth", lambda: self.set_smooth(self.commands["smooth"].isChecked()))
        self.commands.bind("quit", self.close)
        self.commands.bind("reset_layout", lambda: self.docks.reset(), self._at_work)
        self.commands.bind("next_pane", lambda: self.walk_panes(1), self._at_work)
        self.commands.bind("previous_pane", lambda: self.walk_panes(-1), self._at_work)

    def _at_work(self) -> Availability:
        return Availability(not self.shows_welcome(), NO_RECORDING if self.shows_welcome() else "")

    @property
    def work(self) -> Work:
        """Made when first needed: the welcome page, which is painted first, doesn't wait for it."""
        if self._work is None:
            from gradviz.gui.work import Work

            self._work = Work(self)
            self._pages.addWidget(self._work.centre)
        return self._work

    @property
    def docks(self) -> Docks:
        return self.work.docks

    @property
    def centre(self) -> Centre:
        return self.work.centre

    @property
    def timeline(self) -> Timeline:
        return self.work.timeline

    # -- pages
    def ready(self) -> None:
        """After the first paint: everything that could wait."""
        from gradviz.gui.controller import Controller  # late: dialogs and panes aren't needed for the first paint
        from gradviz.gui.preparing import Preparing

        if self._controller is None:
            self._controller = Controller(self)
            self.document.expire_recordings()
            if not self.shows_welcome():
                self.show_work()
            Preparing(self).start()

    def show_welcome(self) -> None:
        if self._work is not None:
            if not self.shows_welcome():
                self._work_state = self._work.docks.state()
            self._work.hide()
        self.welcome.show_recent(self.settings.recent())
        self._pages.setCurrentWidget(self.welcome)
        self.setWindowTitle("gradviz")
        self.status.offer_change(True)

    def expect_document(self, path: Path) -> None:
        """Show the work page at once, before the panes are there: a file is about to open."""
        self._pages.setCurrentWidget(self.centre)
        self.work.show(self._work_state)
        self.setWindowTitle(f"{path.name} — gradviz")

    def show_work(self) -> None:
        """Timeline, docks and canvas in place of the welcome page."""
        self._pages.setCurrentWidget(self.centre)
        self.work.build()
        self.work.show(self._work_state)
        self.status.offer_change(False)

    def shows_welcome(self) -> bool:
        return self._pages.currentWidget() is self.welcome

    @property
    def strips(self) -> Strips:
        return self.centre.strips

    def open_path(self, path: Path, function: str = "") -> None:
        """Open a script or a recording; what is wrong with it is told in a strip."""
        from gradviz.gui.opening import Opening  # late, as above

        self.ready()
        self._opening = self._opening or Opening(self)
        self._opening.open(path, function)

    def opening(self) -> bool:
        """Whether a recording is being read, and stands on the work page in one of the next turns."""
        return self._opening is not None and self._opening.pending()

    def stop_opening(self) -> None:
        """What was about to be opened isn't."""
        if self._opening is not None:
            self._opening.forget()
        self.show_what_is_open()

    def show_what_is_open(self) -> None:
        """The welcome page again, where a file was expected that doesn't come."""
        if self.document.state.phase == "empty" and not self.shows_welcome():
            self.show_welcome()

    def interpreter_words(self) -> str:
        """The chosen Python; of the app's own also what it could record, without importing it."""
        chosen = self.settings.choice("interpreter")
        if chosen:
            return chosen
        import importlib.metadata  # late: it brings the mail and network libraries
        import platform

        found = []
        for name in ("torch", "autograd", "tensorflow"):
            with suppress(importlib.metadata.PackageNotFoundError):
                found.append(f"{name} {importlib.metadata.version(name).partition('+')[0]}")
        return ", ".join([f"Python {platform.python_version()}", *found])

    def tell_fault(self, error: BaseException) -> None:
        """A fault of ours: told, not hidden, and the work goes on."""
        words = self.tr("Something in gradviz went wrong: {error}").format(error=f"{type(error).__name__}: {error}")
        self.strips.tell("fault", "error", words)
        if self.shows_welcome():
            self.status.show_outcome("error", words, "")

    # -- choices
    def set_theme(self, mode: str) -> None:
        self.theme.set_mode(mode)
        self.settings.remember_choice("theme", mode)
        self.commands[f"theme_{mode}"].setChecked(True)

    def set_smooth(self, on: bool) -> None:
        self.theme.smooth = on
        self.settings.remember_choice("smooth", "on" if on else "off")

    def walk_panes(self, by: int) -> None:
        """Move the keyboard to the next pane that shows: canvas, left, bottom, right, timeline."""
        stops: list[QWidget] = [self.timeline.slider]
        if self.centre.canvas is not None and not self.centre.shows_message():
            stops.append(self.centre.canvas)
        for name, dock in self.docks.by_name.items():
            pane = self.docks.panes.get(name)
            if pane is not None and not dock.visibleRegion().isEmpty():
                stops.append(pane)
        here = QGuiApplication.focusObject()
        now = next((i for i, stop in enumerate(stops) if here is stop or _holds(stop, here)), -1)
        target = stops[(now + by) % len(stops)] if now >= 0 else stops[0 if by > 0 else -1]
        _focus_into(target)

    # -- remembered
    def _remembered(self, name: str) -> QByteArray | None:
        stored = self.settings.choice(name)
        return QByteArray.fromBase64(QByteArray(stored.encode("ascii", "ignore"))) if stored else None

    def _restore_geometry(self) -> None:
        geometry = self._remembered("geometry")
        if geometry is None or not self.restoreGeometry(geometry):
            screen = QGuiApplication.primaryScreen()
            room = screen.availableGeometry() if screen is not None else QRect(0, 0, *USUAL_SIZE)
            self.resize(min(USUAL_SIZE[0], room.width()), min(USUAL_SIZE[1], room.height()))

    def _remember(self) -> None:
        state = self._work_state if self.shows_welcome() else self.docks.state()
        for name, value in (("geometry", self.saveGeometry()), ("state", state)):
            if value is not None:
                self.settings.remember_choice(name, bytes(value.toBase64().data()).decode("ascii"))

    # -- events
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = next((Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()), None)
        if path is not None:
            event.acceptProposedAction()
            QTimer.singleShot(0, self, lambda: self.open_path(path))  # the other program waits for this event to end

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.quitting.may_close():
            event.ignore()
            return
        self._remember()
        event.accept()
        QTimer.singleShot(0, self, self.close_everything)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() != QEvent.Type.ActivationChange:
            return
        if self.isActiveWindow():
            self.document.look_at_file()
        else:
            self.menus.show_letters(False)  # Alt+Tab: its release goes elsewhere

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Alt:
            self.menus.alt(True)
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Alt:
            self.menus.alt(False)
        super().keyReleaseEvent(event)

    def close_everything(self) -> None:
        """End what runs and close what is open: nothing may stay behind."""
        if self._opening is not None:
            self._opening.close()
        self.document.shut_down()
        canvas = self._work.centre.canvas if self._work is not None else None
        if canvas is not None:
            canvas.close()  # ends the layout's process


def _holds(parent: QWidget, child: QObject | None) -> bool:
    return isinstance(child, QWidget) and parent.isAncestorOf(child)


def _focus_into(target: QWidget) -> None:
    """Focus the pane, or the first thing in it that takes the keyboard."""
    reason = Qt.FocusReason.TabFocusReason
    if target.focusPolicy() != Qt.FocusPolicy.NoFocus or target.focusProxy() is not None:
        target.setFocus(reason)
        return
    for child in target.findChildren(QWidget):
        if child.isVisibleTo(target) and child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isEnabled():
            child.setFocus(reason)
            return
