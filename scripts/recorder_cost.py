"""Where each microsecond of the recorder goes: what its parts cost per node of the graph, as a table.

    .venv/bin/python scripts/recorder_cost.py [NET ...] [--rounds N]

The recorder is built up part by part: in each round the same training steps run bare, then with a recorder whose parts
all have empty stand-ins, then with one part more each time, until it is whole. What a part costs is what the steps take
longer with it than without it. Each step counts with its least time over the rounds: what else goes on in the machine
only ever adds to it, while what the recorder does at some step, such as a commit, it does in every round. Beside each
figure stand those of the odd and the even rounds alone. Processor time: waiting for the disk doesn't count.
Needs .[torch].
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from bench_measure import interleave
from bench_nets import Chain, Workload, workloads

import gradviz
from gradviz.record.oplog import OpSegments
from gradviz.record.passstore import PassStore
from gradviz.record.pytorch import engine, forward, steps
from gradviz.record.pytorch.arguments import Arguments
from gradviz.record.pytorch.batches import Batches
from gradviz.record.pytorch.modes import mode_off
from gradviz.record.pytorch.modules import ModuleCalls
from gradviz.record.pytorch.ports import root_nodes
from gradviz.record.session import RecorderSession
from gradviz.record.userframes import UserFrames
from gradviz.trace.reader import Trace
from gradviz.trace.writer import TraceWriter

CHAIN = Workload("chain", Chain(1000), torch.zeros(4), steps=12, peers=(), times=2)  # short enough to run undisturbed
NETS = ("tiny", "chain")
BARE = "bare"


class StandInError(Exception):
    """A part couldn't do without the one whose stand-in it met: the figures would mean nothing."""


@dataclass(frozen=True)
class Part:
    """One part of the recorder. While it is left out, each `attribute` of an `owner` is what stands in for it."""

    name: str
    stand_ins: tuple[tuple[Any, str, Any], ...] = ()
    level: str = "shapes"  # that recording with it and without the parts after it has


# -- stand-ins


