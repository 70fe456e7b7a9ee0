"""What recording costs: a training step recorded, bare, and under the peers, on three nets of very different grain.

Every timed step is a structure that its recording hasn't seen (six extra ops spell the step's number in binary), so
that nothing is saved by recognising equal passes. What the recorder writes to its file, and closing it, is inside the
time.
"""

from __future__ import annotations

import gc
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
import torchlens
import torchviz
from bench_measure import Measured, Wanted, embraced, interleave, median_of, ratio_of
from torch import nn

import gradviz

PEER_ROUNDS = 3  # for information only, and slow
LEVELS = ("shapes", "summaries")
NUMBER_BITS = 6


@dataclass(frozen=True)
class Workload:
    """A net with its input, and how many steps one timing takes: enough that closing the file is shared by several."""

    name: str
    model: nn.Module
    batch: torch.Tensor
    steps: int
    peers: tuple[str, ...]
    times: int = 1  # as many rounds as of the others: a short round says little

    def forward(self, number: int) -> torch.Tensor:
        """The loss, with `number` spelled into the graph."""
        loss: torch.Tensor = self.model(self.batch).float().mean()
        for bit in range(NUMBER_BITS):
            loss = loss * 1.0 if number >> bit & 1 else loss + 0.0
        return loss

    def step(self, number: int) -> None:
        """One training step."""
        self.model.zero_grad(set_to_none=True)
        loss = self.forward(number)
        loss.backward()
        with torch.no_grad():
            for parameter in self.model.parameters():
                if parameter.grad is not None:
                    parameter.sub_(parameter.grad, alpha=1e-4)


class TinyOps(nn.Module):
    """75 nodes of next to no work each: (Linear 16, tanh, mul, add, mean, sub) eight times."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(8)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.tanh(layer(x))
            x = x * 1.5 + 0.1
            x = x - x.mean(dim=1, keepdim=True)
        return x


class Chain(nn.Module):
    """10,000 elementwise operations in a row on four numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.start + x
        for _ in range(5000):
            y = y * 1.0001
            y = y + 0.0001
        return y


def workloads() -> list[Workload]:
    """The three nets, seeded."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, nhead=8, dim_feedforward=1024, dropout=0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, num_layers=4, enable_nested_tensor=False)
    return [
        Workload("encoder", encoder, torch.randn(8, 128, 256), steps=16, peers=("torchviz", "torchlens")),
        Workload("tiny", TinyOps(), torch.randn(8, 16), steps=48, peers=("torchviz", "torchlens"), times=3),
        # torchviz ends in a RecursionError there, torchlens takes minutes
        Workload("chain", Chain(), torch.zeros(4), steps=3, peers=(), times=2),
    ]


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
