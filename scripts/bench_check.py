"""What `gradviz check` adds to a script's own run time: `python case.py` beside `gradviz check case.py`, in turn.

The cases are spread over the kinds of mistakes and healthy programs. Of each the figure is the median over the rounds
of what one round's check took more than that round's bare run; the row is the median over the cases. Processor time,
own and children's, stands beside it: a loaded machine stretches the clock, and hardly that.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench_measure import Measured, Wanted, interleave, median_of

CASES = Path(__file__).resolve().parent.parent / "tests" / "data" / "cases"
CHOSEN = (
    "b01_mse_column_vs_vector",
    "b09_softmax_over_batch",
    "b13_lstm_batch_first_forgotten",
    "c02_too_few_gradients",
    "c04_transposed_square_weight_silent",
    "d06_item_in_sum",
    "d11_everything_frozen",
    "f01_flatten_linear",
    "f05_unet_odd_size",
    "h05_pairwise_distances",
    "h07_gan_done_right",
    "h11_gradient_penalty_right",
    "i01_unreduced_cross_entropy",
    "k01_hook_returns_other_shape",
    "m31_wide_graph",
)
LIMIT = 120  # seconds; a run that takes longer has failed
ROUNDS = 5  # at most; each is 30 processes


def rows(rounds: int, wanted: Wanted) -> list[Measured]:
    """The clock's row, and the processor's for information."""
    clock, processor = [], []
    with tempfile.TemporaryDirectory() as home:
        for name in CHOSEN:
            script = CASES / f"{name}.py"
            gradviz = str(Path(sys.executable).with_name("gradviz.exe" if os.name == "nt" else "gradviz"))
            taken: dict[str, list[float]] = {"bare": [], "check": []}
            variants = {
                "bare": partial(_run, [sys.executable, str(script)], home, taken["bare"]),
                "check": partial(_run, [gradviz, "check", str(script)], home, taken["check"]),
            }
            variants["check"]()  # warm: file cache, compiled modules
            taken["check"].clear()
            times = interleave(variants, max(2, min(rounds, ROUNDS)))
            clock.append(_more(times["check"], times["bare"]))
            processor.append(_more(taken["check"], taken["bare"]))
            print(f"  {name}: {clock[-1]:.2f} s, processor {processor[-1]:.2f} s", file=sys.stderr, flush=True)
    return [median_of("check.added", "s", clock), median_of("check.added.processor", "s", processor)]


def _more(longer: list[float], bare: list[float]) -> float:
    return statistics.median(one - other for one, other in zip(longer, bare, strict=True))


def _run(command: list[str], home: str, taken: list[float]) -> float:
    """Seconds by the clock; by the processor they are noted in `taken`. How it ends is the case's own matter."""
    environment = {**os.environ, "XDG_DATA_HOME": home, "QT_QPA_PLATFORM": "offscreen"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    subprocess.run(
        command,
        cwd=CASES,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=LIMIT,
        start_new_session=True,  # as check starts the script: Linux shares a busy processor out by sessions
    )
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return seconds
