"""How well the own layout engine draws, and how fast, beside Graphviz's `dot`, on graphs of up to 4,000 nodes.

Counted on the finished drawings: boxes that overlap, lines through boxes that aren't theirs, lines that cross.
Time is that of the processor, children included. `dot` is called as the engine of that name calls it: with straight
lines, which take it less time than the splines that it draws by default.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from bench_layout import LSTM_STEP, Edges, gpt_edges, lstm_edges, request_of
from bench_measure import Measured, Wanted, interleave, median_of, ratio_of
from numpy.typing import NDArray

from gradviz.layout.dot_engines import DotEngine
from gradviz.layout.dot_text import source
from gradviz.layout.model import Request, Result
from gradviz.layout.own.engine import OwnEngine

GPT_ROUNDS = 9
TOLERANCE = 0.51  # px; coordinates are float32
MOST_PAIRS = 2_000_000  # compared at once


def residual_edges(blocks: int) -> tuple[int, Edges]:
    """A ResNet: three convolutions with a weight, each with a norm and its two leaves, and one edge round them."""
    edges: Edges = []
    count, added = 1, 0
    for block in range(blocks):
        top = count  # relu
        edges.append((added, top))
        count += 1
        ways = [3, 1] if block % 4 == 0 else [3]  # the edge round changes the number of channels now and then
        ends = [top] if len(ways) == 1 else []
        for convolutions in ways:
            last = top
            for _ in range(convolutions):
                norm, product = count, count + 3  # weight and bias of the norm lie between, the kernel and relu after
                edges += [
                    (last, norm),
                    *((norm, norm + i) for i in (1, 2, 3)),
                    *((product, product + i) for i in (1, 2)),
                ]
                last, count = count + 5, count + 6
            ends.append(last)
        edges += [(end, count) for end in ends]
        added, count = count, count + 1
    return count, edges


def tree_edges(leaves: int) -> tuple[int, Edges]:
    """Sums of two until one is left."""
    edges = [((i - 1) // 2, i) for i in range(1, 2 * leaves - 1)]
    return 2 * leaves - 1, edges


def summed_edges(steps: int) -> tuple[int, Edges]:
    """An LSTM whose loss is a sum over all steps: a chain of additions, from each an edge to its step's state."""
    count, edges = lstm_edges(steps)
    sums = [0, *range(count, count + steps - 1)]
    edges += zip(sums, sums[1:], strict=False)
    return count + steps - 1, edges + [(sums[i], 1 + i * LSTM_STEP) for i in range(1, steps)]


SMALL: dict[str, tuple[int, Edges]] = {
    "gpt 12": gpt_edges(12),
    "gpt 4": gpt_edges(4),
    "lstm 50": lstm_edges(50),
    "lstm 8": lstm_edges(8),
    "lstm 12, summed": summed_edges(12),
    "residual 40": residual_edges(40),
    "residual 16": residual_edges(16),
    "tree 256": tree_edges(256),
}


def rows(rounds: int, wanted: Wanted = lambda _: True) -> list[Measured]:
    measured: list[Measured] = []
    have_dot = shutil.which("dot") is not None
    if wanted("layout.gpt2.dot_ratio") and have_dot:
        measured += _beside_dot("layout.gpt2", request_of(*gpt_edges(12)), min(rounds, GPT_ROUNDS))
    if wanted("layout.3800.dot_ratio") and have_dot:
        measured += _beside_dot("layout.3800", request_of(*lstm_edges(200)), 1)
    if any(map(wanted, ("layout.small.overlaps", "layout.small.through", "layout.small.crossings_over_dot"))):
        measured += _quality(have_dot)
    return measured


def _beside_dot(name: str, request: Request, rounds: int) -> list[Measured]:
    text = source(request).encode()
    command = ["dot", "-Tplain"]
    times = interleave(
        {
            "own": partial(_processor, partial(OwnEngine().arrange, request)),
            "dot": partial(_processor, partial(subprocess.run, command, input=text, capture_output=True, check=True)),
        },
        rounds,
    )
    return [
        ratio_of(f"{name}.dot_ratio", times["own"], times["dot"]),
        median_of(f"{name}.own", "s", times["own"]),
        median_of(f"{name}.dot", "s", times["dot"]),
    ]


def _processor(work: Callable[[], object]) -> float:
    """Seconds of processor time, those of child processes included."""
    before = _spent()
    work()
    return _spent() - before


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _quality(have_dot: bool) -> list[Measured]:
    over: list[float] = []
    overlapping = through = 0
    for graph in SMALL.values():
        request = request_of(*graph)
        result = OwnEngine().arrange(request)
        overlapping += overlaps(request, result)
        through += lines_through(request, result)
        if have_dot:
            over.append(crossings(result) - crossings(DotEngine().arrange(request)))
    measured = [
        Measured("layout.small.overlaps", overlapping, "count"),
        Measured("layout.small.through", through, "count"),
    ]
    return [*measured, Measured("layout.small.crossings_over_dot", max(over), "count")] if over else measured


def overlaps(request: Request, result: Result) -> int:
    """Pairs of boxes that overlap."""
    half = np.stack([request.widths, request.heights]) / 2
    centre = np.stack([result.x, result.y])
    near = np.abs(centre[:, :, None] - centre[:, None, :]) < half[:, :, None] + half[:, None, :] - TOLERANCE
    return int(np.triu(near.all(axis=0), 1).sum())


def lines_through(request: Request, result: Result) -> int:
    """Pairs of an edge and a foreign box that it passes through (clipped as Liang and Barsky do)."""
    edge, start, end = _stretches(result)
    centre = np.stack([result.x, result.y], axis=1)
    half = np.stack([request.widths, request.heights], axis=1) / 2 - TOLERANCE
    step = end - start
    first, last = np.zeros((len(edge), len(centre))), np.ones((len(edge), len(centre)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis in (0, 1):
            low = ((centre - half)[None, :, axis] - start[:, axis, None]) / step[:, axis, None]
            high = ((centre + half)[None, :, axis] - start[:, axis, None]) / step[:, axis, None]
            first = np.maximum(first, np.minimum(low, high))
            last = np.minimum(last, np.maximum(low, high))
        hit = first < last  # where a stretch is level or upright, the quotients are infinite, as they should be
    foreign = np.ones(hit.shape, np.bool_)
    foreign[np.arange(len(edge)), request.tail[edge]] = False
    foreign[np.arange(len(edge)), request.head[edge]] = False
    line, box = np.nonzero(hit & foreign)
    return len(set(zip(edge[line].tolist(), box.tolist(), strict=True)))


def crossings(result: Result) -> int:
    """Pairs of stretches of different edges that properly cross."""
    edge, start, end = _stretches(result)
    total = 0
    chunk = max(1, MOST_PAIRS // max(len(edge), 1))
    for begin in range(0, len(edge), chunk):
        part = slice(begin, begin + chunk)
        a, b = start[part, None], end[part, None]
        apart = _side(a, b, start[None]) * _side(a, b, end[None]) < 0
        apart &= _side(start[None], end[None], a) * _side(start[None], end[None], b) < 0
        total += int((apart & (edge[part, None] < edge[None])).sum())
    return total


def _side(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.int64]:
    value = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
    return (value > 1e-6).astype(np.int64) - (value < -1e-6)


def _stretches(result: Result) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Edge, start and end of every straight part of every line."""
    edge = np.repeat(np.arange(len(result.offsets) - 1), np.diff(result.offsets))
    same = edge[1:] == edge[:-1]
    points = result.points.astype(np.float64)
    return edge[1:][same], points[:-1][same], points[1:][same]
