"""The supervisor: streams, input, stopping, timeouts, floods, sudden deaths, and where the recording ends up."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Outcome, Stdin, Supervisor
from gradviz.errors import NotStartedError

GUARD_SECONDS = 60.0  # only against a test that hangs
posix = pytest.mark.skipif(os.name == "nt", reason="not on this platform: POSIX signals")


class Run:
    """A script under the supervisor, with what it printed so far."""

    def __init__(self, folder: Path, source: str, stdin: Stdin = Stdin.NONE, **options: Any) -> None:
        (folder / "script.py").write_text(source, encoding="utf-8")
        self.trace = options.pop("trace", folder / "run.gradviz")
        self.stdout, self.stderr = bytearray(), bytearray()
        self._line = threading.Event()
        request = RunRequest(Target("script", "script.py"), sys.executable, folder, self.trace, **options)
        self.supervisor = Supervisor(request, stdin=stdin, on_output=self._received)
        self.supervisor.start()

    def _received(self, stream: str, chunk: bytes) -> None:
        (self.stdout if stream == "stdout" else self.stderr).extend(chunk)
        if stream == "stdout" and b"\n" in self.stdout:
            self._line.set()

    def first_line(self) -> str:
        assert self._line.wait(GUARD_SECONDS), "it printed nothing"
        return self.stdout.decode().splitlines()[0]

    def end(self) -> Outcome:
        outcome = self.supervisor.wait(GUARD_SECONDS)
        assert outcome is not None, "it hangs"
        return outcome

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self.end().trace}?immutable=1", uri=True)) as connection:
            return connection.execute(question).fetchall()


@posix
def test_a_temporary_folder_too_deep_for_a_socket_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("a folder with a long name " * 5).strip()
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))

    run = Run(tmp_path, "print(input('?'))", Stdin.TYPED)
    run.supervisor.write_input(b"told\n")
    outcome = run.end()

    assert (outcome.status, outcome.exit_code) == ("ok", 0)
    assert b"told" in run.stdout and list(deep.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "status", "exit_code"),
    [
        ("print('x')", "ok", 0),
        ("1 / 0", "raised", 1),
        ("import sys; sys.exit(3)", "exited", 3),
        ("import sys; sys.exit(0)", "ok", 0),
        ("import os; os._exit(5)", "exited", 5),
        ("import threading; t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()", "ok", 0),
        ("def f(:", "raised", 1),
    ],
)
def test_the_outcome_tells_how_it_ended(source: str, status: str, exit_code: int, tmp_path: Path) -> None:
    run = Run(tmp_path, source)

    outcome = run.end()

    assert (outcome.status, outcome.exit_code, outcome.signal) == (status, exit_code, None)
    assert run.rows("SELECT status, exit_code, signal FROM run") == [(status, exit_code, None)]


@posix
def test_death_by_signal_is_told(tmp_path: Path) -> None:
    run = Run(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")

    outcome = run.end()

    assert (outcome.status, outcome.exit_code, outcome.signal) == ("killed", None, 9)


@posix
def test_an_interrupt_that_nobody_caught_is_an_error(tmp_path: Path) -> None:
    outcome = Run(tmp_path, "raise KeyboardInterrupt").end()

    assert (outcome.status, outcome.exit_code, outcome.signal) == ("raised", None, 2)


@posix
def test_a_recorder_that_does_not_start_is_our_fault(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho first >&2\necho 'it is broken' >&2\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "script.py").write_text("", encoding="utf-8")
    request = RunRequest(Target("script", "script.py"), str(python), tmp_path, tmp_path / "run.gradviz")
    supervisor = Supervisor(request)
    supervisor.start()
    outcome = supervisor.wait(GUARD_SECONDS)

    assert outcome is not None
    assert (outcome.status, outcome.own_fault) == ("not-run", True)
    assert outcome.trouble == f"gradviz's recorder did not start under {python}: it is broken"


def test_the_recording_is_one_whole_file(tmp_path: Path) -> None:
    run = Run(tmp_path, "print('hello')")

    outcome = run.end()

    assert outcome.trace == tmp_path / "run.gradviz"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.gradviz", "script.py"]
    assert run.rows("PRAGMA journal_mode") == [("delete",)]
    assert run.rows("PRAGMA integrity_check") == [("ok",)]
    assert run.rows("SELECT stream, data FROM output") == [("stdout", b"hello\n")]
    assert not run.supervisor.trace.parent.name.startswith("gradviz-")


def test_the_trace_can_be_read_while_it_grows(tmp_path: Path) -> None:
    run = Run(tmp_path, "print('ready', flush=True)\ninput()", Stdin.TYPED)
    run.first_line()

    with closing(sqlite3.connect(run.supervisor.trace)) as connection:
        status = connection.execute("SELECT status, target FROM run").fetchone()
    run.supervisor.write_input(b"\n")

    assert status == ("recording", "script.py")
    assert run.end().status == "ok"


def test_input_is_typed_and_ends(tmp_path: Path) -> None:
    run = Run(tmp_path, "print(input(), flush=True)\nprint(input())", Stdin.TYPED)

    run.supervisor.write_input(b"first\n")
    assert run.first_line() == "first"
    run.supervisor.close_input()

    assert run.end().status == "raised"
    assert b"EOFError" in run.stderr


@posix
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="not on this platform: no /proc")
def test_waiting_for_input_is_seen(tmp_path: Path) -> None:
    run = Run(tmp_path, "print('go', flush=True)\ninput()\nprint('went on')", Stdin.TYPED)
    run.first_line()

    waited = eventually(run.supervisor.waits_for_input)
    run.supervisor.write_input(b"\n")

    assert waited
    assert run.end().status == "ok"
    assert not run.supervisor.waits_for_input()


def test_stop_ends_a_script_in_its_own_way(tmp_path: Path) -> None:
    run = Run(
        tmp_path, "import time\ntry:\n    print('x', flush=True)\n    time.sleep(600)\nfinally:\n    print('tidied')"
    )
    run.first_line()

    run.supervisor.stop()
    outcome = run.end()

    assert outcome.status == "stopped"
    assert b"tidied" in run.stdout
    assert b"KeyboardInterrupt" in run.stderr


STUBBORN = """
import multiprocessing, os, signal, time
def work(pipe):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    pipe.send(os.getpid())
    time.sleep(600)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    here, there = multiprocessing.Pipe()
    multiprocessing.get_context("fork").Process(target=work, args=(there,)).start()
    print(here.recv(), flush=True)
    while True:
        pass
