"""Runs a script bare and recorded, in equal surroundings, so that a test can compare all that can be seen of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Outcome, Stdin, Supervisor
from tests.source_imports import ROOT

DUMP_FOLDER = ROOT / "tests" / "data" / "state_dump"
GUARD_SECONDS = 240.0  # only against a test that hangs


@dataclass(frozen=True)
class Seen:
    """What can be seen of a run from outside, and what it computed and drew at random."""

    stdout: bytes
    stderr: bytes
    exit_code: int  # negative: the signal that ended it
    state: str


@dataclass(frozen=True)
class Recorded:
    """The same of a recorded run, and how it ended."""

    seen: Seen
    outcome: Outcome


def run_bare(
    target: Target, folder: Path, arguments: Sequence[str] = (), stdin: bytes = b"", python: str = sys.executable
) -> Seen:
    """`python SCRIPT ARGS` in `folder`."""
    dump, environment = _surroundings("bare")
    command = ["-m", target.given] if target.kind == "module" else [target.given]
    done = subprocess.run(
        [python, *command, *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        timeout=GUARD_SECONDS,
    )
    return Seen(done.stdout, done.stderr, done.returncode, _read(dump))


def run_recorded(
    target: Target,
    folder: Path,
    trace: Path,
    arguments: Sequence[str] = (),
    stdin: bytes = b"",
    python: str = sys.executable,
    level: str = "summaries",
) -> Recorded:
    """The same under the recorder."""
    dump, environment = _surroundings("recorded")
    chunks: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    request = RunRequest(
        target, python, folder, trace, arguments=tuple(arguments), level=level, environment=environment
    )
    supervisor = Supervisor(
        request,
        stdin=Stdin.TYPED if stdin else Stdin.NONE,
        on_output=lambda stream, chunk: chunks[stream].append(chunk),
    )
    supervisor.start()
    if stdin:
        threading.Thread(target=_type, args=(supervisor, stdin), daemon=True).start()
    outcome = supervisor.wait(GUARD_SECONDS)
    assert outcome is not None, "it hangs"
    code = outcome.exit_code if outcome.exit_code is not None else -(outcome.signal or 0)
    return Recorded(Seen(b"".join(chunks["stdout"]), b"".join(chunks["stderr"]), code, _read(dump)), outcome)


def assert_same(bare: Seen, recorded: Seen) -> None:
    """Stream by stream, so that a difference shows where it is."""
    assert comparable(recorded.stderr) == comparable(bare.stderr)
    assert comparable(recorded.stdout) == comparable(bare.stdout)
    assert recorded.exit_code == bare.exit_code
    assert recorded.state == bare.state


def comparable(output: bytes) -> str:
    """Without what differs between any two runs: addresses in memory, process numbers."""
    text = output.decode("utf-8", "backslashreplace")
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", text)
    return re.sub(r"(?<=pid\(s\) )[\d, ]+|(?<=pid )\d+|(?<=pid=)\d+", "…", text)


def _surroundings(name: str) -> tuple[Path, Mapping[str, str]]:
    dump = Path(tempfile.gettempdir(), f"gradviz-test-{name}-{os.getpid()}-{threading.get_ident()}.state")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    paths = [str(DUMP_FOLDER), *filter(None, [environment.get("PYTHONPATH")])]
    environment.update(STATE_DUMP=str(dump), PYTHONPATH=os.pathsep.join(paths), PYTHONHASHSEED="0")
    return dump, environment


def _read(dump: Path) -> str:
    if not dump.exists():
        return ""
    state = dump.read_text(encoding="utf-8")
    dump.unlink()
    return state


def _type(supervisor: Supervisor, data: bytes) -> None:
    supervisor.write_input(data)
    supervisor.close_input()
