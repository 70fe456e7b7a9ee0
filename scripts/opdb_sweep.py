"""Sweeps torch's own table of operators: no false alarm, the same gradients bit for bit, every node with a line.

    .venv/bin/python scripts/opdb_sweep.py [--only PATTERN] [--samples N] [--jobs N] [--chunk N] [--json]

Every operator with autograd runs on its samples in float64, forward and backward: bare, bare again, and recorded. Each
recording is read and diagnosed. A non-finite-gradient finding is right exactly where the bare gradients aren't finite,
and zero-gradient only where a bare gradient is zero throughout; any other finding at warning or above is a false alarm.
Where two bare runs differ there are no numbers to compare with. Exit status 1 when anything is wrong.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from opdb_verdict import Verdict

LONGEST = 900.0  # seconds for one operator; its samples may be hundreds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="operators by name, such as 'linalg.*'")
    parser.add_argument("--samples", type=int, default=None, help="most samples of an operator (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--chunk", type=int, default=30, help="operators in one process")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON and nothing else")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        _work(json.load(sys.stdin), options.samples)
        return 0
    names = [name for name in _names() if fnmatch.fnmatch(name, options.only)]
    if not names:
        print(f"opdb_sweep.py: no operator is called {options.only}", file=sys.stderr)
        return 2
    chunks = [names[start : start + options.chunk] for start in range(0, len(names), options.chunk)]
    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda chunk: list(_in_own_process(chunk, options.samples)), chunks):
            verdicts += found
            if not options.json:
                print("\n".join(line_of(verdict) for verdict in found), flush=True)
    if options.json:
        json.dump(
            {"summary": summary(verdicts), "operators": [asdict(each) for each in verdicts]}, sys.stdout, indent=1
        )
    else:
        print("\n".join(report(verdicts)))
    return 0 if all(verdict.holds for verdict in verdicts) else 1


def line_of(verdict: Verdict) -> str:
    """One operator for a person."""
    about = f"{verdict.samples:4} samples {verdict.nodes:6} nodes {verdict.seconds:6.1f} s"
    more = [f"{verdict.non_finite} non-finite"] if verdict.non_finite else []
    more += [f"{verdict.unrepeatable} not repeatable bare"] if verdict.unrepeatable else []
    more += [f"{sum(verdict.skipped.values())} skipped"] if verdict.skipped else []
    return f"{'ok  ' if verdict.holds else 'FAIL'} {verdict.op:<60} {about}  {', '.join(more)}".rstrip()


def summary(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """The sums over all operators."""
    numbers = ("samples", "non_finite", "zero", "unrepeatable", "passes", "nodes")
    lists = ("alarms", "missed", "differences", "unmapped", "faults")
    return {
        "operators": len(verdicts),
        "recorded": sum(verdict.samples > 0 for verdict in verdicts),
        **{name: sum(getattr(verdict, name) for verdict in verdicts) for name in numbers},
        "skipped": sum(sum(verdict.skipped.values()) for verdict in verdicts),
        **{name: sum(len(getattr(verdict, name)) for verdict in verdicts) for name in lists},
    }


def report(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Why samples were skipped, what failed, and the sums."""
    reasons: Counter[str] = Counter()
    for verdict in verdicts:
        reasons.update(verdict.skipped)
    if reasons:
        yield "\nskipped samples, by reason:"
        yield from (f"{count:6}  {reason}" for reason, count in reasons.most_common())
    loose = [verdict.op for verdict in verdicts if verdict.unrepeatable]
    if loose:
        yield f"\ntwo bare runs differ, so numbers weren't compared, in some samples of: {', '.join(loose)}"
    failed = [verdict for verdict in verdicts if not verdict.holds]
    if failed:
        yield "\nwhat failed:"
    for verdict in failed:
        for kind in ("alarms", "missed", "differences", "unmapped", "faults"):
            for text, count in Counter(getattr(verdict, kind)).most_common(5):
                yield f"  {verdict.op:<44} {kind:<11} {text}{f'  ({count} times)' if count > 1 else ''}"
    sums = summary(verdicts)
    yield "\n" + ", ".join(f"{name.replace('_', '-')} {number}" for name, number in sums.items())


def _names() -> list[str]:
    """Asked of a process of its own: this one stays without torch."""
    code = "import json, opdb_operators as o; print(json.dumps([o.name_of(op) for op in o.operators()]))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True, check=True
    )
    return list(dict.fromkeys(json.loads(done.stdout.splitlines()[-1])))


def _in_own_process(names: Sequence[str], samples: int | None) -> Iterator[Verdict]:
    """The verdicts of some operators. Where the process dies, the one that it was at has failed; another goes on."""
    left = list(names)
    while left:
        ended = ""
        command = [sys.executable, str(Path(__file__).resolve()), "--worker"]
        command += ["--samples", str(samples)] if samples is not None else []
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(left))
            process.stdin.close()
            limit = threading.Timer(LONGEST, process.kill)
            limit.start()
            for line in process.stdout:
                if line.startswith('{"op"'):
                    verdict = Verdict.of(json.loads(line))
                    left.remove(verdict.op)
                    yield verdict
                    limit.cancel()
                    limit = threading.Timer(LONGEST, process.kill)
                    limit.start()
            limit.cancel()
        if left:
            code = process.returncode
            ended = signal.Signals(-code).name if code < 0 else f"status {code}"
            yield Verdict(left.pop(0), faults=[f"its process ended with {ended}"])


def _work(names: Sequence[str], samples: int | None) -> None:
    """Check operators in this process, a line of JSON for each."""
    import torch
    from opdb_check import check
    from opdb_operators import name_of, operators

    torch.set_num_threads(1)  # sums in one order
    wanted = {name_of(op): op for op in operators()}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            print("\n" + json.dumps(asdict(check(wanted[name], Path(folder), samples))), flush=True)


if __name__ == "__main__":
    sys.exit(main())
