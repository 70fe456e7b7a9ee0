"""The own layout engine beside fast-sugiyama on an unrolled LSTM, its memory, its growth. Time is the processor's.

The graphs have the structure that torch records, each shared AccumulateGrad drawn once per consumer, as the window
draws them: 19 nodes and 23 edges a step of `nn.LSTMCell`, 71 nodes a block of GPT-2. Nothing here needs torch.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from bench_measure import Measured, Wanted, interleave, median_of, ratio_of

from gradviz.layout.model import Options, Request
from gradviz.layout.own.engine import OwnEngine

SIZES = (200, 1000, 3000)  # steps: 3,800, 19,000 and 57,000 nodes
LONG_ROUNDS = 5  # a round takes seconds
ROOT = Path(__file__).resolve().parents[1]
Edges = list[tuple[int, int]]

# One step of nn.LSTMCell, backward. Numbers are nodes of the step; 0 is the hidden state's node and 4 the cell state's.
LSTM_STEP = 19
LSTM_EDGES: Edges = [
    *((0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (4, 7), (5, 8), (5, 9), (6, 10), (7, 11), (7, 12)),
    *((10, 3), (11, 3), (12, 3), (8, 13), (8, 14), (14, 15), (9, 16), (9, 17), (17, 18)),
]
MEASURE_MEMORY = """
import resource, sys
sys.path[:0] = sys.argv[2:]
from bench_layout import lstm_request
from gradviz.layout.own.engine import OwnEngine
OwnEngine().arrange(lstm_request(int(sys.argv[1])))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / 1024 / (1024 if sys.platform == "darwin" else 1))
"""


def lstm_edges(steps: int) -> tuple[int, Edges]:
    """Node count and edges of an LSTM unrolled over so many steps, a sum at the top."""
    edges: Edges = [(0, 1)]
    for step in range(steps):
        base = 1 + step * LSTM_STEP
        edges += [(base + a, base + b) for a, b in LSTM_EDGES]
        if step + 1 < steps:  # the cell state before, and the hidden state before
            edges += [(base + 6, base + LSTM_STEP + 4), (base + 9, base + LSTM_STEP)]
    return 1 + steps * LSTM_STEP, edges


def gpt_edges(blocks: int) -> tuple[int, Edges]:
    """Node count and edges of a GPT: in a block, one residual goes round the MLP and one round the attention."""
    edges: Edges = []
    count = 1

    def node(*parents: int) -> int:
        nonlocal count
        count += 1
        edges.extend((parent, count - 1) for parent in parents)
        return count - 1

    def chain(top: int, length: int) -> int:
        for _ in range(length):
            top = node(top)
        return top

    def linear(top: int) -> int:
        """view, addmm with bias and transposed weight, view"""
        product = node(node(top))
        node(product)
        node(node(product))
        return node(product)

    def norm(*tops: int) -> int:
        normed = node(*tops)
        node(normed)
        node(normed)
        return normed

    last = norm(linear(chain(0, 2)))
    for _ in range(blocks):
        added = node(last)
        inner = norm(linear(node(linear(added))))
        added = node(inner, added)
        product = chain(linear(added), 4)
        value = linear(chain(product, 5))
        scores = chain(product, 6)
        key, query = linear(chain(scores, 5)), linear(chain(scores, 5))
        last = norm(value, key, query)
        edges.append((added, last + 3))  # the residual joins at the next block's first node
        last = node(last)
    node(node(last))
    return count, edges


def request_of(count: int, edges: Edges) -> Request:
    """Boxes and labels as large as the window's."""
    ends = np.asarray(edges, np.int32)
    return Request(
        widths=np.full(count, 168, np.float32),
        heights=np.full(count, 40, np.float32),
        tail=np.ascontiguousarray(ends[:, 0]),
        head=np.ascontiguousarray(ends[:, 1]),
        label_sizes=np.full((len(edges), 2), (56, 16), np.float32),
        rank_hint=np.arange(count, dtype=np.int32),
        options=Options(time_limit=120.0),
    )


def lstm_request(steps: int) -> Request:
    return request_of(*lstm_edges(steps))


def rows(rounds: int, wanted: Wanted = lambda _: True) -> list[Measured]:
    long_rounds = min(rounds, LONG_ROUNDS)
    measured: list[Measured] = []
    if any(map(wanted, ("layout.lstm57k.vs_fast_sugiyama", "layout.57k.fast_sugiyama_ratio", "layout.growth"))):
        measured += _lstm(long_rounds)
    if wanted("layout.lstm57k.memory"):
        measured.append(median_of("layout.lstm57k.memory", "MB", [_peak_memory() for _ in range(min(rounds, 3))]))
    return measured


def _lstm(rounds: int) -> list[Measured]:
    import fast_sugiyama  # an extra of the bench, and only these rows need it

    requests = {steps: lstm_request(steps) for steps in SIZES}
    _, edges = lstm_edges(SIZES[-1])
    variants: dict[str, Callable[[], float]] = {
        f"own{steps}": partial(_seconds, partial(OwnEngine().arrange, request)) for steps, request in requests.items()
    }
    variants["peer"] = partial(_seconds, lambda: list(fast_sugiyama.from_edges(edges)))
    times = interleave(variants, rounds)
    own = times[f"own{SIZES[-1]}"]
    sizes = [math.log(len(requests[steps].widths)) for steps in SIZES]
    growth = [
        statistics.linear_regression(sizes, [math.log(times[f"own{steps}"][turn]) for steps in SIZES]).slope
        for turn in range(rounds)
    ]
    return [
        ratio_of("layout.lstm57k.vs_fast_sugiyama", own, times["peer"]),
        ratio_of("layout.57k.fast_sugiyama_ratio", own, times["peer"]),
        median_of("layout.growth", "exponent", growth),
        median_of("layout.lstm57k.own", "s", own),
        median_of("layout.lstm57k.fast_sugiyama", "s", times["peer"]),
    ]


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _peak_memory() -> float:
    """MB that a fresh process needs at most for the largest graph."""
    command = [sys.executable, "-c", MEASURE_MEMORY, str(SIZES[-1]), str(ROOT), str(ROOT / "scripts")]
    return float(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)
