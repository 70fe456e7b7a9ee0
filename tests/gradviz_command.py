"""Runs the installed `gradviz` command as a person would, and reads the report that it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOUD = frozenset({"error", "warning"})
STATUSES = frozenset({"ok", "raised", "exited", "killed", "timeout", "stopped", "not-run"})


@dataclass(frozen=True)
class Done:
    """How a command ended. `report` reads stdout as the one JSON text that --json promises."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        report = json.loads(self.stdout)
        assert isinstance(report, dict), report
        return report

    @property
    def findings(self) -> list[dict[str, Any]]:
        return list(self.report["findings"])

    @property
    def loud(self) -> list[dict[str, Any]]:
        return [finding for finding in self.findings if finding["severity"] in LOUD]


def gradviz_command() -> str:
    """The `gradviz` that was installed beside the interpreter that runs the tests."""
    return str(Path(sys.executable).with_name("gradviz.exe" if os.name == "nt" else "gradviz"))


def run_gradviz(*arguments: str, cwd: Path, stdin: str = "", timeout: float = 180) -> Done:
    """Run one `gradviz` command to its end. `timeout` only guards the test run against a hanging command."""
    command = [gradviz_command(), *arguments]
    return _run(command, cwd, stdin, timeout)


def run_python(script: Path, *arguments: str, timeout: float = 180) -> Done:
    """Run a script as its author would: plain Python, in its own folder."""
    return _run([sys.executable, str(script), *arguments], script.parent, "", timeout)


def check(script: Path, argv: Sequence[str] = (), stdin: str = "", timeout: float = 180) -> Done:
    """`gradviz check SCRIPT --json -- ARGV`, in the script's own folder."""
    extra = ["--", *argv] if argv else []
    return run_gradviz("check", str(script), "--json", *extra, cwd=script.parent, stdin=stdin, timeout=timeout)


def _run(command: list[str], cwd: Path, stdin: str, timeout: float) -> Done:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=timeout, text=True,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)
