"""Which passes are written. Of those with equal structure the first is, later ones are counted; the two newest wait in
memory and are written when something goes wrong, or at the end.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from json import dumps
from time import monotonic
from typing import Any, Protocol

from gradviz.record.frontend import Session
from gradviz.record.oplog import OpLog, OpSegments
from gradviz.record.passrecord import SEVERAL, STEP_WIDTH, PassRecord
from gradviz.trace.writer import TraceWriter

NEWEST = 2  # passes kept in memory
FAULTY_PER_STRUCTURE = 3  # a training run that diverged has a fault in every pass
COMMIT_SECONDS = 0.1  # between commits of steps, where passes follow each other fast: the next graph's commits them too
COUNT_SECONDS = 0.5  # between two tellings of how many equal passes there were: a window shows them while they run
MOST_STRUCTURES = 500  # each sequence length makes a structure of its own
MOST_PENDING = 100_000  # ops without a pass before they are written or dropped
NO_FIGURES = [array("q", [-1])] * 3 + [array("d", [float("nan")])] * 4  # statistics that weren't taken
MOST_LOOSE = 1_000_000  # ops written outside passes in all
NONE_KEPT = "no-pass-kept"  # the kind of note; gradviz/trace/kept.py reads it


class Recording(Protocol):
    """What a framework's recorder has for the store."""

    @property
    def session(self) -> Session: ...
    @property
    def writer(self) -> TraceWriter: ...
    @property
    def threads(self) -> Any: ...  # number -> state with its `log`


class LeafIds(Protocol):
    """The leaf table of a framework."""

    def leaf_id(self, entry: Any, in_graph: bool) -> int: ...


