"""The backward side of a trace: graph, steps and what was returned, pass by pass, as checked columns."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from gradviz.errors import TraceError
from gradviz.trace.columns import Column, Columns
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.interned import Interned
from gradviz.trace.model import Node, Received, Returned, Stats, Step
from gradviz.trace.opening import TraceFile

KEPT_PASSES = 8
MAX_NUMBER = 2**31 - 1
MAX_SLOT = 1_000_000


class PassColumns:
    """Everything packed about one pass; grows while the pass runs."""

    def __init__(self, file: TraceFile, interned: Interned, pass_id: int) -> None:
        self._file = file
        self._interned = interned
        self._columns = {
            kind: Columns(file, kind, pass_id) for kind in ("node", "expected", "edge", "step", "received", "returned")
        }
        self._graph: PassGraph | None = None
        self._steps: PassSteps | None = None
        self._returned: tuple[Returned, ...] | None = None
        self._stale = True

    def refresh(self) -> None:
        self._stale = True

    def graph(self) -> PassGraph:
        self._read_on()
        if self._graph is None:
            self._graph = self._make_graph()
        return self._graph

    def steps(self) -> PassSteps:
        self._read_on()
        if self._steps is None:
            self._steps = self._make_steps()
        return self._steps

    def returned(self) -> tuple[Returned, ...]:
        self._read_on()
        if self._returned is None:
            self._returned = self._make_returned()
        return self._returned

    def node(self, index: int) -> Node:
        graph = self.graph()
        if not 0 <= index < len(graph):
            raise IndexError(f"no node {index} in a pass of {len(graph)}")
        expected = graph.expected_spec[graph.expected_start[index] : graph.expected_end[index]]
        return Node(
            index=index,
            name=self._interned.string(int(graph.name[index])),
            seq=int(graph.seq[index]),
            thread=int(graph.thread[index]),
            op=int(graph.op[index]),
            call=int(graph.call[index]),
            leaf=int(graph.leaf[index]),
            flags=int(graph.flags[index]),
            expected=tuple(self._interned.known_spec(spec) for spec in expected.tolist()),
        )

    def step(self, number: int) -> Step:
        steps = self.steps()
        if not 0 <= number < len(steps):
            raise IndexError(f"no step {number} in a pass of {len(steps)}")
        received = self._columns["received"]
        return Step(
            number=number,
            node=int(steps.node[number]),
            start=int(steps.start[number]),
            duration=int(steps.duration[number]),
            received=tuple(
                Received(
                    self._interned.spec(int(steps.spec[row])), int(received["version"][row]), stats_at(received, row)
                )
                for row in range(int(steps.received_start[number]), int(steps.received_end[number]))
            ),
        )

    def _read_on(self) -> None:
        if not self._stale:
            return
        with self._file.alone():
            with self._file.reading():
                grew = {kind: columns.read_on() for kind, columns in self._columns.items()}
            if grew["node"] or grew["edge"] or grew["expected"] or self._lacks_leaves():
                self._graph = None
            if grew["step"] or grew["received"] or grew["node"]:
                self._steps = None
            if grew["returned"]:
                self._returned = None
            self._stale = False

    def _lacks_leaves(self) -> bool:
        return self._graph is not None and self._graph.leaf is not self._columns["node"]["leaf"]

    def _make_graph(self) -> PassGraph:
        node, expected, edge = (self._columns[kind] for kind in ("node", "expected", "edge"))
        for name in ("thread", "op", "call", "leaf"):
            node.need_within(name, -1, MAX_NUMBER)
        node.need_within("name", 0, self._file.ids("string"))
        expected.need_within("spec", 0, self._file.ids("spec"))
        leaf = node["leaf"]
        leaves = self._file.ids("leaf")
        if len(leaf) and int(leaf.max()) >= leaves:  # a run that was killed may not have come to write them
            leaf = np.where(leaf < leaves, leaf, -1).astype(leaf.dtype)
        start = node.starts("expected_end", expected.count, whole=True)
        for name, high in (("tail", node.count), ("head", node.count), ("index", MAX_SLOT), ("slot", MAX_SLOT)):
            edge.need_within(name, 0, high)
        if has_cycle(node.count, edge["tail"], edge["head"]):
            raise edge.damaged("leads in a circle")
        return PassGraph(
            name=node["name"],
            seq=node["seq"],
            thread=node["thread"],
            op=node["op"],
            call=node["call"],
            leaf=leaf,
            flags=node["flags"],
            expected_start=start,
            expected_end=node["expected_end"],
            expected_spec=expected["spec"],
            tail=edge["tail"],
            index=edge["index"],
            head=edge["head"],
            slot=edge["slot"],
        )

    def _make_steps(self) -> PassSteps:
        step, received = self._columns["step"], self._columns["received"]
        step.need_within("node", 0, self._columns["node"].count)
        received.need_within("spec", -1, self._file.ids("spec"))
        start = step.starts("received_end", received.count, whole=True)
        return PassSteps(
            node=step["node"],
            start=step["start"],
            duration=step["duration"],
            received_start=start,
            received_end=step["received_end"],
            spec=received["spec"],
            nans=received["nans"],
            infs=received["infs"],
            zeros=received["zeros"],
            min=received["min"],
            max=received["max"],
            mean=received["mean"],
            norm=received["norm"],
        )

    def _make_returned(self) -> tuple[Returned, ...]:
        returned = self._columns["returned"]
        returned.need_within("step", 0, MAX_NUMBER)
        returned.need_within("index", 0, MAX_SLOT)
        returned.need_within("spec", -1, MAX_NUMBER)
        returned.need_within("type", -1, MAX_NUMBER)
        return tuple(
            Returned(
                step=int(returned["step"][row]),
                index=int(returned["index"][row]),
                spec=self._interned.spec(int(returned["spec"][row])),
                type=self._interned.string(int(returned["type"][row])),
                stats=stats_at(returned, row),
            )
            for row in range(returned.count)
        )


class Passes:
    """The columns of the passes looked at last."""

    def __init__(self, file: TraceFile, interned: Interned) -> None:
        self._file = file
        self._interned = interned
        self._kept: OrderedDict[int, PassColumns] = OrderedDict()

    def refresh(self) -> None:
        for columns in self._kept.values():
            columns.refresh()

    def of(self, pass_id: int) -> PassColumns:
        columns = self._kept.pop(pass_id, None)
        if columns is None:
            if self._file.number("SELECT id FROM backward WHERE id = ?", (pass_id,)) != pass_id:
                raise TraceError(f"The recording holds no backward pass {pass_id}.")
            columns = PassColumns(self._file, self._interned, pass_id)
        self._kept[pass_id] = columns
        if len(self._kept) > KEPT_PASSES:
            self._kept.popitem(last=False)
        return columns


def stats_at(columns: Columns, row: int) -> Stats:
    """The statistics of one row of received or returned."""
    nans, infs, zeros = (int(columns[name][row]) for name in ("nans", "infs", "zeros"))
    low, high, mean, norm = (float(columns[name][row]) for name in ("min", "max", "mean", "norm"))
    return Stats(nans, infs, zeros, low, high, mean, norm)


def has_cycle(count: int, tail: Column, head: Column) -> bool:
    """Whether following the edges leads back. The usual order, earlier to later, shows at a glance that it doesn't."""
    if not len(tail) or bool((tail < head).all()):
        return False
    order = np.argsort(tail, kind="stable")
    heads = head[order].tolist()
    first = np.searchsorted(tail[order], np.arange(count + 1)).tolist()
    waiting = np.bincount(head, minlength=count).tolist()
    free = [node for node in range(count) if not waiting[node]]
    seen = 0
    while free:
        node = free.pop()
        seen += 1
        for next_node in heads[first[node] : first[node + 1]]:
            waiting[next_node] -= 1
            if not waiting[next_node]:
                free.append(next_node)
    return seen < count
