"""A program may close every descriptor above 2, as daemons do; the numbers are its own from then on."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Stdin, Supervisor
from gradviz.trace.reader import Trace
from tests.process.slope import SLOPE
from tests.transparency import GUARD_SECONDS, Recorded, Seen, assert_same, run_bare, run_recorded

pytestmark = pytest.mark.skipif(os.name == "nt", reason="not on this platform: POSIX descriptors")

BEGIN = f"import os, sys{SLOPE}print(slope(1))\n"
TAKE = """
os.closerange(3, 1024)
files = [open(f"taken{number}.txt", "w+b") for number in range(16)]
for each in files:
    each.write(b"A" * 20000)
    each.flush()
"""
USE = """
for times in range(2, 12):
    print(slope(times))
for each in files:
    each.seek(0)
    print(each.name, each.read() == b"A" * 20000)
    each.write(b"flushed when Python ends")
"""
SCRIPTS = {
    "then it ends": BEGIN + "os.closerange(3, 1024)\nprint('closed')\n",
    "then it goes on": BEGIN + TAKE + USE,
    "one after the other": BEGIN
    + "for number in range(3, 64):\n    try: os.close(number)\n    except OSError: pass\n    slope(number % 5)\n"
    + TAKE
    + USE,
    "then it fails": BEGIN + TAKE + USE + "raise ValueError('its own')\n",
    "then a child is forked": BEGIN
    + TAKE
    + "child = os.fork()\nif child == 0:\n    os._exit(0)\nos.waitpid(child, 0)\n"
    + USE,
    "a daemon does so": BEGIN
    + "sys.stdout.flush()\nif os.fork() > 0:\n    os.wait()\n    print(slope(3))\n    sys.exit()\n"
    + TAKE
    + USE,
    "a thread's channel is gone": BEGIN
    + "import threading\nos.closerange(3, 1024)\nt = threading.Thread(target=slope, args=(4,))\nt.start()\nt.join()\n",
}


def both(script: str, folder: Path) -> tuple[Seen, Recorded, list[dict[str, bytes]]]:
    """Run bare and recorded in the same folder; with the files that each made there."""
    work, target = folder / "work", Target("script", "script.py")
    work.mkdir()
    (work / "script.py").write_text(script, encoding="utf-8")
    bare = run_bare(target, work)
    files = taken(work)
    recorded = run_recorded(target, work, folder / "run.gradviz")
    return bare, recorded, [files, taken(work)]


def taken(work: Path) -> dict[str, bytes]:
    """The files, which are removed."""
    found = {file.name: file.read_bytes() for file in work.glob("taken*")}
    for name in found:
        (work / name).unlink()
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_and_its_files_are_left_alone(name: str, tmp_path: Path) -> None:
    bare, recorded, (files, files_recorded) = both(SCRIPTS[name], tmp_path)

    assert comparable_files(files_recorded) == comparable_files(files)
    assert_same(bare, recorded.seen)


def comparable_files(files: dict[str, bytes]) -> dict[str, tuple[int, bytes]]:
    """Short enough to be shown where they differ."""
    return {name: (len(data), data[:8] + data[-40:]) for name, data in files.items()}


def test_what_was_written_before_is_kept_and_the_early_end_is_told(tmp_path: Path) -> None:
    _, recorded, _ = both(SCRIPTS["then it goes on"], tmp_path)

    assert recorded.outcome.status == "ok" and recorded.outcome.exit_code == 0
    assert "the program closed the file descriptors" in recorded.outcome.trouble
    with Trace(tmp_path / "run.gradviz") as trace:
        assert trace.run().status == "ok"
        assert len(trace.passes()) >= 1


def test_a_recording_that_was_written_over_ends_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(input('ready'))\nraise SystemExit(3)\n", encoding="utf-8")
    request = RunRequest(Target("script", "script.py"), sys.executable, tmp_path, tmp_path / "run.gradviz")
    is_ready = threading.Event()
    supervisor = Supervisor(request, stdin=Stdin.TYPED, on_output=lambda stream, chunk: is_ready.set())
    supervisor.start()
    working = supervisor.trace
    assert is_ready.wait(GUARD_SECONDS)

    for suffix in ("", "-wal"):
        with Path(f"{working}{suffix}").open("r+b") as file:
            file.write(b"x" * 100_000)
    supervisor.write_input(b"seven\n")
    outcome = supervisor.wait(GUARD_SECONDS)

    assert outcome is not None, "it hangs"
    assert (outcome.status, outcome.exit_code) == ("exited", 3)
    assert outcome.own_fault and outcome.trouble.count(". ") == 0 and outcome.trouble.endswith(".")
    assert not working.parent.exists()
