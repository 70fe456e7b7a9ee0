"""HIPS autograd's own tests, run bare and recorded: the same tests pass, and no finding at error but those listed here.

    python scripts/hips_suite.py [--sdist autograd-X.tar.gz] [--only test_numpy,test_dict]

Without --sdist pip fetches the source distribution of the installed version. Exit status 0 when all of it holds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gradviz.trace.reader import Trace

ROOT = Path(__file__).resolve().parent.parent
# Findings at error that are right, with the reason. By test file, rule.
RIGHT: dict[tuple[str, str], str] = {}
NOT_TESTS = {"test_performance", "test_complexity"}  # they compare clocks, which recording changes
SUMMARY = re.compile(r"(?:(\d+) failed)?[, ]*(?:(\d+) passed)?[^\n]* in [\d.]+s")
OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=line", "-W", "ignore")


@dataclass(frozen=True)
class Result:
    """How one test file went."""

    name: str
    bare: str  # what pytest says last, without the time
    recorded: str
    passes: int
    errors: tuple[str, ...]  # findings at error that nothing here explains
    fault: str  # of the recorder itself

    @property
    def holds(self) -> bool:
        return self.bare == self.recorded and not self.errors and not self.fault


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdist", type=Path, help="the source distribution, where it is at hand")
    parser.add_argument("--only", default="", help="names of test files, comma-separated")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tests = unpacked(options.sdist or fetched(Path(folder)), Path(folder))
        wanted = set(filter(None, options.only.split(",")))
        results = []
        for file in sorted(tests.glob("test_*.py")):
            if file.stem not in NOT_TESTS and (not wanted or file.stem in wanted):
                results.append(checked(file, Path(folder)))
                print(told(results[-1]), flush=True)
    bad = [result for result in results if not result.holds]
    print(f"{len(results) - len(bad)} of {len(results)} test files hold, {sum(each.passes for each in results)} passes")
    return 1 if bad or not results else 0


def fetched(folder: Path) -> Path:
    """The source distribution of the installed version."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "autograd"]
    subprocess.run([*command, "--dest", str(folder), f"autograd=={version('autograd')}"], check=True)
    return next(folder.glob("autograd-*.tar.gz"))


def unpacked(archive: Path, folder: Path) -> Path:
    """Its tests alone: the package itself shall be the installed one."""
    with tarfile.open(archive) as packed:
        members = [each for each in packed.getmembers() if "/tests/" in each.name and each.isfile()]
        for member in members:
            member.name = "tests/" + member.name.partition("/tests/")[2]
        packed.extractall(folder, members=members)
    return folder / "tests"


def checked(file: Path, folder: Path) -> Result:
    """Run one test file twice."""
    asked = [*OPTIONS, str(file)]
    bare = subprocess.run(
        [sys.executable, "-m", "pytest", *asked], cwd=folder, capture_output=True, text=True, check=False
    )
    trace = folder / f"{file.stem}.gradviz"
    command = [sys.executable, "-m", "gradviz", "record", "-m", "pytest", "-o", str(trace), "--timeout", "0"]
    recorded = subprocess.run(
        [*command, "--", *asked], cwd=folder, capture_output=True, text=True, check=False, env=_environment()
    )
    report = _report(trace, folder)
    errors = [
        f"{finding['rule']} line {finding['line']} of {Path(finding['file']).name}: {finding['message']}"
        for finding in report.get("findings", ())
        if finding["severity"] == "error" and (file.stem, finding["rule"]) not in RIGHT
    ]
    passes = sum(each["count"] for each in report.get("backwards", ()))
    return Result(file.stem, summary(bare.stdout), summary(recorded.stdout), passes, tuple(errors), fault_in(trace))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _report(trace: Path, folder: Path) -> dict[str, list[dict[str, Any]]]:
    command = [sys.executable, "-m", "gradviz", "check", str(trace), "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=_environment())
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


def fault_in(trace: Path) -> str:
    """The recorder's own first fault."""
    notes = [note.text for note in Trace(trace).notes() if note.kind == "recorder-fault"]
    return notes[0] if notes else ""


def summary(output: str) -> str:
    """The last line that counts tests, without the time."""
    lines = [line for line in output.splitlines() if SUMMARY.search(line) and " in " in line]
    return lines[-1].partition(" in ")[0].strip("= ") if lines else output[-200:]


def told(result: Result) -> str:
    """One line, and one more for each thing that doesn't hold."""
    more: Sequence[str] = [*result.errors[:5], *([result.fault] if result.fault else [])]
    same = "" if result.bare == result.recorded else f", bare {result.bare}"
    head = f"{'ok  ' if result.holds else 'MISS'} {result.name}: {result.recorded}{same}, {result.passes} passes"
    return "\n     ".join([head, *more])


if __name__ == "__main__":
    sys.exit(main())