"""


@posix
def test_stop_ends_the_whole_tree_within_a_second(tmp_path: Path) -> None:
    run = Run(tmp_path, STUBBORN)
    worker = int(run.first_line())

    run.supervisor.stop()
    outcome = run.supervisor.wait(1.0 + closing_slack())

    assert outcome is not None
    assert outcome.status == "stopped"
    assert not alive(worker)


@posix
def test_a_timeout_ends_it_and_says_so(tmp_path: Path) -> None:
    run = Run(tmp_path, STUBBORN, timeout=2.0)

    outcome = run.end()

    assert outcome.status == "timeout"
    assert not alive(int(run.first_line()))


def test_a_flood_is_kept_at_both_ends(tmp_path: Path) -> None:
    lines = 1_000_000
    run = Run(tmp_path, f"import sys\nfor n in range({lines}):\n    sys.stdout.buffer.write(b'%099d\\n' % n)")

    assert run.end().status == "ok"
    assert len(run.stdout) == 100 * lines
    kept = b"".join(data for (data,) in run.rows("SELECT data FROM output ORDER BY id"))
    (dropped,) = run.rows("SELECT dropped_output FROM run")[0]
    assert len(kept) + dropped == 100 * lines
    assert len(kept) == 2 << 20
    assert kept.startswith(b"%099d\n" % 0)
    assert kept.endswith(b"%099d\n" % (lines - 1))


def test_output_that_nobody_can_decode_passes_as_it_is(tmp_path: Path) -> None:
    run = Run(tmp_path, "import sys\nsys.stdout.buffer.write(bytes(range(256)))")

    run.end()

    assert bytes(run.stdout) == bytes(range(256))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"interpreter": "/nowhere/python"}, "/nowhere/python can't be started"),
        ({"cwd": Path("/nowhere")}, "no folder /nowhere"),
        ({"target": Target("script", "other.py")}, "no file"),
        ({"target": Target("script", ".")}, "is a folder"),
        ({"target": Target("module", "a-b")}, "no module name"),
        ({"level": "all"}, "level"),
        ({"passes": "most"}, "--passes"),
        ({"trace": Path("/nowhere/run.gradviz")}, "no folder /nowhere"),
    ],
)
def test_what_cannot_start_says_why(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("", encoding="utf-8")
    wish: dict[str, Any] = {
        "target": Target("script", "script.py"),
        "interpreter": sys.executable,
        "cwd": tmp_path,
        "trace": tmp_path / "run.gradviz",
        **change,
    }

    with pytest.raises(NotStartedError) as caught:
        Supervisor(RunRequest(**wish)).start()

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_disk_that_fills_meanwhile_leaves_the_recording_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    run = Run(tmp_path, "input()", Stdin.TYPED)
    monkeypatch.setattr(Path, "replace", full)

    run.supervisor.write_input(b"\n")
    outcome = run.end()

    assert "no space left on device" in outcome.trouble
    assert str(outcome.trace) in outcome.trouble
    assert run.rows("SELECT status FROM run") == [("ok",)]


def test_another_file_system_is_copied_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.replace

    def elsewhere(self: Path, target: Path) -> Path:
        if self.parent != Path(target).parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(self, target)

    run = Run(tmp_path, "input()", Stdin.TYPED)
    monkeypatch.setattr(Path, "replace", elsewhere)

    run.supervisor.write_input(b"\n")

    assert run.end().trace == tmp_path / "run.gradviz"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.gradviz", "script.py"]


APP = """
import sys
from pathlib import Path
from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Supervisor
folder = Path(sys.argv[1])
request = RunRequest(Target("script", "script.py"), sys.executable, folder, folder / "run.gradviz")
supervisor = Supervisor(request, on_output=lambda stream, chunk: print(chunk.decode(), end="", flush=True))
supervisor.start()
supervisor.wait()
"""


@posix
def test_the_script_ends_when_the_app_does(tmp_path: Path) -> None:
    source = "import os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint(os.getpid(), flush=True)\n"
    (tmp_path / "script.py").write_text(source + "time.sleep(600)\n", encoding="utf-8")
    command = [sys.executable, "-c", APP, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        script = int(app.stdout.readline())

        app.kill()

    assert eventually(lambda: not alive(script))


def alive(pid: int) -> bool:
    """Whether the process still runs; one that has ended and waits to be collected doesn't."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold, looked at again and again."""
    ticks = threading.Event()
    return any(holds() or ticks.wait(0.01) for _ in range(int(GUARD_SECONDS * 100)))


def closing_slack() -> float:
    """A machine under load may be slow to close the file; the promise is about the script."""
    return 4.0
