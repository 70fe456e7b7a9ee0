"""The layout's own process, with real children: replace, cancel, time limit, crash, and nobody left behind."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradviz.layout import LayoutProcess, Request, Result, arrange
from gradviz.layout.process import Child
from tests.unit.layout.graphs import EIGH, request

PATIENCE = 60  # seconds until a test that hangs fails
ROOT = Path(__file__).parents[2]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups of POSIX")

# A worker with a table of its own. "slow" tells that it runs and never ends; "crash" ends its process.
WORKER = """
import os, sys, time
from dataclasses import replace
sys.path.insert(0, sys.argv[1])
from gradviz.layout import table, worker
from gradviz.layout.simple import SimpleEngine

class Slow(SimpleEngine):
    name = "slow"
    def arrange(self, request):
        with open(sys.argv[2], "w") as told:
            told.write(str(os.getpid()))
        while True:
            time.sleep(60)

class Crash(SimpleEngine):
    name = "crash"
    def arrange(self, request):
        os._exit(9)

class Printing(SimpleEngine):
    name = "printing"
    def arrange(self, request):
        os.write(1, b"engines in C print what they like")
        print("and those in Python, too")
        return super().arrange(request)

class Naming(SimpleEngine):
    name = "naming"
    def arrange(self, request):
        return replace(super().arrange(request), note=str(os.getpid()))

table.ENGINES = (*table.ENGINES, Slow(), Crash(), Printing(), Naming())
worker.main()
"""


class Inbox:
    """What came back, with a wait for the next."""

    def __init__(self) -> None:
        self._queue: queue.Queue[tuple[object, Result, str]] = queue.Queue()

    def __call__(self, tag: object, result: Result) -> None:
        self._queue.put((tag, result, threading.current_thread().name))

    def next(self) -> tuple[object, Result, str]:
        return self._queue.get(timeout=PATIENCE)

    def empty(self) -> bool:
        return self._queue.empty()


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A pipe through which a slow engine tells that it has begun."""
    if sys.platform == "win32":
        pytest.skip("named pipes of POSIX")
    path = tmp_path / "told"
    os.mkfifo(path)
    return path


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def process(inbox: Inbox, told: Path) -> Iterator[LayoutProcess]:
    command = [sys.executable, "-c", WORKER, str(ROOT), str(told)]
    with LayoutProcess(inbox, command) as running:
        yield running


def wanted(engine: str = "own", **options: Any) -> Request:
    return request(14, EIGH, label=(62, 16), engine=engine, **options)


def has_begun(told: Path) -> int:
    """Waits until a slow engine runs; its process."""
    return int(told.read_text())


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_result_arrives_with_its_tag_on_the_layouts_thread(process: LayoutProcess, inbox: Inbox) -> None:
    process.submit(wanted(), tag="first")
    tag, result, thread = inbox.next()
    assert (tag, result.engine, result.note, thread) == ("first", "own", "", "gradviz-layout")


def test_a_second_request_finds_the_same_child_unless_it_has_grown_large(process: LayoutProcess, inbox: Inbox) -> None:
    children = []
    for turn, count in enumerate((2, 2, 20_001, 2)):
        process.submit(request(count, [(0, 1)], engine="naming"), turn)
        tag, result, _ = inbox.next()
        assert tag == turn
        children.append(result.note)
    assert children[0] == children[1] == children[2] != children[3]


def test_a_newer_request_replaces_an_older_one(process: LayoutProcess, inbox: Inbox, told: Path) -> None:
    # GIVEN a request that would never end
    process.submit(wanted("slow"), "old")
    pid = has_begun(told)
    # WHEN another is submitted
    process.submit(wanted(), "new")
    # THEN only that one reports, and the first's child is gone
    assert inbox.next()[0] == "new"
    process.close()
    assert inbox.empty()
    assert not is_alive(pid)


def test_a_cancelled_request_never_reports(process: LayoutProcess, inbox: Inbox, told: Path) -> None:
    process.submit(wanted("slow"), "old")
    pid = has_begun(told)
    assert process.busy
    process.cancel()
    assert not process.busy
    process.submit(wanted(), "new")
    assert inbox.next()[0] == "new"
    process.close()
    assert inbox.empty()
    assert not is_alive(pid)


