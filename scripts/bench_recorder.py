"""What recording costs: a training step recorded, bare, and under the peers, on three nets of very different grain.

Every timed step is a structure that its recording hasn't seen, so that nothing is saved by recognising equal passes.
What the recorder writes to its file, and closing it, is inside the time.
"""

from __future__ import annotations

import gc
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import torch
import torchlens
import torchviz
from bench_measure import Measured, Wanted, embraced, interleave, median_of, ratio_of
from bench_nets import Workload, workloads

import gradviz

PEER_ROUNDS = 3  # for information only, and slow
LEVELS = ("shapes", "summaries")


def rows(rounds: int, wanted: Wanted) -> list[Measured]:
    """All rows of the three nets. Single thread: the figures don't depend on the number of cores."""
    torch.set_num_threads(1)
    measured = []
    for workload in workloads():
        kinds = (*LEVELS, "anomaly", "shapes_vs_anomaly", *workload.peers)
        asked = {kind for kind in kinds if wanted(f"recorder.{workload.name}.{kind}")}
        if asked - set(workload.peers):
            measured += _recorded_rows(workload, rounds * workload.times)
        if asked & set(workload.peers):
            measured += _peer_rows(workload, min(rounds, PEER_ROUNDS))
    return measured


def _recorded_rows(workload: Workload, rounds: int) -> list[Measured]:
    with tempfile.TemporaryDirectory() as folder:
        bare = partial(_timed, workload, nullcontext)
        variants = {"anomaly": partial(_timed, workload, _anomaly)}
        for level in LEVELS:
            variants[level] = partial(_timed, workload, partial(_recording, Path(folder), level))
        for timed in variants.values():  # warm: imports, the allocator, the first file
            timed()
        ratios = embraced(bare, variants, rounds)
    name = f"recorder.{workload.name}"
    measured = [median_of(f"{name}.{kind}", "×", ratios[kind]) for kind in (*LEVELS, "anomaly")]
    return [*measured, ratio_of(f"{name}.shapes_vs_anomaly", ratios["shapes"], ratios["anomaly"])]


def _peer_rows(workload: Workload, rounds: int) -> list[Measured]:
    variants = {"bare": partial(_timed, workload, nullcontext)}
    variants |= {peer: partial(PEERS[peer], workload) for peer in workload.peers}
    variants["bare"]()
    times = interleave(variants, rounds)
    return [ratio_of(f"recorder.{workload.name}.{peer}", times[peer], times["bare"]) for peer in workload.peers]


def _timed(workload: Workload, surrounding: Callable[[], AbstractContextManager[object]]) -> float:
    """Seconds for the workload's steps, from the open recording to the closed file."""
    gc.collect()  # what the last variant left behind is not this one's cost
    with surrounding():
        start = time.perf_counter()
        for number in range(workload.steps):
            workload.step(number)
    return time.perf_counter() - start


def _recording(folder: Path, level: str) -> AbstractContextManager[object]:
    """A recording into a new file; the last one of the same level is gone by then."""
    file = folder / f"{level}.gradviz"
    file.unlink(missing_ok=True)
    recording: AbstractContextManager[object] = gradviz.recording(file, level=level)
    return recording


@contextmanager
def _anomaly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is on, and slow
        with torch.autograd.set_detect_anomaly(True):
            yield


def _torchviz(workload: Workload) -> float:
    start = time.perf_counter()
    for number in range(workload.steps):
        loss = workload.forward(number)
        torchviz.make_dot(loss, params=dict(workload.model.named_parameters()))
        loss.backward()
    return time.perf_counter() - start


def _torchlens(workload: Workload) -> float:
    start = time.perf_counter()
    for number in range(workload.steps):
        torchlens.trace(workload.model, (workload.batch,))
        workload.step(number)
    return time.perf_counter() - start


PEERS: dict[str, Callable[[Workload], float]] = {"torchviz": _torchviz, "torchlens": _torchlens}
