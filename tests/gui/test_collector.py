"""What threads may do to the window's objects: hand over calls, and never destroy one."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gradviz.gui.collector import Collector
from gradviz.gui.post import Post


@pytest.fixture
def collector(qapp: QApplication) -> Iterator[Collector]:
    made = Collector()
    yield made
    made.stop()


class Ring:
    """Garbage that only the cyclic collection finds; says on which thread it went."""

    def __init__(self, went: list[str]) -> None:
        self._self, self._went = self, went

    def __del__(self) -> None:
        self._went.append(threading.current_thread().name)


def test_garbage_goes_on_the_windows_thread(collector: Collector, qtbot: QtBot) -> None:
    went: list[str] = []
    Ring(went)
    # WHEN another thread allocates far more than makes Python collect
    busy = threading.Thread(target=lambda: [[] for _ in range(20_000)], name="busy")
    busy.start()
    busy.join()
    assert went == []
    kept: list[list[int]] = [
        [] for _ in range(2_000)
    ]  # WHEN there is enough for a collection to be due THEN the timer does it
    qtbot.waitUntil(lambda: went == ["MainThread"])
    assert kept


def test_python_does_not_collect_while_the_window_goes(collector: Collector) -> None:
    assert not gc.isenabled()
    collector.stop()
    assert not gc.isenabled()


def test_calls_come_in_order_on_the_windows_thread(qtbot: QtBot) -> None:
    post = Post()
    came: list[tuple[int, str]] = []

    def work() -> None:
        for number in range(50):
            post(partial(lambda each: came.append((each, threading.current_thread().name)), number))

    thread = threading.Thread(target=work)
    thread.start()
    qtbot.waitUntil(lambda: len(came) == 50)
    thread.join()
    assert came == [(number, "MainThread") for number in range(50)]


def test_a_post_may_go_while_threads_are_posting(qapp: QApplication) -> None:
    for _ in range(30):
        home = QObject()
        post, begun, stop = Post(home), threading.Event(), threading.Event()

        def work(post: Post = post, begun: threading.Event = begun, stop: threading.Event = stop) -> None:
            while not stop.is_set():
                post(lambda: None)
                begun.set()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        begun.wait()
        delete(home)
        stop.set()
        for thread in threads:
            thread.join()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.MetaCall)
