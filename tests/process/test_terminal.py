"""The command at a terminal: typed lines reach the script, Ctrl+C stops it, closed streams are no fault."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.gradviz_command import gradviz_command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="not on this platform: POSIX terminals and signals")
GUARD_SECONDS = 60.0  # only against a test that hangs


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADVIZ_DATA_HOME", str(tmp_path / "data"))


def started(folder: Path, source: str, stdin: int | None = None) -> subprocess.Popen[bytes]:
    (folder / "script.py").write_text(source, encoding="utf-8")
    command = [gradviz_command(), "check", "script.py"]
    return subprocess.Popen(command, cwd=folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_typed_lines_reach_the_script(tmp_path: Path) -> None:
    keyboard, terminal = os.openpty()
    source = "import sys\nprint(sys.stdin.isatty(), input(), flush=True)\n"
    with started(tmp_path, source, terminal) as command:
        os.write(keyboard, b"typed\n")

        stdout, stderr = command.communicate(timeout=GUARD_SECONDS)
    os.close(keyboard)
    os.close(terminal)

    assert stdout.splitlines()[0] == b"False typed"
    assert (command.returncode, stderr) == (0, b"")  # a keyboard that still waits doesn't hold up the end


def test_control_c_stops_the_script_and_reports(tmp_path: Path) -> None:
    source = "import time\nprint('begun', flush=True)\ntime.sleep(600)\n"
    with started(tmp_path, source) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == b"begun\n"

        command.send_signal(signal.SIGINT)
        stdout, _ = command.communicate(timeout=GUARD_SECONDS)

    assert b"was stopped" in stdout
    assert command.returncode == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_fault(closed: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('x')\n", encoding="utf-8")
    line = f"'{gradviz_command()}' check script.py {closed}"

    done = subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, timeout=GUARD_SECONDS)

    assert done.returncode == 0, done.stderr