def test_after_the_time_limit_the_simple_layout_takes_over(process: LayoutProcess, inbox: Inbox, told: Path) -> None:
    listening = os.open(told, os.O_RDONLY | os.O_NONBLOCK)  # the engine isn't held up, started in time or not
    process.submit(wanted("slow", time_limit=3.0), "late")
    tag, result, _ = inbox.next()
    os.close(listening)
    assert (tag, result.engine) == ("late", "simple")
    assert result.note == "Arranging took over 3 s, so the simple layout took over."


def test_after_a_crash_the_simple_layout_takes_over(process: LayoutProcess, inbox: Inbox) -> None:
    process.submit(wanted("crash"), "crashed")
    tag, result, _ = inbox.next()
    assert (tag, result.engine) == ("crashed", "simple")
    assert "ended before it had finished" in result.note
    # AND the next request is served as if nothing had been
    process.submit(wanted(), "after")
    assert inbox.next()[1].engine == "own"


def test_what_an_engine_prints_does_not_get_into_the_answer(process: LayoutProcess, inbox: Inbox) -> None:
    process.submit(wanted("printing"))
    assert inbox.next()[1].engine == "printing"


def test_closing_ends_a_running_child(inbox: Inbox, told: Path) -> None:
    process = LayoutProcess(inbox, [sys.executable, "-c", WORKER, str(ROOT), str(told)])
    process.submit(wanted("slow"))
    pid = has_begun(told)
    process.close()
    assert not is_alive(pid)
    assert inbox.empty()
    with pytest.raises(RuntimeError):
        process.submit(wanted())


def test_without_a_callback_results_are_polled() -> None:
    with LayoutProcess() as process:
        assert process.poll() is None
        process.submit(wanted(), "only")
        process.wait()
        polled = process.poll()
        assert polled is not None
        assert polled[0] == "only"
        assert process.poll() is None


def test_no_child_to_be_had_at_all(inbox: Inbox, tmp_path: Path) -> None:
    with LayoutProcess(inbox, [str(tmp_path / "no such program")]) as process:
        process.submit(wanted())
        assert inbox.next()[1].engine == "simple"


def test_arranging_and_waiting() -> None:
    result = arrange(wanted(wrap=True, viewport=(760.0, 470.0)))
    assert result.engine == "own"
    assert result.width < 760


def test_arranging_what_cannot_be_arranged_is_an_error() -> None:
    with pytest.raises(ValueError, match="ends at no node"):
        arrange(request(2, [(0, 7)]))


@posix_only
def test_a_child_ends_when_the_app_is_killed(told: Path) -> None:
    # GIVEN an app whose layout runs and runs
    app = """
        import sys
        from gradviz.layout import LayoutProcess
        from tests.unit.layout.graphs import request
        process = LayoutProcess(command=sys.argv[1:])
        process.submit(request(2, [(0, 1)], engine="slow", time_limit=600.0))
        process.wait()
    """
    command = [sys.executable, "-c", textwrap.dedent(app), sys.executable, "-c", WORKER, str(ROOT), str(told)]
    parent = subprocess.Popen(command, cwd=ROOT)
    pid = has_begun(told)
    watch = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    # WHEN the app is killed, and can't tell anybody
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    # THEN the layout's process ends by itself
    if watch is None:
        pytest.skip("no way to wait for a process that isn't ours")
    import select

    assert select.select([watch], [], [], PATIENCE)[0] == [watch]
    os.close(watch)


def test_the_child_imports_neither_qt_nor_a_framework() -> None:
    code = "import sys, gradviz.layout.worker; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"PySide6", "shiboken6", "torch", "autograd", "tensorflow", "pyqtgraph"} & set(done.stdout.split())


def test_the_app_side_imports_no_networkx() -> None:
    code = "import sys, gradviz.layout; print('networkx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_killing_twice_and_after_the_end_is_no_error() -> None:
    child = Child([sys.executable, "-c", ""])
    child.kill()
    child.reap()
    child.kill()
    assert not child.alive()
