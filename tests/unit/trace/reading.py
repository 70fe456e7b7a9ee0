"""Reads all that a trace offers, as a window that shows everything would."""

from __future__ import annotations

from pathlib import Path

from gradviz.errors import TraceError
from gradviz.trace.reader import Trace
from gradviz.trace.replay import failed_node, first_steps


def read_all(path: Path) -> None:
    """Touch every part; raises what the reader raises."""
    with Trace(path) as trace:
        trace.run()
        for table in (
            trace.sources,
            trace.exceptions,
            trace.leaves,
            trace.modules,
            trace.notes,
            trace.unreached,
            trace.threads,
            trace.output,
        ):
            table()
        for op in trace.ops():
            trace.call(op.call)
            for value in (*op.operands, *op.results):
                trace.producer(value.number, op.number)
                trace.users(value.number)
        for leaf in trace.leaves():
            trace.leaf_sample(leaf.id)
        for backward in trace.passes():
            read_pass(trace, backward.id)


def read_pass(trace: Trace, pass_id: int) -> None:
    backward = next(one for one in trace.passes() if one.id == pass_id)
    graph, steps = trace.graph(pass_id), trace.steps(pass_id)
    first_steps(len(graph), steps.node)
    failed_node(backward)
    for node in range(len(graph)):
        trace.node(pass_id, node)
        trace.saved(pass_id, node)
    for step in range(len(steps)):
        trace.step(pass_id, step)
        trace.samples(pass_id, step)
    trace.samples(pass_id, -1)
    trace.returned(pass_id)


def outcome(path: Path) -> str:
    """What reading everything ends in: '' or the one sentence of a TraceError; nothing else may be raised."""
    try:
        read_all(path)
    except TraceError as error:
        return str(error)
    return ""
