"""Starts the window: first paint before everything that can wait, and errors in slots told in a strip, not a crash."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, QLibraryInfo, QLocale, QObject, QTimer, QTranslator
from PySide6.QtWidgets import QApplication

from gradviz.document.gallery import is_example
from gradviz.document.settings import Settings
from gradviz.gui.collector import Collector
from gradviz.gui.focus_ring import FocusRing
from gradviz.gui.pane_table import pane_modules
from gradviz.gui.post import Post
from gradviz.gui.theme import Theme
from gradviz.gui.window import Window
from gradviz.resources_path import resources_path

QUIT_VARIABLE = "GRADVIZ_QUIT_AFTER_PAINT"  # for measuring the start: print the seconds to the first paint, and quit

# What opening a recording brings besides the panes; numpy would import its `ma` at the first call of `unique`.
LATER = (
    "pyqtgraph",
    "networkx",
    "numpy.ma",
    "gradviz.diagnose.examination",
    "gradviz.diagnose.parcel",
    "gradviz.document.examiner",
    "gradviz.gui.opening",
    "gradviz.gui.preparing",
    "gradviz.document.source_index",
    "gradviz.trace.reader",
    "gradviz.trace.forward",
    "gradviz.trace.passes",
)


def run(path: Path | None = None, function: str = "", quit_after_paint: bool = False) -> int:
    """Open the window on a script, a recording, or the welcome page; returns the exit status."""
    quit_after_paint = quit_after_paint or bool(os.environ.get(QUIT_VARIABLE))
    began = time.perf_counter()
    let_scripts_be_interrupted()
    application = make_application()
    collector = Collector(application)
    window, theme = make_window(application)
    catch_errors(window)
    first = FirstPaint(window)

    def painted() -> None:
        if quit_after_paint:
            print(f"{time.perf_counter() - began:.4f}", flush=True)
            application.quit()
            return
        warm_up(lambda: window.post(opened))

    def opened() -> None:
        gc.freeze()  # what is imported stays: no full collection walks through it while a person waits
        window.ready()
        if path is not None:
            window.open_path(path, function)
            if is_example(path) and not function:
                window.commands["run"].trigger()  # it opens ready to step, as from its card

    first.painted = painted
    if path is not None:
        window.expect_document(path)
    window.show()
    handle = window.windowHandle()
    if handle is not None:
        FocusRing(theme, application).watch(handle)
    status = application.exec()
    window.close_everything()
    collector.stop()
    return status


def main(arguments: Sequence[str]) -> int:
    """`gradviz [FILE]`, for whoever starts the window without the command line in between."""
    files = [argument for argument in arguments if not argument.startswith("--")]
    return run(Path(files[0]) if files else None, quit_after_paint="--quit-after-paint" in arguments)


def make_application() -> QApplication:
    """The QApplication with its names and translations.

    The style is given as an argument: setStyle would return a QStyle, whose enumerations take 25 ms to be made.
    """
    # Painting hands the interpreter over at every call into Qt, and a thread that builds a scene gives it back only
    # after this time; with Python's usual 5 ms one paint of a list took 100 ms.
    sys.setswitchinterval(0.0001)
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication([*sys.argv[:1], "-style", "Fusion"])
    application.setApplicationName("gradviz")
    application.setApplicationDisplayName("gradviz")
    application.setDesktopFileName("gradviz")
    install_translations(application)
    return application


def make_window(application: QApplication, settings: Settings | None = None) -> tuple[Window, Theme]:
    """A window with a theme of its own, as it was left last time."""
    remembered = settings if settings is not None else Settings()
    theme, post = Theme(remembered.choice("theme", "system")), Post()
    theme.install(application)
    window = Window(theme, remembered, post)
    theme.setParent(window)
    post.setParent(window)
    return window, theme


def install_translations(application: QApplication) -> None:
    """The person's language, where there is a translation; English needs none."""
    locale = QLocale()
    if locale.language() == QLocale.Language.English:
        return
    folders = (str(resources_path("translations")), QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    for name, folder in zip(("gradviz", "qtbase"), folders):
        translator = QTranslator(application)
        if translator.load(locale, name, "_", folder):
            application.installTranslator(translator)


def catch_errors(window: Window) -> None:
    """An exception in a slot becomes a strip with its traceback under Details; Ctrl+C still ends the program."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.quitting.agree()
            QApplication.quit()
            return
        sys.__excepthook__(kind, error, trace)
        window.tell_fault(error)

    def thread_hook(args: threading.ExceptHookArgs) -> None:
        error = args.exc_value
        if error is not None and not isinstance(error, SystemExit):
            window.post(lambda: hook(type(error), error, args.exc_traceback))

    sys.excepthook = hook
    threading.excepthook = thread_hook


def let_scripts_be_interrupted() -> None:
    """A program that a shell script starts in the background ignores SIGINT, and hands that on to what it starts: Stop
    could only kill. What is handled here is as usual again there; here it goes on to do nothing.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


def warm_up(done: Callable[[], object]) -> None:
    """Import away from the window's thread what would stall it (numpy, pyqtgraph, networkx, our own panes)."""

    def load() -> None:
        try:
            for name in ("gradviz.gui.controller", "gradviz.gui.work", *pane_modules(), *LATER):
                importlib.import_module(name)
        finally:
            done()

    threading.Thread(target=load, name="warm-up", daemon=True).start()


class FirstPaint(QObject):
    """Calls `painted` once, after the window's first paint has reached the screen."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.painted: Callable[[], None] = lambda: None
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self, lambda: self.painted())
        return False