def _calling(*_: Any) -> Callable[..., Any]:
    """For make_recording: torch's functions are called, and that is all."""

    def call(mode: Any, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        return func(*args, **kwargs) if kwargs else func(*args)

    return call


def _nothing(*_: Any) -> None: ...


def _no_id(*_: Any) -> int:
    return -1


def _call_module(calls: Any, original: Any, module: Any, args: Any, kwargs: Any) -> Any:
    return original(module, *args, **kwargs)


def _run(watcher: Any, original: Any, outputs: Any, args: Any, kwargs: Any) -> Any:
    return original(outputs, *args, **kwargs)


def _walk_and_run(watcher: Any, original: Any, outputs: Any, args: Any, kwargs: Any) -> Any:
    """As Engine.run, of which the walk alone is left."""
    state = watcher._recorder.state()
    with engine.collector_off():
        state.trim()
        graph = watcher._walker.walk(root_nodes(outputs), state)
    try:
        with mode_off(state):
            return original(outputs, *args, **kwargs)
    finally:
        graph.let_go()


class _NoHooks:
    def __init__(self, recorder: Any, record: Any) -> None: ...

    def remove(self) -> None: ...


def _empty_hook(recorder: Any, record: Any) -> Callable[[Any], None]:
    return lambda gradients: None


def _count_as_stored(store: Any, record: Any) -> None:
    record.stored = True


def _drop(writer: Any, connection: Any) -> None:
    writer.take_new_rows()
    writer._queue = []


# In the order in which they come in. Of two stand-ins for one thing the earlier part's stands in while both are out.
PARTS = (
    Part("torch's function mode and our patches, doing nothing"),
    Part("forward calls: operands and results", ((forward, "make_recording", _calling),)),
    Part("the person's lines: a stack for each call", ((UserFrames, "stack", _no_id),)),
    Part("arguments that are no tensors", ((Arguments, "of", _no_id), (Arguments, "named", _no_id))),
    Part("module calls", ((ModuleCalls, "call", _call_module),)),
    Part("the walk: nodes, edges, expected shapes, the op of each", ((engine.Engine, "run", _run),)),
    Part("the pass: structure, seeds, leaves' names, saved tensors", ((engine.Engine, "run", _walk_and_run),)),
    Part("a hook before each node, doing nothing", ((engine, "NodeHooks", _NoHooks),)),
    Part("what the hook notes: node, time, shape, version", ((steps, "make_prehook", _empty_hook),)),
    Part(
        "columns made and packed",
        (
            (OpSegments, "write", _nothing),
            (PassStore, "_write_graph", _count_as_stored),
            (PassStore, "_write_end", _nothing),
        ),
    ),
    Part("the file: SQLite's commits, closing it", ((TraceWriter, "_write", _drop),)),
    Part("statistics: small gradients gathered", level="summaries"),
    Part("statistics: measured, fetched, noted", ((Batches, "_stacked", _nothing),), level="summaries"),
)


# -- measuring


@dataclass(frozen=True)
class Figure:
    """µs per node, from all rounds, and from every other one, to tell how sure it is."""

    value: float
    halves: tuple[float, float]

    def minus(self, other: Figure) -> Figure:
        """What it is more than the other."""
        (odd, even), (other_odd, other_even) = self.halves, other.halves
        return Figure(self.value - other.value, (odd - other_odd, even - other_even))


@dataclass(frozen=True)
class Costs:
    """What was measured on one net."""

    net: str
    nodes: int  # of one step's graph
    bare: Figure
    parts: dict[str, Figure]
    totals: dict[str, Figure]  # level -> all its parts together


def measure(workload: Workload, rounds: int, parts: Sequence[Part] = PARTS) -> Costs:
    """Build the recorder up on this net, `rounds` times."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.gradviz"
        variants: dict[str, Callable[[], list[float]]] = {BARE: partial(_bare_steps, workload)}
        for at, part in enumerate(parts):
            variants[part.name] = partial(_recorded_steps, workload, file, part.level, parts[at + 1 :])
        for timed in variants.values():  # warm: imports, the allocator, the first file
            timed()
        with Trace(file) as trace:  # the last one's, which was whole
            nodes = trace.passes()[0].nodes
        times = interleave(variants, max(rounds, 2))
    return costs_of(workload.name, nodes, parts, {name: figure(each, nodes) for name, each in times.items()})


def figure(rounds: Sequence[Sequence[float]], nodes: int) -> Figure:
    """From the seconds of each step, by round; closing the file follows the last step as one more."""
    steps = len(rounds[0]) - 1

    def least(some: Sequence[Sequence[float]]) -> float:
        seconds: float = sum(min(times) for times in zip(*some))
        return seconds * 1e6 / nodes / steps

    return Figure(least(rounds), (least(rounds[::2]), least(rounds[1::2])))


def costs_of(net: str, nodes: int, parts: Sequence[Part], built: Mapping[str, Figure]) -> Costs:
    """Parts told apart: each is what was built with it, less what was built before it."""
    before, costs, totals = built[BARE], {}, {}
    for part in parts:
        costs[part.name] = built[part.name].minus(before)
        totals[part.level] = built[part.name].minus(built[BARE])
        before = built[part.name]
    return Costs(net, nodes, built[BARE], costs, totals)


def _bare_steps(workload: Workload) -> list[float]:
    gc.collect()  # what the last variant left behind is not this one's cost
    return [*_step_times(workload), 0.0]


def _recorded_steps(workload: Workload, file: Path, level: str, left_out: Sequence[Part]) -> list[float]:
    """Seconds of the workload's steps and of closing the file, without these parts."""
    file.unlink(missing_ok=True)
    with ExitStack() as patches:
        for part in reversed(left_out):
            for owner, attribute, stand_in in part.stand_ins:
                patches.enter_context(patch.object(owner, attribute, stand_in))
        note = patches.enter_context(patch.object(RecorderSession, "note"))
        gc.collect()
        with gradviz.recording(file, level=level):
            taken = _step_times(workload)
            start = time.process_time()
        taken.append(time.process_time() - start)
    if note.called:  # the recorder steps aside where it fails, which would look like speed
        raise StandInError(f"without {[part.name for part in left_out]}: {note.call_args}")
    return taken


def _step_times(workload: Workload) -> list[float]:
    taken = []
    for number in range(workload.steps):
        start = time.process_time()
        workload.step(number)
        taken.append(time.process_time() - start)
    return taken


# -- the table


def table(found: Sequence[Costs], parts: Sequence[Part] = PARTS) -> str:
    """A Markdown table: µs per node and share of the whole recorder's, a pair of columns for each net."""
    head = ["part", *(cell for costs in found for cell in (f"{costs.net}: µs a node", "share"))]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    whole = [costs.totals[parts[-1].level].value for costs in found]
    levels = [part.level for part in parts]
    for at, part in enumerate(parts):
        lines.append(_line(part.name, [costs.parts[part.name] for costs in found], whole))
        if part.level not in levels[at + 1 :]:
            lines.append(
                _line(f"**together, level `{part.level}`**", [costs.totals[part.level] for costs in found], whole)
            )
    lines.append(["torch itself, bare", *(cell for costs in found for cell in (_cell(costs.bare), ""))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _line(name: str, figures: Sequence[Figure], whole: Sequence[float]) -> list[str]:
    pairs = [(_cell(each), f"{each.value / total:.0%}") for each, total in zip(figures, whole)]
    return [name, *(cell for pair in pairs for cell in pair)]


def _cell(of: Figure) -> str:
    odd, even = of.halves
    return f"{of.value:.2f} ({odd:.2f}, {even:.2f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "nets", nargs="*", default=NETS, metavar="NET", help="tiny, chain, encoder; default the first two"
    )
    parser.add_argument("--rounds", type=int, default=15, help="default 15, of short nets several times that")
    options = parser.parse_args()
    torch.set_num_threads(1)
    known = {workload.name: workload for workload in (*workloads(), CHAIN)}
    unknown = [name for name in options.nets if name not in known]
    if unknown:
        print(f"recorder_cost.py: no net is called {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    found = []
    for name in options.nets:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        found.append(measure(known[name], options.rounds * known[name].times))
    print(table(found))
    print("\n" + "; ".join(f"{costs.net}: {costs.nodes:,} nodes a step" for costs in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