class PassStore:
    """Writes passes, and the ops that led to them. One for the session: frameworks that meet in a script share it,
    since ops are numbered over the whole run.
    """

    def __init__(self, recorder: Recording, leaves: LeafIds) -> None:
        self._recorder = recorder
        self._recorders = [recorder]
        self._leaves = leaves
        self._segments = OpSegments(recorder.writer)
        self._first: dict[str, int] = {}  # structure -> the pass that is stored
        self._counts: dict[str, int] = {}  # structure -> passes that its first row stands for
        self._faulty: dict[str, int] = {}
        self._newest: list[PassRecord] = []
        self._running: list[PassRecord] = []  # begun and not stored: their ops aren't in the file either
        self._written: list[int] = []
        self._loose = 0
        self._left_out = 0  # passes that --passes doesn't name, up to the newest
        self._committed = 0.0
        self._told: dict[str, int] = {}  # structure -> the count that stands in the file
        self._told_at = monotonic()

    @classmethod
    def shared(cls, recorder: Recording, leaves: LeafIds) -> PassStore:
        """The session's store, joined by this recorder."""
        store: PassStore | None = recorder.session.store
        if store is None:
            store = recorder.session.store = cls(recorder, leaves)
        else:
            store._recorders.append(recorder)
        return store

    def begin(self, record: PassRecord) -> None:
        """Before the engine starts: a structure that is new is written and committed at once."""
        record.logs = self._take()
        wanted = self._recorder.session.passes_wanted.may_store(record.number)
        if not wanted:
            self._left_out = record.number + 1
            self._write_waiting_ops()
            self._segments.write(record.logs)  # whatever led there may matter to a pass that is stored
            record.logs = []
            return
        if record.structure in self._first or len(self._first) >= MOST_STRUCTURES:
            self._running.append(record)
            return
        self._first[record.structure] = record.number
        self._counts[record.structure] = 0
        self._forget_newest()
        self._write_graph(record)
        self._recorder.writer.commit()  # the graph is in the file before its first node runs

    def stored_as(self, record: PassRecord) -> int:
        """The stored pass that has this one's graph."""
        return self._first.get(record.structure, record.number)

    def end(self, record: PassRecord) -> None:
        """After the engine: write the steps of a stored pass, keep or count any other."""
        if not self._recorder.session.passes_wanted.may_store(record.number):
            return
        if record in self._running:
            self._running.remove(record)
        if record.stored:
            self._counts[record.structure] += 1
            self._write_end(record)
            if record.faulty or monotonic() - self._committed > COMMIT_SECONDS:
                self._commit()
        elif record.faulty and self._faulty.get(record.structure, 0) < FAULTY_PER_STRUCTURE:
            self._faulty[record.structure] = self._faulty.get(record.structure, 0) + 1
            self.write_newest()
            self._write_whole(record)
            self._recorder.writer.commit()
        else:
            self._newest.append(record)
            if len(self._newest) > NEWEST:
                self._count(self._newest.pop(0))
            now = monotonic()
            if now - self._told_at > COUNT_SECONDS:
                self._told_at = now
                self._tell_counts()
                self._recorder.writer.commit()

    def write_alone(self, record: PassRecord) -> None:
        """A pass that never reached the engine: the newest ones, then it."""
        record.logs = self._take()
        self.write_newest()
        self._write_whole(record)
        self._recorder.writer.commit()

    def write_newest(self) -> None:
        """The passes that wait in memory, in order."""
        waiting, self._newest = self._newest, []
        for record in sorted([*waiting, *self._running], key=_number_of):
            if record in waiting:
                self._write_whole(record)
            else:
                self._write_ops_of(record)

    def write_rest(self) -> None:
        """At the end: passes in memory, ops after the last one, and how many passes each row stands for."""
        self.write_newest()
        self._segments.write(self._take())
        self._tell_counts()
        if self._recorder.session.passes_wanted.only_last:
            self._keep_last_only()
        if self._left_out and not self._written:
            self._tell_of_none_kept(self._left_out)

    def overflow(self, log: OpLog) -> None:
        """A thread has done very much without a backward pass: an evaluation, say."""
        taken = log.take()
        if self._loose >= MOST_LOOSE:
            self._recorder.session.note(
                "ops-dropped", f"Only the first {MOST_LOOSE:,} calls outside backward passes were kept."
            )
            return
        self._loose += len(taken)
        self._forget_newest()
        self._segments.write([taken])

    # -- parts

    def _commit(self) -> None:
        self._recorder.writer.commit()
        self._committed = monotonic()

    def _take(self) -> list[OpLog]:
        return [state.log.take() for each in self._recorders for state in list(each.threads.values())]

    def _count(self, record: PassRecord) -> None:
        if record.structure in self._counts:
            self._counts[record.structure] += 1

    def _tell_counts(self) -> None:
        """Say of the passes in the file how many they stand for, where that has changed."""
        for structure, count in list(self._counts.items()):  # another thread's pass may add one
            if count > 1 and count != self._told.get(structure):
                self._told[structure] = count
                self._recorder.writer.update("backward", self._first[structure], repeats=count)

    def _forget_newest(self) -> None:
        """Ops are numbered upwards in the file: what is older than something written can't follow it."""
        for record in self._newest:
            self._count(record)
        self._newest.clear()
        self._write_waiting_ops()

    def _write_waiting_ops(self) -> None:
        """Those of passes that may still be written, or that run: newer ones are about to be."""
        for record in sorted([*self._newest, *self._running], key=_number_of):
            self._write_ops_of(record)

    def _write_ops_of(self, record: PassRecord) -> None:
        self._segments.write(record.logs)
        record.logs = []

    def _write_whole(self, record: PassRecord) -> None:
        self._write_graph(record)
        self._write_end(record)

    def _write_graph(self, record: PassRecord) -> None:
        writer, graph = self._recorder.writer, record.graph
        self._write_ops_of(record)
        record.stored = True
        self._written.append(record.number)
        leaf = [-1] * len(graph.name)
        for node, value in graph.leaves.items():
            entry = graph.leaf_entries.get(value)
            if entry is not None:
                leaf[node] = (record.leaves or self._leaves).leaf_id(entry, True)
        writer.segment(
            "node",
            record.number,
            0,
            [graph.name, graph.sequence, graph.thread, graph.op, graph.call, leaf, graph.flags, graph.expected_end],
        )
        writer.segment("expected", record.number, 0, [graph.expected])
        writer.segment("edge", record.number, 0, [graph.tail, graph.position, graph.head, graph.slot])
        # Last, as its update comes first in `_write_end`: neighbours of one kind go to the file together.
        writer.add(
            "backward",
            id=record.number,
            parent=record.parent if record.parent in self._written else None,
            thread=record.thread,
            outcome=record.outcome,
            nodes=len(graph.name),
            edges=len(graph.tail),
            steps=0,
            structure=record.structure,
            truncated=graph.truncated,
            **record.columns,
        )

    def _write_end(self, record: PassRecord) -> None:
        writer, number = self._recorder.writer, record.number
        writer.update(
            "backward",
            number,
            outcome=record.outcome,
            exception=record.exception,
            failed_node=record.failed_node,
            steps=record.step_count(),
            duration=record.duration,
        )
        write_steps(writer, record)
        for step, slot, role, spec, sample in record.samples:
            writer.add("sample", **{"pass": number}, step=step, slot=slot, role=role, spec=spec, **sample)
        for node, name, saved_spec, version in record.saved:
            writer.add("saved", **{"pass": number}, node=node, name=name, spec=saved_spec, version=version)

    def _tell_of_none_kept(self, count: int) -> None:
        """The recording looks as if no backward pass had run."""
        ran = "1 backward pass ran, number 0"
        if count > 1:
            ran = f"{count:,} backward passes ran, numbered 0 to {count - 1}"
        self._recorder.session.note(NONE_KEPT, f"{ran}; --passes kept none of them.", count=count)

    def _keep_last_only(self) -> None:
        for number in self._written[:-1]:
            self._recorder.writer.remove_pass(number)


