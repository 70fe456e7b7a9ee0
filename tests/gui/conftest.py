"""The real window for each test, and a check that it leaves nothing behind: no window, thread, process."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gradviz.document.places import CONFIG_VARIABLE, DATA_VARIABLE
from gradviz.document.process_tree import descendants
from gradviz.document.settings import Settings
from gradviz.gui.app import make_window
from gradviz.gui.collector import Collector
from gradviz.gui.window import Window
from tests.recordings import eigh_seed_mismatch, mlp, silent_broadcast

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PATIENCE = 5.0  # seconds for threads and processes that were told to end


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings and unsaved recordings of a test's own."""
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "config"))
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
    return tmp_path


@pytest.fixture(autouse=True)
def collected_here(qapp: QApplication) -> Iterator[None]:
    """No thread destroys what is the window's, as in the app."""
    collector = Collector()
    yield
    collector.stop()
    del collector
    gc.collect()  # here, where no object is at its end
    gc.enable()


@pytest.fixture
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fails the test that leaves a window, a thread or a process behind."""
    threads, windows = set(threading.enumerate()), set(qapp.topLevelWidgets())
    processes = set(descendants(os.getpid()))
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    _until(lambda: not set(threading.enumerate()) - threads)
    _until(lambda: not set(descendants(os.getpid())) - processes)
    assert not [thread.name for thread in set(threading.enumerate()) - threads], "threads left behind"
    assert not set(descendants(os.getpid())) - processes, "processes left behind"
    left = [widget for widget in set(qapp.topLevelWidgets()) - windows if isValid(widget)]
    assert not left, f"windows left behind: {left}"


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, nothing_left: None, own_folders: Path) -> Iterator[Window]:
    """The window, shown on the welcome page."""
    made, _ = make_window(qapp, Settings())
    made.resize(1440, 900)
    with qtbot.waitExposed(made):
        made.show()
    made.ready()
    yield made
    made.close()
    made.close_everything()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(made)


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Built recordings, made without a framework."""
    folder = tmp_path_factory.mktemp("recordings")
    return {
        "eigh": eigh_seed_mismatch(folder / "eigh.gradviz"),
        "mlp": mlp(folder / "mlp.gradviz"),
        "broadcast": silent_broadcast(folder / "broadcast.gradviz"),
    }


def _until(holds: Callable[[], bool]) -> None:
    """Let Qt and the threads work until it holds, for a while at most."""
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        QCoreApplication.processEvents()
        threading.Event().wait(0.01)
