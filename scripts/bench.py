"""Measures speed and size side by side with the peers, and holds them to the bounds in bench_rows.json.

    .venv/bin/python scripts/bench.py [--json] [--only PATTERN] [--rounds N]

Needs the peers: pip install -e .[torch,bench]. Exit status 1 when a row is over its bound, or missing.
"""

from __future__ import annotations

import argparse
import fnmatch
import inspect
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from bench_measure import Measured

SCRIPTS = Path(__file__).resolve().parent
ROWS = SCRIPTS / "bench_rows.json"


@dataclass(frozen=True)
class Wish:
    """A row that has to be there: which module measures it, and what it must not exceed (None: for information)."""

    name: str
    module: str
    unit: str
    bound: float | None
    about: str


@dataclass(frozen=True)
class Row:
    """A row of the table. A row that was wished for and not measured has no value and doesn't hold."""

    name: str
    value: float | None
    unit: str
    bound: float | None
    holds: bool
    spread: tuple[float, float] | None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print a JSON list of rows and nothing else")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="rows by name, such as 'recorder.*'")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each measurement (default 15)")
    parser.add_argument("--measure", nargs=2, metavar=("MODULE", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        _measure(options.measure[0], Path(options.measure[1]), options.only, options.rounds)
        return 0
    wishes = [wish for wish in read_wishes() if fnmatch.fnmatch(wish.name, options.only)]
    if not wishes:
        print(f"bench.py: no row is called {options.only}", file=sys.stderr)
        return 2
    measured: list[Measured] = []
    for module in dict.fromkeys(wish.module for wish in wishes):
        print(f"measuring {module} …", file=sys.stderr, flush=True)
        measured += _in_own_process(module, options.only, options.rounds)
    rows = judge(wishes, measured)
    if options.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1))
    else:
        print(table(rows, {wish.name: wish.about for wish in wishes}))
    return 0 if all(row.holds for row in rows) else 1


def read_wishes() -> list[Wish]:
    """The rows of bench_rows.json, in its order."""
    return [Wish(**entry) for entry in json.loads(ROWS.read_text(encoding="utf-8"))]


def judge(wishes: list[Wish], measured: list[Measured]) -> list[Row]:
    """Each wished row with its value and verdict, then what was measured beside them, for information."""
    found = {row.name: row for row in measured}
    rows = []
    for wish in wishes:
        row = found.pop(wish.name, None)
        if row is None:
            rows.append(Row(wish.name, None, wish.unit, wish.bound, False, None))
        else:
            holds = wish.bound is None or row.value <= wish.bound
            rows.append(Row(wish.name, row.value, wish.unit, wish.bound, holds, row.spread))
    rows += [Row(row.name, row.value, row.unit, None, True, row.spread) for row in found.values()]
    return rows


def table(rows: list[Row], about: dict[str, str]) -> str:
    """The rows for a person: value, quartiles, bound and verdict, one line each."""
    width = max(len(row.name) for row in rows)
    lines = [f"{'row':<{width}}  {'value':>10}  {'quartiles':>17}  {'bound':>8}  "]
    for row in rows:
        value = "missing" if row.value is None else f"{_short(row.value)} {row.unit}"
        spread = "" if row.spread is None else f"{_short(row.spread[0])} – {_short(row.spread[1])}"
        bound = "" if row.bound is None else f"≤ {_short(row.bound)}"
        verdict = "" if row.bound is None and row.holds else ("holds" if row.holds else "SHORT")
        lines.append(
            f"{row.name:<{width}}  {value:>10}  {spread:>17}  {bound:>8}  {verdict:<5}  {about.get(row.name, '')}"
        )
    short = sum(not row.holds for row in rows)
    lines.append(f"{len(rows)} rows, {short} short" if short else f"{len(rows)} rows, all bounds held")
    return "\n".join(line.rstrip() for line in lines)


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _in_own_process(module: str, only: str, rounds: int) -> list[Measured]:
    """One module's rows. Each runs in a process of its own: none inherits another's memory, threads or imports."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "rows.json"
        command = [sys.executable, str(SCRIPTS / "bench.py"), "--only", only, "--rounds", str(rounds)]
        command += ["--measure", module, str(result)]
        done = subprocess.run(command, stdout=sys.stderr.fileno())
        if done.returncode != 0 or not result.exists():
            print(f"bench.py: {module} ended with {done.returncode}; its rows are missing", file=sys.stderr)
            return []
        return [Measured(**row) for row in json.loads(result.read_text(encoding="utf-8"))]


def _measure(module: str, result: Path, only: str, rounds: int) -> None:
    measure = import_module(module).rows
    arguments = [lambda name: fnmatch.fnmatch(name, only)] if len(inspect.signature(measure).parameters) > 1 else []
    rows = [row for row in measure(rounds, *arguments) if fnmatch.fnmatch(row.name, only)]
    result.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
