"""The disk is full where the recording is made: how the script ended is told all the same, and nothing stays there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.trace.reader import Trace
from tests.process.slope import SLOPE
from tests.source_imports import ROOT
from tests.transparency import GUARD_SECONDS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="not on this platform: limits of a process")

SCRIPT = SLOPE + "for times in range(1, 60):\n    slope(times)\n"
# The limit is the recorder's and its supervisor's alike: SQLite's log reaches it as it would the end of a disk.
COMMAND = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)); "
    "from gradviz.cli.main import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.parametrize(
    ("end", "status", "exit_code"), [("print('done')", "ok", 0), ("raise SystemExit(4)", "exited", 4)]
)
def test_a_full_disk_hides_nothing_of_how_the_script_ended(
    end: str, status: str, exit_code: int, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT + end, encoding="utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(temporary),
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "check", "--json", "script.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=GUARD_SECONDS,
    )

    report = json.loads(done.stdout)
    assert (report["status"], report["exit_code"]) == (status, exit_code)
    assert b"The recording ends early" in done.stderr
    assert list(temporary.iterdir()) == []
    with Trace(Path(report["trace"])) as trace:
        assert trace.run().status == status
        assert 1 <= len(trace.passes()) < 59
