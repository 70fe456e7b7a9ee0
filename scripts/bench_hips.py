"""What recording HIPS autograd costs: grad of an 8-layer MLP's loss, recorded and bare, by processor time.

Passes of equal structure follow each other, as in a training loop: the first is written, the others looked at and
counted. `mlp` has layers as wide as they are in use; `tiny` is all overhead, autograd's and ours. One thread, as in the
rows of torch's recorder.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

# Threads that wait for each other by spinning count as processor time, and do so most where we come between two calls.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import autograd.numpy as np
from autograd import grad
from bench_measure import Measured, Wanted, interleave, ratio_of

import gradviz

LAYERS = 8
SIZES = {"mlp": (128, 256, 10), "tiny": (16, 64, 60)}  # width, batch, passes that one timing takes
LEVELS = ("shapes", "summaries")


def rows(rounds: int, wanted: Wanted) -> list[Measured]:
    """All rows of both sizes."""
    measured = []
    for name, (width, batch, passes) in SIZES.items():
        if any(wanted(f"hips.{name}.{level}") for level in LEVELS):
            measured += _rows_of(name, workload(width, batch), passes, rounds)
    return measured


def workload(width: int, batch: int) -> Callable[[], Any]:
    """One gradient of the loss with respect to all weights."""
    rng = np.random.RandomState(0)
    parameters = [(rng.normal(size=(width, width)) / width**0.5, rng.normal(size=width) * 0.1) for _ in range(LAYERS)]
    data, target = rng.normal(size=(batch, width)), rng.normal(size=(batch, width))

    def loss(parameters: Any) -> Any:
        hidden = data
        for weight, bias in parameters:
            hidden = np.tanh(np.dot(hidden, weight) + bias)
        return np.mean((hidden - target) ** 2)

    return partial(grad(loss), parameters)


def _rows_of(name: str, work: Callable[[], Any], passes: int, rounds: int) -> list[Measured]:
    with tempfile.TemporaryDirectory() as folder:
        variants = {"bare": partial(_timed, work, passes, nullcontext)}
        for level in LEVELS:
            variants[level] = partial(_timed, work, passes, partial(_recording, Path(folder), level))
        for timed in variants.values():
            timed()
        times = interleave(variants, rounds)
    return [ratio_of(f"hips.{name}.{level}", times[level], times["bare"]) for level in LEVELS]


def _timed(work: Callable[[], Any], passes: int, surrounding: Callable[[], AbstractContextManager[object]]) -> float:
    gc.collect()
    with surrounding():
        start = time.process_time()
        for _ in range(passes):
            work()
        return time.process_time() - start


def _recording(folder: Path, level: str) -> AbstractContextManager[object]:
    file = folder / f"{level}.gradviz"
    file.unlink(missing_ok=True)
    recording: AbstractContextManager[object] = gradviz.recording(file, level=level)
    return recording