def _number_of(record: PassRecord) -> int:
    return record.number


def write_steps(writer: Any, record: PassRecord) -> None:
    """The segments step, received and returned of a pass."""
    rows, count = record.steps, record.step_count()
    nodes, times = rows[0::STEP_WIDTH], rows[1::STEP_WIDTH]
    specs, versions = rows[2::STEP_WIDTH], rows[3::STEP_WIDTH]
    starts = [0, *record.graph.expected_end]
    ends, slots = list(range(1, count + 1)), [starts[node] for node in nodes]
    if record.several:
        specs, versions, ends, slots = _unfold(record, nodes, specs, versions, starts)
    durations = [later - earlier for earlier, later in zip(times, times[1:])] + [-1] * bool(times)
    writer.segment("step", record.number, 0, [nodes, times, durations, ends])
    writer.segment("received", record.number, 0, [specs, versions, *statistics(record, slots)])
    returned = record.returned
    if returned:
        total = len(returned) // 4
        first = record.graph.expected_end[-1] if record.graph.expected_end else 0
        figures = statistics(record, list(range(first, first + total)))
        columns = [returned[at::4] for at in range(4)]
        writer.segment("returned", record.number, 0, [*columns, *figures])


def statistics(record: PassRecord, slots: Sequence[int]) -> list[Any]:
    """The seven columns of statistics, picked by slot."""
    figures = record.figures
    if figures is None:
        return [column * len(slots) for column in NO_FIGURES]
    last = len(figures[0])
    if slots and max(slots) >= last:
        slots = [slot if slot < last else -1 for slot in slots]
    return [[values[at] for at in slots] for values in figures]


def _unfold(
    record: PassRecord, nodes: Sequence[int], specs: Sequence[int], versions: Sequence[int], starts: Sequence[int]
) -> tuple[list[int], list[int], list[int], list[int]]:
    """As many received gradients per step as its node has."""
    all_specs: list[int] = []
    all_versions: list[int] = []
    ends: list[int] = []
    slots: list[int] = []
    for at, node in enumerate(nodes):
        if specs[at] == SEVERAL:
            rows = record.several.get(node, [])
            all_specs += rows[0::2]
            all_versions += rows[1::2]
            slots += range(starts[node], starts[node] + len(rows) // 2)
        else:
            all_specs.append(specs[at])
            all_versions.append(versions[at])
            slots.append(starts[node])
        ends.append(len(all_specs))
    return all_specs, all_versions, ends, slots


def rows_as_json(rows: Sequence[dict[str, Any] | None]) -> str:
    """For the columns roots, seeds and inputs."""
    return dumps(list(rows))
