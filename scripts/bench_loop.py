"""What a long training loop costs: a thousand passes of one structure, recorded and bare, and the file they leave.

The first pass is written, the others are looked at and counted. A process that has recorded before is timed, so that
the first pass pays for what the recording learns and writes, not for imports. Processor time of each pass: another
program that takes the processor for a moment would make that pass dear, whichever it is.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from bench_measure import Measured, Wanted, interleave, median_of
from torch import nn

import gradviz

PASSES, FEW = 1000, 10
EARLY, LATE = slice(1, 101), slice(900, 1000)  # passes
WIDTH, LAYERS, BATCH = 16, 4, 8  # all overhead: the least work that a pass could be measured against


@dataclass
class Loop:
    """Runs the loop, bare or recorded, and keeps what each pass took."""

    file: Path
    taken: list[list[float]]

    def run(self, passes: int, surrounding: AbstractContextManager[object]) -> float:
        """Seconds for all passes."""
        torch.manual_seed(0)
        layers = [layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.Tanh())]
        model = nn.Sequential(*layers, nn.Linear(WIDTH, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        batch = torch.randn(BATCH, WIDTH)
        gc.collect()  # what the last variant left behind is not this one's cost
        taken = []
        with surrounding:
            for _ in range(passes):
                start = time.process_time()
                loss = (model(batch) ** 2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                taken.append(time.process_time() - start)
        self.taken.append(taken)
        return sum(taken)

    def recorded(self, passes: int) -> float:
        """The same with a recording into a new file."""
        self.file.unlink(missing_ok=True)
        return self.run(passes, gradviz.recording(self.file))


def rows(rounds: int, wanted: Wanted) -> list[Measured]:
    """Cost of late passes against the first and against early ones, and how the file grows."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        loop = Loop(Path(folder) / "loop.gradviz", [])
        growth = _file_growth(loop)  # and warm by then: imports, the allocator, the first file
        if not any(wanted(f"recorder.loop.{name}") for name in ("later_vs_first", "dearest_vs_first", "drift")):
            return [growth]
        bare, recorded = Loop(loop.file, []), Loop(loop.file, [])
        bare.run(FEW, nullcontext())
        bare.taken.clear()
        variants = {"bare": partial(bare.run, PASSES, nullcontext()), "recorded": partial(recorded.recorded, PASSES)}
        interleave(variants, rounds)
    return [
        median_of("recorder.loop.later_vs_first", "×", _ratios(recorded.taken, bare.taken, LATE, slice(0, 1))),
        _dearest(recorded.taken),
        median_of("recorder.loop.drift", "×", _ratios(recorded.taken, bare.taken, LATE, EARLY)),
        median_of("recorder.loop.pass", "×", [_cost(*each, LATE) for each in zip(recorded.taken, bare.taken)]),
        growth,
    ]


def _file_growth(loop: Loop) -> Measured:
    """Bytes after all passes / after few."""
    sizes = []
    for passes in (FEW, PASSES):
        loop.recorded(passes)
        sizes.append(loop.file.stat().st_size)
    return Measured("recorder.loop.file_growth", sizes[1] / sizes[0], "×")


def _ratios(
    recorded: Sequence[Sequence[float]], bare: Sequence[Sequence[float]], those: slice, others: slice
) -> list[float]:
    """By round: what recording makes of `those` passes / what it makes of the others."""
    return [_cost(ours, base, those) / _cost(ours, base, others) for ours, base in zip(recorded, bare)]


def _cost(ours: Sequence[float], base: Sequence[float], passes: slice) -> float:
    """Recorded / bare, by the median of these passes."""
    return statistics.median(ours[passes]) / statistics.median(base[passes])


def _dearest(recorded: Sequence[Sequence[float]]) -> Measured:
    """The dearest pass after the first / the first, each by its median over the rounds: what makes one pass of the loop
    dear is found, what falls on another pass in each round is noise.
    """
    first, *later = [statistics.median(times) for times in zip(*recorded)]
    return Measured("recorder.loop.dearest_vs_first", max(later) / first, "×")
